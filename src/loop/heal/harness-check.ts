import type { Ticket } from "../../domain/batch/schema.ts";
import type { TransientSpec } from "../../domain/batch/transient-spec.ts";
import type { HarnessPath } from "../../domain/run/heal-fact.ts";
import { parseTransients } from "../../domain/schedule/transients-file.ts";
import { RepoId, TicketId } from "../../domain/values/ids.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { isTool } from "../../ports/harness.ts";
import { HINTS_CHARS, renderWorkerPrompt } from "../attempt/prompt.ts";

/** Longer than any part of a prompt: every part is filled to its budget. */
const LONG = "y".repeat(60_000);

/** The reason that a text cannot be this file of a harness, in words that follow its name; undefined if it can. */
export function unfitForHarness(file: HarnessPath, text: string): string | undefined {
  if (file === "transients.json") {
    const read = parseTransients(text);
    return read.ok ? undefined : `cannot be used: ${plainText(read.why, 300)}`;
  }
  if (!isPlain(text)) return "contains invisible characters";
  if (isTool(file)) return text.startsWith("#!") ? undefined : "does not begin with #! and a program";
  if (file === "hints.md") return text.length > HINTS_CHARS ? `is longer than ${HINTS_CHARS} characters` : undefined;
  try {
    renderWorkerPrompt(text, LONGEST);
    return undefined;
  } catch (error) {
    return `cannot be filled: ${plainText(errorMessage(error), 300)}`;
  }
}

/** The classes of a valid transients.json. Throws if it is not valid. */
export function readTransientClasses(text: string): readonly TransientSpec[] {
  const read = parseTransients(text);
  if (!read.ok) throw new Error(read.why);
  return read.classes;
}

/**
 * The reason that a heal may not replace the classes `before` by these. A check is final when it has ended: only people may write
 * a class that gives it a retry (law 9).
 */
export function loosensChecks(before: readonly TransientSpec[], after: readonly TransientSpec[]): string | undefined {
  const known = new Set(before.filter(isOfChecks).map(identity));
  const added = after.filter(isOfChecks).find((each) => !known.has(identity(each)));
  return added === undefined ? undefined : `gives checks a retry: "${plainText(added.name, 80)}"`;
}

function isOfChecks({ steps }: TransientSpec): boolean {
  return steps.includes("check");
}

function identity({ name, pattern }: TransientSpec): string {
  return JSON.stringify([name, pattern]);
}

/** True if every character is visible, apart from line breaks and tabs. */
function isPlain(text: string): boolean {
  return text.split("\n").every((line) => plainText(line) === line.replaceAll("\t", " "));
}

const EVIDENCE = { step: "check", name: "y".repeat(40), summary: LONG, detail: LONG } as const;

const TICKET: Ticket = {
  id: TicketId.parse("y".repeat(64)),
  title: "y".repeat(500),
  body: LONG,
  repo: RepoId.parse("y"),
  dependsOn: [],
  exclusive: [],
  finish: [{ step: "check", name: "y", command: [LONG] }],
};

/** The longest possible content of a prompt. */
const LONGEST: Parameters<typeof renderWorkerPrompt>[1] = {
  ticket: TICKET,
  attempt: 20,
  attempts: 20,
  protect: [LONG],
  evidence: [EVIDENCE, EVIDENCE, EVIDENCE, EVIDENCE],
  patch: "y".repeat(1_000),
  notes: LONG,
  hints: LONG,
  tools: { folder: "y".repeat(200), tools: Array.from({ length: 8 }, () => ({ name: "y".repeat(64), about: "y".repeat(120) })) },
};
