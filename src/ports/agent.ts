import type { GuardSettings, StopTask } from "@loopdash/guard";
import type { BlockedConnection } from "@loopdash/model-gateway";
import type { AgentEvent, AgentStop, AgentTokens } from "../domain/run/agent-event.ts";
import type { TicketId } from "../domain/values/ids.ts";
import type { Confinement, ExecEnding, ProcessId } from "./executor.ts";

/** The guard of an agent's commands in one attempt, as its adapter installs it. All paths are absolute. */
export interface GuardTask {
  /** A folder in `session` for the guard's files. The agent cannot write it if it is confined. */
  readonly folder: string;
  /** The file to which the guard appends what it judged. The agent can write it: all in it is a claim. */
  readonly report: string;
  readonly settings: GuardSettings;
  /** The reminder at a stop; absent: none. */
  readonly stop?: StopTask;
  /** The file in `folder` whose lines are handed on to the agent, each once; it may come later. Absent: none ever comes. */
  readonly nudge?: string;
  /** Called, before the program starts, if a try of the installed guard shows that it does not block. One line for people. */
  readonly onDead: (why: string) => void;
}

/** One attempt, as given to an agent. All paths are absolute. */
export interface AgentTask {
  readonly ticket: TicketId;
  readonly attempt: number;
  /** Marks the agent's processes; see ExecRequest.marker. */
  readonly marker: string;
  readonly worktree: string;
  readonly promptFile: string;
  readonly outbox: string;
  /** An empty private folder for the program's settings and sessions during this attempt. Nobody reads it later. */
  readonly session: string;
  readonly logFile: string;
  /** The session that an interrupted run of the same ticket's `command` agent has named; absent: begin anew. */
  readonly resumes?: string;
  /** The number of its account in the batch: 0 is the agent's own, the others are those of its `fallback`. */
  readonly account?: number;
  /** The PATH by which it finds the repository's toolchains; default: that of every agent. */
  readonly path?: string;
  /** The agent's confinement, if it is confined. */
  readonly confinement?: Confinement;
  /** The guard of its commands; absent: none. */
  readonly guard?: GuardTask;
  readonly timeoutMs: number;
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  readonly onStart: (process: ProcessId) => void;
  /** A line for people: raw, not yet safe for a terminal. */
  readonly onActivity: (text: string) => void;
  /** Called after each answer of its model with the dollars that all so far cost, if a gateway counts them. */
  readonly onSpend?: (usd: number) => void;
  /** Called for each event of a program that prints those of a known vendor, in order. */
  readonly onEvent?: (event: AgentEvent) => void;
  /** Called for the first blocked connection to each host and port. */
  readonly onBlocked?: (blocked: BlockedConnection) => void;
}

/** A repair of the harness, as given to an agent. `worktree` contains a copy of the harness, and no repository. */
export interface HealTask extends Omit<AgentTask, "ticket" | "attempt" | "outbox"> {
  readonly n: number;
}

/** `exited` with code 0 means "I stopped", nothing more. */
export interface AgentResult {
  readonly ending: ExecEnding;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Dollars; null if the program cannot say, which counts as the reserved maximum. */
  readonly costUsd: number | null;
  readonly tail: string;
  readonly message?: string;
  /** Set if the program ended before it had finished by its own account, whatever its exit code. */
  readonly stop?: AgentStop;
  readonly tokens?: AgentTokens;
}

export interface Agent {
  /** Dollars set aside for one attempt before it starts: its maximum cost. */
  readonly reserveUsd: number;
  run(task: AgentTask): Promise<AgentResult>;
  /** The same agent, freshly started, on the harness. It may cost as much as an attempt. */
  heal(task: HealTask): Promise<AgentResult>;
}
