import type { TicketId } from "../domain/ids.ts";
import type { ExecEnding, ProcessId } from "./executor.ts";
import type { Confinement } from "./sandbox.ts";

/** One try, as an agent is given it. All paths are absolute. */
export interface AgentTask {
  readonly ticket: TicketId;
  readonly attempt: number;
  /** Marks the agent's processes; see ExecRequest.marker. */
  readonly marker: string;
  readonly worktree: string;
  readonly promptFile: string;
  readonly outbox: string;
  readonly logFile: string;
  /** What the agent may reach, where it is confined. */
  readonly confinement?: Confinement;
  readonly timeoutMs: number;
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  readonly onStart: (process: ProcessId) => void;
  /** A line for people: raw, not yet safe for a terminal. */
  readonly onActivity: (text: string) => void;
}

/** `exited` with code 0 means "I stopped", nothing more. */
export interface AgentResult {
  readonly ending: ExecEnding;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Dollars; null where the program cannot say, which counts as the reserved maximum. */
  readonly costUsd: number | null;
  readonly tail: string;
  readonly message?: string;
}

export interface Agent {
  /** Dollars set aside for one attempt before it starts: the most it can cost. */
  readonly reserveUsd: number;
  run(task: AgentTask): Promise<AgentResult>;
}
