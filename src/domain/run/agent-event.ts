import type { ToolAction } from "../behaviour/tool-action.ts";
import type { AgentStopKind } from "./attempt-fact.ts";

/** Tokens that an attempt used; those read from and written to a cache are not among `input`. */
export interface AgentTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** The total usage; `more` is that of a further step. */
export function addTokens(before: AgentTokens | undefined, more: AgentTokens): AgentTokens {
  return {
    input: (before?.input ?? 0) + more.input,
    output: (before?.output ?? 0) + more.output,
    cacheRead: (before?.cacheRead ?? 0) + more.cacheRead,
    cacheWrite: (before?.cacheWrite ?? 0) + more.cacheWrite,
  };
}

/** The reason why an agent's program did not finish by itself. */
export interface AgentStop {
  readonly kind: AgentStopKind;
  /** The program's words, raw; not yet safe for a terminal. */
  readonly says: string;
  /** The wait that the model's API asked for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** True if the model's API has answered this program before. */
  readonly answered?: true;
}

/** A program's own account of its end. */
export interface AgentEnd {
  readonly finished: boolean;
  /** The stop that applies if it has not finished, or if its exit code is not 0. */
  readonly stop: AgentStop;
  /** Its own account of the cost, in dollars. */
  readonly costUsd?: number;
  /** Its last message, if the end repeats it. */
  readonly answer?: string;
}

/**
 * An event of an agent's program, of any vendor. Texts are as the program wrote them: not bounded, and not yet safe for a
 * terminal. All of it is a claim.
 */
export type AgentEvent =
  /** A message text; `piece` if the next one continues the same message. */
  | { readonly what: "text"; readonly text: string; readonly piece?: true }
  /** Later text belongs to another message: the last one is the answer. */
  | { readonly what: "message" }
  | { readonly what: "thought"; readonly text: string }
  /** A tool and its target. `action` is set for a tool whose use of the worktree is known; `call` names this use of it. */
  | { readonly what: "tool"; readonly text: string; readonly action?: ToolAction; readonly call?: string }
  /**
   * The result of a tool; empty if it printed nothing. `exit`: the exit code of a command, if the program tells it. `isExitUntold`: the
   * program does not tell if a command failed.
   */
  | {
      readonly what: "result";
      readonly text: string;
      readonly failed: boolean;
      readonly call?: string;
      readonly exit?: number;
      readonly isExitUntold?: true;
    }
  /** The program reports it if it shortens its context. */
  | { readonly what: "compactions-told" }
  /** The program has shortened its context: what it was told at first may be a summary by now. */
  | { readonly what: "compacted" }
  | { readonly what: "note"; readonly text: string }
  /** A request of the model's API failed and is repeated after `waitMs`. `stop`: going on is useless. */
  | { readonly what: "retry"; readonly text: string; readonly waitMs?: number; readonly stop?: AgentStop }
  /** An error. `stop`: going on is useless. */
  | { readonly what: "error"; readonly text: string; readonly stop?: AgentStop }
  /** Tokens of the whole attempt, or of one step alone if they add up. */
  | { readonly what: "usage"; readonly tokens: AgentTokens; readonly addsUp: boolean }
  /** The end as of now; the latest counts. `failure`: the problem, if no earlier event has reported it. */
  | { readonly what: "end"; readonly end: AgentEnd; readonly failure?: string };

/** Reads the lines that one process prints, in order. Gives undefined for a line that is no event of a known program. */
export type EventLineReader = (line: string) => readonly AgentEvent[] | undefined;
