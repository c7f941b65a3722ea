import type { AgentStop, AgentTask, AgentTokens } from "../../ports/agent.ts";
import type { ModelAccess } from "../../ports/executor.ts";
import type { ModelApi } from "../../ports/gateway.ts";

/** What the batch says of an agent that is a vendor's program. */
export interface ProgramOptions {
  /** The program's absolute path. */
  readonly program: string;
  /** The model's name as the program takes it; the program's own choice where it is left out. */
  readonly model?: string;
  /** The model's API, where the batch names one. */
  readonly baseUrl?: string;
  /** Whose account the engine's key belongs to: the program speaks to its model in another way for each. */
  readonly billing?: "api" | "subscription";
  readonly effort?: "low" | "medium" | "high";
  /** Turns of the model in one attempt at most, where the program can bound them. */
  readonly turns?: number;
  /** Tries of a failed request of the model's API after the first; the program's own default takes minutes. */
  readonly retries?: number;
  /** Dollars that one attempt may cost, for programs that can stop by themselves. The gateway cuts the line in any case. */
  readonly usdPerAttempt: number;
}

/** How a program is started for one attempt. */
export interface ProgramLaunch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly baseUrls: ModelAccess["baseUrls"];
}

/**
 * A command line that gives a program its prompt on stdin. The script is constant, and what it reads is in the environment:
 * nothing of a ticket is ever part of it.
 */
export function promptOnStdin(argv: readonly string[]): readonly string[] {
  return ["/bin/sh", "-c", 'exec "$@" < "$LOOPDASH_PROMPT"', "sh", ...argv];
}

/** How a program ended by its own account. */
export interface ProgramEnd {
  /** Absent where it says that it finished. */
  readonly stop?: AgentStop;
  /** Dollars by its own account; null where it gives none. */
  readonly costUsd: number | null;
  readonly tokens?: AgentTokens;
}

/** Reads what one process of a program prints. */
export interface ProgramReader {
  /**
   * One line of stdout; gives the lines for people that are in it, raw. A line that cannot be read is worth nothing and breaks
   * nothing.
   */
  line(text: string): readonly string[];
  /** Set as soon as it is known that going on is useless: the process is ended then. */
  fatal(): AgentStop | undefined;
  /** What is known at the end of the process. */
  end(exitCode: number | null): ProgramEnd;
  /** Its last message, whole and raw; empty where it gave none. It counts only where `end` tells of no stop. */
  answer(): string;
}

/** A vendor's coding agent: how it is started and what it prints. */
export interface AgentProgram {
  readonly kind: "claude" | "codex" | "gemini" | "opencode";
  /** The API that it speaks with its model. */
  readonly api: ModelApi;
  /** Writes its settings into the session folder of the task, which is empty, and says how it is started. */
  prepare(task: Pick<AgentTask, "session" | "worktree">, options: ProgramOptions): Promise<ProgramLaunch>;
  reader(): ProgramReader;
  /** Set for a program that would try a failed request for ever: after this many in a row the attempt is ended. */
  failures?(options: ProgramOptions): number;
}
