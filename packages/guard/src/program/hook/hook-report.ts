import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { errorCode, errorMessage, wholeWords } from "@loopdash/values";
import type { HookVerdict } from "../../hooks/hook-answer.ts";
import type { HookEvent } from "../../hooks/hook-event.ts";
import type { HookPayload } from "../../hooks/hook-payload.ts";

/** Characters of a command or a path in a line of the report, and of every other value. */
const MOST = { subject: 300, other: 100 };

/** Bytes of a report that are read. */
const READ_BYTES = 4 * 2 ** 20;

interface ReportedHook {
  readonly event: HookEvent;
  readonly payload: HookPayload | undefined;
  readonly verdict: HookVerdict;
  /** What an agent that stops is told is unmet. */
  readonly told?: { readonly unmet: string; readonly n: number; readonly of: number } | undefined;
  /** The checks that had no time to end when an agent stopped. */
  readonly late?: string | undefined;
}

/** Appends a line to the report. Gives the reason if that fails. */
export function appendReport(file: string, hook: ReportedHook, now: Date): string | undefined {
  return appendLine(file, lineOf(hook, now));
}

/** The last lines of a report, the first of them perhaps cut. Throws if it cannot be read. */
export function reportLines(file: string, most = READ_BYTES): readonly string[] {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const from = Math.max(0, fstatSync(fd).size - most);
    const buffer = Buffer.alloc(most);
    return buffer
      .subarray(0, readSync(fd, buffer, 0, most, from))
      .toString("utf8")
      .split("\n");
  } finally {
    closeSync(fd);
  }
}

/** Appends a line of JSON to a report. Gives the reason if that fails. */
export function appendLine(file: string, line: object): string | undefined {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    // An agent can put a link or a pipe in its place: neither is followed or waited for.
    const fd = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      writeSync(fd, `${JSON.stringify(line)}\n`);
    } finally {
      closeSync(fd);
    }
    return undefined;
  } catch (error) {
    return errorCode(error) ?? errorMessage(error);
  }
}

/** One line of the report: `verdict` is `allow`, `block`, `problem` or `go-on`. */
function lineOf({ event, payload, verdict, told, late }: ReportedHook, now: Date): object {
  const subject = [payload?.commands, payload?.reads, payload?.writes].flatMap((each) => each ?? [])[0];
  return {
    at: now.toISOString(),
    event,
    ...bounded("tool", payload?.tool),
    ...bounded("id", payload?.id),
    ...bounded("session", payload?.session),
    verdict: verdict.verdict,
    ...(verdict.verdict === "block" && { rule: verdict.rule }),
    ...bounded("problem", verdict.verdict === "problem" ? verdict.problem : undefined),
    ...bounded("subject", subject, MOST.subject),
    ...(told && { ...bounded("unmet", told.unmet, MOST.subject), n: told.n, of: told.of }),
    ...bounded("late", late, MOST.subject),
  };
}

function bounded(name: string, value: string | undefined, most = MOST.other): object {
  return value === undefined ? {} : { [name]: wholeWords(value, most) };
}
