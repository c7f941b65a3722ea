import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { errorCode, errorMessage, plainText } from "@loopdash/values";
import { canNudge, type HookVerdict, hookAnswer } from "../../hooks/hook-answer.ts";
import { AUDIT_EVENTS, isHookEvent } from "../../hooks/hook-event.ts";
import { type HookPayload, type HookProblem, readHookPayload } from "../../hooks/hook-payload.ts";
import { judgeHook } from "../../hooks/judge-hook.ts";
import type { GuardFile } from "../../settings-text.ts";
import { type Caller, LatePayload } from "../caller.ts";
import { JUDGE_MS, worktreeOf } from "../check-command.ts";
import type { GuardHost, StopHost } from "../guard-host.ts";
import { timeLimit } from "../time-limit.ts";
import { appendAudit } from "./audit.ts";
import { settingsOf } from "./guard-settings.ts";
import { type HookRequest, readHookArgs } from "./hook-args.ts";
import { hookContexts, realPath } from "./hook-contexts.ts";
import { appendLine, appendReport, reportLines } from "./hook-report.ts";
import { ownReminder } from "./own-reminder.ts";
import { stopReminder } from "./stop-guard.ts";
import { lateLine, type StopLook } from "./stop-look.ts";

const ASK_A_PERSON = "Ask a person to look at it: loopdash guard status";

type Problem = Extract<HookVerdict, { verdict: "problem" }>;

/**
 * Answers a vendor's program by its own rules (hook-answer.ts). Whatever goes wrong before a tool blocks it: exit code 2. Loads
 * nothing but the guard, because it runs before every tool of an agent.
 */
export async function hook(args: readonly string[], caller: Caller, host: GuardHost): Promise<number> {
  const request = readHookArgs(args);
  if (typeof request === "string") {
    // After a tool, or at a stop, 2 would keep the agent from going on.
    const isOther = isHookEvent(args[0]) && args[0] !== "before-tool";
    const so = isOther ? "" : ", so this is blocked";
    caller.print(2, `loopdash: the hook's command is wrong${so}\n  why: ${request}\n  do:  ${ASK_A_PERSON}\n`);
    return isOther ? 1 : 2;
  }
  return answerHook(withPaths(request, caller.cwd), caller, host);
}

/** The same request with absolute paths. */
function withPaths({ event, vendor, ...files }: HookRequest, cwd: string): HookRequest {
  const absolute = Object.entries(files).map(([name, file]) => [name, file === undefined ? undefined : resolve(cwd, file)]);
  return { event, vendor, ...Object.fromEntries(absolute) };
}

/** Reads the payload, judges it and answers. Returns the exit code. */
async function answerHook(request: HookRequest, caller: Caller, host: GuardHost): Promise<number> {
  const { payload, verdict, told, late, isLate } = await judged(request, caller, host);
  const { event, vendor, report, nudge } = request;
  const isReported = report !== undefined && !AUDIT_EVENTS.includes(event);
  const unwritten = isReported ? appendReport(report, { event, payload, verdict, told, late }, new Date()) : undefined;
  const nudges = nudge !== undefined && canNudge(vendor, event, verdict) ? takeNudges(nudge, report) : [];
  // A reminder that is not counted would be repeated for ever.
  const answered = unwritten !== undefined && verdict.verdict === "go-on" ? cannot(`its report: ${unwritten}`) : verdict;
  const { stdout, stderr, exitCode } = hookAnswer(vendor, event, answered, nudges);
  caller.print(1, stdout);
  caller.print(2, stderr);
  if (late !== undefined) caller.print(2, lateLine(late));
  if (unwritten !== undefined) caller.print(2, `loopdash: the guard could not write its report (${unwritten})\n`);
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

async function judged(request: HookRequest, caller: Caller, host: GuardHost): Promise<HookOutcome> {
  let payload: HookPayload | HookProblem | undefined;
  try {
    const text = await caller.input();
    const settings = settingsOf(request.settings);
    const audit = AUDIT_EVENTS.includes(request.event) ? request.audit : undefined;
    payload = readHookPayload(request.vendor, text, request.event === "before-tool" || audit !== undefined);
    const known = "problem" in payload ? undefined : payload;
    const [problem] = [settings, payload].flatMap((each) => ("problem" in each ? each.problem : []));
    if (problem !== undefined) return { payload: known, verdict: cannot(problem) };
    const unkept = known && audit !== undefined ? appendAudit(audit, known, new Date()) : undefined;
    if (unkept !== undefined) return { payload: known, verdict: cannot(`the audit ${audit} cannot be written (${unkept})`) };
    const look =
      known === undefined
        ? {}
        : await lookAtStop(request, { payload: known, settings: settings as GuardFile, host: () => host(caller) });
    const { told } = look;
    if (told !== undefined) return { ...look, payload: known, verdict: { verdict: "go-on", reason: told.reason } };
    return { ...look, payload: known, verdict: verdictOn(request, known, { settings: settings as GuardFile, caller }) };
  } catch (error) {
    return { verdict: cannot(errorMessage(error)), isLate: error instanceof LatePayload };
  }
}

/** What an agent that stops is told; nothing at other events, and if nothing is unmet. */
async function lookAtStop(
  { event, stop, report }: HookRequest,
  { payload, settings, host }: { readonly payload: HookPayload; readonly settings: GuardFile; readonly host: () => StopHost },
): Promise<StopLook> {
  if (event !== "stop") return {};
  if (stop !== undefined) return stopReminder({ file: stop, report, worktree: worktreeOf(payload.cwd) });
  // The agents of a run have a report.
  return report === undefined ? ownReminder(settings, payload, host()) : {};
}

function verdictOn(
  { event, settings: file, audit }: HookRequest,
  payload: HookPayload | undefined,
  { settings, caller }: { readonly settings: GuardFile; readonly caller: Caller },
): HookVerdict {
  if (event !== "before-tool") return { verdict: "allow" };
  if (payload === undefined) return cannot("there is nothing to judge");
  // An agent that writes the settings switches the guard off.
  const kept = [file, audit].flatMap((each) => (each === undefined ? [] : [each, realPath(each)]));
  const contexts = hookContexts(settings, caller.cwd, caller.env);
  const limited = timeLimit(JUDGE_MS);
  const verdicts = contexts.map((context) => judgeHook(payload, { ...context, kept, limited }, realPath));
  const [first = cannot("this user has no home folder")] = verdicts;
  return verdicts.find(({ verdict }) => verdict === "block") ?? first;
}

function cannot(problem: string): Problem {
  return { verdict: "problem", problem, todo: ASK_A_PERSON };
}

/** Lines that are handed on in one attempt, and characters of each. The engine writes fewer and shorter ones. */
const MOST = 20;
const CHARS = 400;

/**
 * The lines for the agent that nobody has handed on yet. A hook takes a line by a claim in the report, because it cannot write beside the
 * lines; of hooks that run at the same time, the one whose claim comes first hands it on. Without a report that can be written and read, none is.
 */
export function takeNudges(file: string, report: string | undefined): readonly string[] {
  const lines = linesOf(file);
  if (lines.length === 0 || report === undefined) return [];
  const by = randomUUID();
  try {
    const taken = claimsIn(report);
    const wanted = lines.flatMap((_, n) => (taken.has(n) ? [] : [n]));
    if (wanted.some((n) => appendLine(report, { event: "nudge", n, by }) !== undefined)) return [];
    const claims = wanted.length === 0 ? taken : claimsIn(report);
    return lines.filter((_, n) => claims.get(n) === by);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

function linesOf(file: string): readonly string[] {
  try {
    const lines = readFileSync(file, "utf8").split("\n").slice(0, MOST);
    return lines.filter((line) => line !== "").map((line) => plainText(line, CHARS));
  } catch (error) {
    // Most attempts never have one.
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

/** The first claimant of each line. An agent could claim one, too: then it is not told. */
function claimsIn(report: string): ReadonlyMap<number, string> {
  const claims = new Map<number, string>();
  for (const line of reportLines(report)) {
    const claim = line.startsWith('{"event":"nudge"') ? claimOf(line) : undefined;
    if (claim !== undefined && !claims.has(claim.n)) claims.set(claim.n, claim.by);
  }
  return claims;
}

function claimOf(line: string): { readonly n: number; readonly by: string } | undefined {
  try {
    const { n, by } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    return typeof n === "number" && typeof by === "string" ? { n, by } : undefined;
  } catch {
    // Cut, or written by somebody else.
    return undefined;
  }
}
