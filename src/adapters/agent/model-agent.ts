import { mkdir } from "node:fs/promises";
import type { ModelUpstream } from "@loopdash/model-gateway";
import type { AgentStop } from "../../domain/run/agent-event.ts";
import { stopReach } from "../../domain/schedule/breaker.ts";
import { plainText } from "../../domain/values/text.ts";
import type { Agent, AgentResult, AgentTask } from "../../ports/agent.ts";
import type { Confinement, ExecRequest, ExecResult, Executor, ModelSpend } from "../../ports/executor.ts";
import { removeFolder } from "../remove-folder.ts";
import type { AgentProgram, ProgramLaunch, ProgramOptions } from "./agent-program.ts";
import { EVENT_CHARS } from "./event-format.ts";
import { type GuardProgram, type InstalledGuard, installGuard, servedProgram, tryGuard } from "./guard-files.ts";
import type { Login } from "./logins/login.ts";
import { ModelWatch, type WatchBounds } from "./model-watch.ts";
import { type ProgramEnd, ProgramReader } from "./program-reader.ts";

/** The settings and services of an agent that is a vendor's program. */
export interface ModelAgentOptions extends ProgramOptions {
  readonly kind: AgentProgram;
  readonly executor: Executor;
  /** The allow-listed environment (see `allowedEnvironment`). */
  readonly env: Readonly<Record<string, string>>;
  /** The model's API for the gateway; its cap is that of one attempt. */
  readonly upstream: Omit<ModelUpstream, "capUsd" | "onUsage" | "onAnswer" | "onUnreachable" | "onCut" | "api">;
  /** Set if the account is used by the program's login on this machine. */
  readonly login?: Pick<Login, "command">;
  /** The program of the guard; absent if no task of this agent has one. */
  readonly guard?: GuardProgram;
}

/**
 * An agent that is a vendor's program (Claude Code, Codex, …). It reaches its model through a gateway that holds the key, counts
 * the money and cuts the line at the attempt's cap. Its cost is the greater of the gateway's and the program's figures, or the
 * whole reserve if neither has one. Each task names its account.
 */
export function createModelAgent(accounts: Accounts): Agent {
  return {
    reserveUsd: accounts[0].usdPerAttempt,
    async run(task) {
      const { ticket, attempt, outbox, session } = task;
      // Prepare commands can write there, and after a step back they run an earlier attempt's code: no link of theirs is followed.
      await removeFolder(session);
      const env = { LOOPDASH_TICKET: ticket, LOOPDASH_ATTEMPT: String(attempt), LOOPDASH_OUTBOX: outbox };
      return (await runProgram(taskAccount(accounts, task), { ...task, env })).result;
    },
    heal: async (task) =>
      (await runProgram(taskAccount(accounts, task), { ...task, env: { LOOPDASH_HEAL: String(task.n) } })).result,
  };
}

/** The settings of an agent or reviewer by account: its own, and those of its `fallback`. All may cost the same. */
export type Accounts = readonly [ModelAgentOptions, ...ModelAgentOptions[]];

/** The settings for the account of a task. */
export function taskAccount(accounts: Accounts, { account = 0 }: Pick<AgentTask, "account">): ModelAgentOptions {
  return accounts[account] ?? accounts[0];
}

/** The PATH of a task, if it has one of its own. */
function taskPath({ path }: Pick<AgentTask, "path">): Readonly<Record<string, string>> {
  return path === undefined ? {} : { PATH: path };
}

/** One run of a vendor's program; `worktree` is its working directory. */
export interface ProgramTask extends Omit<AgentTask, "ticket" | "attempt" | "outbox"> {
  /** The variables of its task, beside LOOPDASH_PROMPT. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a vendor's program on its prompt, with its model behind the gateway. `answer` is its last message, raw. */
export async function runProgram(
  options: ModelAgentOptions,
  task: ProgramTask,
): Promise<{ readonly result: AgentResult; readonly answer: string }> {
  await mkdir(task.session, { recursive: true, mode: 0o700 });
  const { guard, confinement, guardSocket } = await guardedBy(options, task);
  const { session, worktree } = task;
  const launch = await options.kind.prepare({ session, worktree, guard }, options);
  if (guard !== undefined) await tryGuard(guard, { ...options, task, confinement });
  const reader = new ProgramReader(options.kind.events.parser(), options.kind.exitStops, task.onEvent);
  const useless = new AbortController();
  const bounds = watchBounds(options);
  const watch = new ModelWatch(bounds, () => useless.abort());
  let launched = false;
  const { signal, onStart, onActivity, onSpend, promptFile } = task;
  const result = await options.executor.run({
    argv: launch.argv,
    cwd: task.worktree,
    env: { ...options.env, ...taskPath(task), ...launch.env, ...task.env, LOOPDASH_PROMPT: promptFile },
    logFile: task.logFile,
    timeoutMs: task.timeoutMs,
    silenceMs: task.silenceMs,
    signal: AbortSignal.any([signal, useless.signal]),
    marker: task.marker,
    lineChars: EVENT_CHARS,
    model: {
      upstream: watchedUpstream(options, watch, {
        onCut: bounds.failures === undefined ? undefined : () => useless.abort(),
        onSpend,
      }),
      baseUrls: launch.baseUrls,
    },
    ...(guardSocket === undefined ? {} : { guardSocket }),
    ...confinedBy({ ...task, confinement: withReadOnly(confinement, launch) }),
    onStart: (process) => {
      launched = true;
      onStart(process);
    },
    onLine: (line, stream) => {
      if (stream !== "stdout") return;
      for (const text of reader.line(line)) onActivity(text);
      if (reader.fatal !== undefined) useless.abort();
    },
  });
  const end = reader.end(result.exitCode);
  const stop = withWatched(chooseStop(watch.stop ?? witnessed(reader.fatal ?? end.stop, watch), watch.last, result), watch);
  const ended = useless.signal.aborted && !signal.aborted;
  const apart = disagreement(end, result.model);
  if (apart !== undefined) onActivity(apart);
  const told: AgentResult = {
    ending: ended ? "exited" : result.ending,
    exitCode: result.exitCode,
    signal: result.signal,
    costUsd: launched ? attemptCostUsd(end, result.model) : 0,
    tail: result.tail,
    message: result.message,
    stop,
    tokens: end.tokens,
  };
  return { result: told, answer: stop === undefined ? reader.answer : "" };
}

/** The installed guard of a task, and the confinement in which the agent cannot change it. */
async function guardedBy(
  { kind, guard: program }: ModelAgentOptions,
  { guard, confinement, env }: ProgramTask,
): Promise<{ readonly guard?: InstalledGuard; readonly confinement: Confinement | undefined; readonly guardSocket?: string }> {
  if (guard === undefined || program === undefined) return { confinement };
  const { program: served, ...socket } = servedProgram(program, confinement);
  const installed = await installGuard(kind.kind, served, { ...guard, outbox: env["LOOPDASH_OUTBOX"] });
  if (confinement === undefined) return { guard: installed, confinement };
  return { guard: installed, confinement: { ...confinement, read: [...confinement.read, ...installed.read] }, ...socket };
}

function withReadOnly(confinement: Confinement | undefined, { readOnly = [] }: ProgramLaunch): Confinement | undefined {
  return confinement && { ...confinement, read: [...confinement.read, ...readOnly] };
}

function confinedBy({
  confinement,
  onBlocked,
}: Pick<AgentTask, "onBlocked"> & { readonly confinement: Confinement | undefined }): Partial<ExecRequest> {
  return { confinement, onBlocked };
}

function watchBounds(options: ModelAgentOptions): WatchBounds {
  const failures = options.kind.failures?.(options);
  const token = options.billing === "subscription" ? "token" : "key";
  const by = options.login === undefined ? token : "login";
  return { by, turns: options.turns, failures };
}

/**
 * The model's API, whose answers the watch sees. `onCut` is for a program that would continue after its line is cut. `onSpend` is
 * given the dollars of all answers so far.
 */
function watchedUpstream(
  { upstream, kind, login, usdPerAttempt }: ModelAgentOptions,
  watch: ModelWatch,
  { onSpend, ...whenCut }: Pick<ModelUpstream, "onCut"> & Pick<AgentTask, "onSpend">,
): ModelUpstream {
  const { onAnswer, onUnreachable } = watch;
  let spent = 0;
  const onUsage: ModelUpstream["onUsage"] = (usage) => {
    watch.onUsage(usage);
    spent += usage.countedUsd;
    onSpend?.(spent);
  };
  const watched = { onAnswer, onUnreachable, onUsage, ...whenCut };
  const api = login === undefined ? kind.api : (kind.subscription?.api ?? kind.api);
  return { ...upstream, ...watchedKey(upstream, watch), ...watched, api, capUsd: usdPerAttempt };
}

type Key = Pick<ModelUpstream, "credential" | "codeAssist">;

/** The same key, and the account of a login; if one of them cannot be had, the watch is told. */
function watchedKey({ credential, codeAssist }: Key, watch: ModelWatch): Key {
  const watched = async <T>(get: () => T | Promise<T>): Promise<T> => {
    try {
      return await get();
    } catch (error) {
      watch.onKeyMissing(error);
      throw error;
    }
  };
  const account = codeAssist === undefined ? {} : { codeAssist: () => watched(codeAssist) };
  if (credential === undefined) return account;
  const { value, renew } = credential;
  const again = renew === undefined ? {} : { renew: (refused: string) => watched(() => renew(refused)) };
  return { ...account, credential: { ...credential, value: () => watched(value), ...again } };
}

/**
 * A program's own reason. One that makes others wait, or ends the run, counts only if the gateway saw the API fail: what an agent runs can
 * print on its program's stdout.
 */
function witnessed(stop: AgentStop | undefined, { last, isBrokenOff }: ModelWatch): AgentStop | undefined {
  if (stop === undefined || last !== undefined) return stop;
  const reach = stopReach(stop.kind);
  const isClaim = reach === "run" || (reach === "waits" && !isBrokenOff);
  return isClaim ? { kind: "unfinished", says: stop.says } : stop;
}

/** Ends by SIGABRT, as runtimes end without memory, and by SIGKILL, as the kernel ends a process. */
const KILLED: ReadonlySet<number | string | null> = new Set([134, 137, "SIGABRT", "SIGKILL"]);

/** The gateway's reason comes first: a program whose line was cut knows only that it was refused. */
function chooseStop(
  stop: AgentStop | undefined,
  last: AgentStop | undefined,
  { model: spend, tail, ending, exitCode, signal }: Pick<ExecResult, "model" | "tail" | "ending" | "exitCode" | "signal">,
): AgentStop | undefined {
  if (spend?.cut !== undefined) return { kind: "budget", says: spend.cut };
  // The program got the gateway's own 502 or 504, or waited for an answer in vain.
  const isVague = stop?.kind === "unfinished" || stop?.kind === "overloaded";
  const isOver = ending === "exited" || ending === "silent" || ending === "out-of-time";
  if (last?.kind === "unreachable" && isVague && isOver) return last;
  if (stop?.kind !== "unfinished") return stop;
  // It gave up after an error of the API, and does not say which.
  if (last !== undefined && ending === "exited") return { ...last, says: stop.says };
  // The kernel or its runtime ended the program for lack of memory.
  const isKilled = KILLED.has(exitCode) || KILLED.has(signal);
  const noMemory = isKilled && /\b(?:out of memory|ENOMEM|Cannot allocate memory|heap limit|OOM)\b/i.test(tail.slice(-4_000));
  return noMemory ? { kind: "memory", says: plainText(tail.slice(-300), 300) } : stop;
}

/** Adds what the gateway saw: the API's own wait to a stop that is about waiting, and whether it has answered at all. */
function withWatched(stop: AgentStop | undefined, { last, hasAnswered }: ModelWatch): AgentStop | undefined {
  if (stop === undefined) return undefined;
  const isWait = stop.kind === "rate-limited" || stop.kind === "overloaded";
  const waitMs = isWait ? last?.retryAfterMs : undefined;
  return { ...stop, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }), ...(hasAnswered ? { answered: true } : {}) };
}

/** Share and dollars by which two accounts of the same money may differ without a report. */
const APART = { share: 0.2, usd: 0.01 };

/** The message if the gateway and the program disagree on the cost: the price list may be out of date. */
function disagreement(end: ProgramEnd, spend: ModelSpend | undefined): string | undefined {
  if (end.costUsd === null || spend === undefined) return undefined;
  const [less, more] = [Math.min(end.costUsd, spend.usd), Math.max(end.costUsd, spend.usd)];
  if (more - less <= APART.usd || more - less <= APART.share * more) return undefined;
  return `money: the gateway counted $${spend.usd.toFixed(4)}, the program says $${end.costUsd.toFixed(4)}; the more counts`;
}

/** Dollars; null if neither the gateway nor the program knows. */
function attemptCostUsd(end: ProgramEnd, spend: ModelSpend | undefined): number | null {
  if (spend === undefined || spend.requests === 0) return end.costUsd ?? (spend?.requests === 0 ? 0 : null);
  return Math.max(spend.usd, end.costUsd ?? 0);
}
