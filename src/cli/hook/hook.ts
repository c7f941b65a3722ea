import { resolve } from "node:path";
import { timeLimit } from "../../adapters/time-limit.ts";
import { canNudge, type HookVerdict, hookAnswer } from "../../domain/guard/hooks/hook-answer.ts";
import { AUDIT_EVENTS, isHookEvent } from "../../domain/guard/hooks/hook-event.ts";
import { type HookPayload, type HookProblem, readHookPayload } from "../../domain/guard/hooks/hook-payload.ts";
import { judgeHook } from "../../domain/guard/hooks/judge-hook.ts";
import type { GuardFile } from "../../domain/guard/settings-text.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import { type Caller, LatePayload } from "../guard/caller.ts";
import { JUDGE_MS, worktreeOf } from "../guard/check-command.ts";
import { appendAudit } from "./audit.ts";
import { settingsOf } from "./guard-settings.ts";
import { type HookRequest, readHookArgs } from "./hook-args.ts";
import { hookContexts, realPath } from "./hook-contexts.ts";
import { appendReport } from "./hook-report.ts";
import { takeNudges } from "./nudge.ts";
import { ownReminder } from "./own-stop.ts";
import { stopReminder } from "./stop-guard.ts";
import { lateLine, type StopLook } from "./stop-look.ts";

const ASK_A_PERSON = "Ask a person to look at it: loopdash guard status";

type Problem = Extract<HookVerdict, { verdict: "problem" }>;

/**
 * Answers a vendor's program by its own rules (hook-answer.ts). Whatever goes wrong before a tool blocks it: exit code 2. Loads
 * nothing but the guard, because it runs before every tool of an agent.
 */
export async function hook(args: readonly string[], caller: Caller): Promise<number> {
  const request = readHookArgs(args);
  if (typeof request === "string") {
    // After a tool, or at a stop, 2 would keep the agent from going on.
    const isOther = isHookEvent(args[0]) && args[0] !== "before-tool";
    const so = isOther ? "" : ", so this is blocked";
    caller.print(2, `loopdash: the hook's command is wrong${so}\n  why: ${request}\n  do:  ${ASK_A_PERSON}\n`);
    return isOther ? 1 : 2;
  }
  return answerHook(withPaths(request, caller.cwd), caller);
}

/** The same request with absolute paths. */
function withPaths({ event, vendor, ...files }: HookRequest, cwd: string): HookRequest {
  const absolute = Object.entries(files).map(([name, file]) => [name, file === undefined ? undefined : resolve(cwd, file)]);
  return { event, vendor, ...Object.fromEntries(absolute) };
}

/** Reads the payload, judges it and answers. Returns the exit code. */
async function answerHook(request: HookRequest, caller: Caller): Promise<number> {
  const { payload, verdict, told, late, isLate } = await judged(request, caller);
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

async function judged(request: HookRequest, caller: Caller): Promise<HookOutcome> {
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
      known === undefined ? {} : await lookAtStop(request, { payload: known, settings: settings as GuardFile, caller });
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
  { payload, settings, caller }: { readonly payload: HookPayload; readonly settings: GuardFile; readonly caller: Caller },
): Promise<StopLook> {
  if (event !== "stop") return {};
  if (stop !== undefined) return stopReminder({ file: stop, report, worktree: worktreeOf(payload.cwd) });
  // The agents of a run have a report.
  return report === undefined ? ownReminder(settings, payload, caller) : {};
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
