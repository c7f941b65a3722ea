import type { AgentStop, AgentTokens } from "../domain/run/agent-event.ts";
import type { TicketId } from "../domain/values/ids.ts";
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
  /** An empty private folder for what the program keeps during this attempt: settings, sessions. Nobody reads it later. */
  readonly session: string;
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

/** A repair of the harness, as an agent is given it: `worktree` holds a copy of the harness, and no repository. */
export interface HealTask extends Omit<AgentTask, "ticket" | "attempt" | "outbox"> {
  readonly n: number;
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
  /** Set where the program ended without having finished by its own account, whatever its exit code. */
  readonly stop?: AgentStop;
  readonly tokens?: AgentTokens;
}

export interface Agent {
  /** Dollars set aside for one attempt before it starts: the most it can cost. */
  readonly reserveUsd: number;
  run(task: AgentTask): Promise<AgentResult>;
  /** The same agent, freshly started, on the harness. It costs what an attempt may. */
  heal(task: HealTask): Promise<AgentResult>;
}
