import { read } from "node:fs";
import { resolve } from "node:path";
import { canNudge, type HookVerdict, hookAnswer } from "../../domain/guard/hooks/hook-answer.ts";
import { type HookPayload, type HookProblem, readHookPayload } from "../../domain/guard/hooks/hook-payload.ts";
import { judgeHook } from "../../domain/guard/hooks/judge-hook.ts";
import type { GuardFile } from "../../domain/guard/settings-text.ts";
import { errorCode, errorMessage } from "../../domain/values/error-text.ts";
import { print, worktreeOf } from "../guard/check-command.ts";
import { settingsOf } from "./guard-settings.ts";
import { type HookRequest, readHookArgs } from "./hook-args.ts";
import { hookContexts, realPath } from "./hook-contexts.ts";
import { appendReport } from "./hook-report.ts";
import { takeNudges } from "./nudge.ts";
import { lateLine, type StopLook, stopReminder } from "./stop-guard.ts";

/** Milliseconds until the payload must be there. The programs stop waiting for a hook after a minute, and then let the tool pass. */
const PATIENCE_MS = 10_000;
/** Bytes of a payload; a tool that writes a file has its content in it. */
const LONGEST = 64 * 1024 * 1024;

const ASK_A_PERSON = "Ask a person to look at it: loopdash guard status";

type Problem = Extract<HookVerdict, { verdict: "problem" }>;

/**
 * Answers a vendor's program by its own rules (hook-answer.ts). Whatever goes wrong before a tool blocks it: exit code 2. Loads
 * nothing but the guard, because it runs before every tool of an agent.
 */
export async function hook(args: readonly string[]): Promise<number> {
  const request = readHookArgs(args);
  if (typeof request === "string") {
    print(2, `loopdash: the hook's command is wrong, so this is blocked\n  why: ${request}\n  do:  ${ASK_A_PERSON}\n`);
    return 2;
  }
  return answerHook(request);
}

/** Reads the payload from stdin, judges it and answers. Returns the exit code. */
export async function answerHook(request: HookRequest): Promise<number> {
  const { payload, verdict, told, late, isLate } = await judged(request);
  const { event, vendor, report, nudge } = request;
  const isReported = report !== undefined && event !== "after-tool";
  const unwritten = isReported ? appendReport(report, { event, payload, verdict, told, late }, new Date()) : undefined;
  const nudges = nudge !== undefined && canNudge(vendor, event, verdict) ? takeNudges(nudge, report) : [];
  // A reminder that is not counted would be repeated for ever.
  const answered = unwritten !== undefined && verdict.verdict === "go-on" ? cannot(`its report: ${unwritten}`) : verdict;
  const { stdout, stderr, exitCode } = hookAnswer(vendor, event, answered, nudges);
  print(1, stdout);
  print(2, stderr);
  if (late !== undefined) print(2, lateLine(late));
  if (unwritten !== undefined) print(2, `loopdash: the guard could not write its report (${unwritten})\n`);
  // Node does not exit while a read waits. The command that the settings have turns this end into a block (hook-settings.ts).
  if (isLate) process.kill(process.pid, "SIGKILL");
  return exitCode;
}

interface HookOutcome extends StopLook {
  readonly payload?: HookPayload | undefined;
  readonly verdict: HookVerdict;
  /** True if the end of the payload did not come in time. */
  readonly isLate?: boolean;
}

class Late extends Error {
  override readonly name = "Late";
}

async function judged(request: HookRequest): Promise<HookOutcome> {
  let payload: HookPayload | HookProblem | undefined;
  try {
    const text = await textOf(0, PATIENCE_MS);
    const settings = settingsOf(request.settings);
    payload = readHookPayload(request.vendor, text, request.event === "before-tool");
    const known = "problem" in payload ? undefined : payload;
    const [problem] = [settings, payload].flatMap((each) => ("problem" in each ? each.problem : []));
    if (problem !== undefined) return { payload: known, verdict: cannot(problem) };
    const look = known === undefined ? {} : await lookAtStop(request, known.cwd);
    const { told } = look;
    if (told !== undefined) return { ...look, payload: known, verdict: { verdict: "go-on", reason: told.reason } };
    return { ...look, payload: known, verdict: verdictOn(request, known, settings as GuardFile) };
  } catch (error) {
    return { verdict: cannot(errorMessage(error)), isLate: error instanceof Late };
  }
}

/** What an agent that stops is told; nothing at other events, and if nothing is unmet. */
async function lookAtStop({ event, stop, report }: HookRequest, cwd: string): Promise<StopLook> {
  if (event !== "stop" || stop === undefined) return {};
  return stopReminder({ file: stop, report, worktree: worktreeOf(cwd) });
}

function verdictOn({ event, settings: file }: HookRequest, payload: HookPayload | undefined, settings: GuardFile): HookVerdict {
  if (event !== "before-tool") return { verdict: "allow" };
  if (payload === undefined) return cannot("there is nothing to judge");
  // An agent that writes the settings switches the guard off.
  const kept = file === undefined ? [] : [resolve(file), realPath(resolve(file))];
  const contexts = hookContexts(settings, process.cwd(), process.env);
  const verdicts = contexts.map((context) => judgeHook(payload, { ...context, kept }, realPath));
  const [first = cannot("this user has no home folder")] = verdicts;
  return verdicts.find(({ verdict }) => verdict === "block") ?? first;
}

function cannot(problem: string): Problem {
  return { verdict: "problem", problem, todo: ASK_A_PERSON };
}

/**
 * All text of an open file. Rejects if its end does not come in time, or if it is too long. Node's stream of stdin would take 10 ms
 * to load.
 */
async function textOf(fd: number, patienceMs: number): Promise<string> {
  const late = Promise.withResolvers<never>();
  const words = `the agent's program did not finish what it sends within ${patienceMs / 1000} s`;
  const timer = setTimeout(() => late.reject(new Late(words)), patienceMs);
  try {
    const chunks: Buffer[] = [];
    for (let length = 0; ; ) {
      const chunk = await Promise.race([nextChunk(fd), late.promise]);
      if (chunk.length === 0) return Buffer.concat(chunks).toString("utf8");
      length += chunk.length;
      if (length > LONGEST) throw new Error(`the agent's program sends more than ${LONGEST} bytes`);
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The next bytes; none at the end. Waits for them also if the descriptor does not block. */
async function nextChunk(fd: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(65_536);
  for (;;) {
    try {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      read(fd, buffer, 0, buffer.length, null, (error, length) => (error === null ? resolve(length) : reject(error)));
      return buffer.subarray(0, await promise);
    } catch (error) {
      if (errorCode(error) === "EOF") return buffer.subarray(0, 0);
      if (errorCode(error) !== "EAGAIN") throw error;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}
