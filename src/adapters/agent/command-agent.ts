import { existsSync } from "node:fs";
import type { AgentEvent } from "../../domain/run/agent-event.ts";
import type { Agent, AgentResult, HealTask } from "../../ports/agent.ts";
import type { Executor } from "../../ports/executor.ts";
import { LINE_MAX_CHARS } from "../executor/lines.ts";
import { ActivityLines, shown } from "./activity-lines.ts";
import { EVENT_CHARS } from "./event-format.ts";
import { type GuardProgram, installCommandGuard, servedProgram } from "./guard-files.ts";
import { createEventLineReader } from "./registry.ts";

/** EX_TEMPFAIL of sysexits(3): the program asks to be started again later. */
const TRY_LATER = 75;
const LATER = { kind: "rate-limited", says: `its program ended with exit code ${TRY_LATER}: try later` } as const;

/** The batch's settings of an agent of kind `command`, and its services. */
export interface CommandAgentOptions {
  /** Program and arguments; no shell. */
  readonly argv: readonly string[];
  /** Files among its arguments that were there at the start, such as its script. It is not started without them. */
  readonly files?: readonly string[];
  /** The cost of one attempt, in dollars; default: free. */
  readonly usdPerAttempt?: number;
  readonly executor: Executor;
  /** The allow-listed environment (see `allowedEnvironment`). */
  readonly env: Readonly<Record<string, string>>;
  /** The program of the guard; absent if no task of this agent has one. */
  readonly guard?: GuardProgram;
}

/**
 * An agent that is any program: LOOPDASH_ variables describe its ticket, and it leaves its change in the worktree. Each line of
 * its stdout is activity; an event of a known vendor's program is shown as that program's are. stderr only goes to the log and ends a
 * silence. Its price is due as soon as it ran, however it ended. In a heal the variables describe the heal instead of a ticket.
 */
export function createCommandAgent(options: CommandAgentOptions): Agent {
  return {
    reserveUsd: options.usdPerAttempt ?? 0,
    run: (task) =>
      start(options, task, {
        LOOPDASH_TICKET: task.ticket,
        LOOPDASH_ATTEMPT: String(task.attempt),
        LOOPDASH_OUTBOX: task.outbox,
        ...(task.resumes === undefined ? {} : { LOOPDASH_SESSION: task.resumes }),
      }),
    heal: (task) => start(options, task, { LOOPDASH_HEAL: String(task.n) }),
  };
}

const UNSTARTED = { ending: "failed-to-start", exitCode: null, signal: null, costUsd: 0, tail: "" } as const;

/** Starts the program; `told` are the variables of its task beside LOOPDASH_PROMPT. */
async function start(
  options: CommandAgentOptions,
  task: Omit<HealTask, "n"> & { readonly outbox?: string },
  told: Readonly<Record<string, string>>,
): Promise<AgentResult> {
  const gone = options.files?.find((file) => !existsSync(file));
  if (gone !== undefined) return { ...UNSTARTED, message: `${gone}, which its command names, is gone` };
  let launched = false;
  const { onEvent } = task;
  const read = createEventLineReader();
  const lines = new ActivityLines();
  const served = options.guard && servedProgram(options.guard, task.confinement);
  const guard = task.guard && served && (await installCommandGuard(served.program, { ...task.guard, outbox: task.outbox }));
  const confinement = task.confinement && { ...task.confinement, read: [...task.confinement.read, ...(guard?.read ?? [])] };
  const result = await options.executor.run({
    argv: options.argv,
    cwd: task.worktree,
    env: {
      ...options.env,
      ...(task.path === undefined ? {} : { PATH: task.path }),
      ...told,
      ...guard?.env,
      LOOPDASH_PROMPT: task.promptFile,
    },
    logFile: task.logFile,
    timeoutMs: task.timeoutMs,
    silenceMs: task.silenceMs,
    signal: task.signal,
    marker: task.marker,
    confinement,
    ...(guard === undefined || served?.guardSocket === undefined ? {} : { guardSocket: served.guardSocket }),
    onBlocked: task.onBlocked,
    onStart: (process) => {
      launched = true;
      task.onStart(process);
    },
    lineChars: EVENT_CHARS,
    onLine: (line, stream) => {
      if (stream !== "stdout") return;
      const events = read(line);
      // Only an event may be long: the rest is for people.
      if (events === undefined) task.onActivity(line.slice(0, LINE_MAX_CHARS));
      for (const event of events ?? []) {
        for (const text of eventLines(event, lines)) task.onActivity(text);
        onEvent?.(event);
      }
    },
  });
  return {
    ending: result.ending,
    exitCode: result.exitCode,
    signal: result.signal,
    costUsd: launched ? (options.usdPerAttempt ?? 0) : 0,
    tail: result.tail,
    stop: result.ending === "exited" && result.exitCode === TRY_LATER ? LATER : undefined,
    message: result.message,
  };
}

/** The lines of an event, and the failure that its end reports: an agent of this kind has no stop that would tell it. */
function eventLines(event: AgentEvent, lines: ActivityLines): readonly string[] {
  const failure = event.what === "end" ? event.failure : undefined;
  return [...lines.event(event), ...(failure === undefined ? [] : [shown(failure)])];
}
