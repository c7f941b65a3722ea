import type { AgentStopKind } from "./event.ts";

/** Tokens that an attempt used; those read from and written to a cache are not among `input`. */
export interface AgentTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** All that was used, where `more` is of a further step. */
export function addTokens(before: AgentTokens | undefined, more: AgentTokens): AgentTokens {
  return {
    input: (before?.input ?? 0) + more.input,
    output: (before?.output ?? 0) + more.output,
    cacheRead: (before?.cacheRead ?? 0) + more.cacheRead,
    cacheWrite: (before?.cacheWrite ?? 0) + more.cacheWrite,
  };
}

/** Why an agent's program did not come to its own end. */
export interface AgentStop {
  readonly kind: AgentStopKind;
  /** The program's words, raw; not yet safe for a terminal. */
  readonly says: string;
  /** How long the model's API asked to be left alone, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** How a program ends by its own account. */
export interface AgentEnd {
  readonly finished: boolean;
  /** What it is if it has not finished, or if its exit code is not 0. */
  readonly stop: AgentStop;
  /** Dollars by its own account. */
  readonly costUsd?: number;
  /** Its last message, if the end repeats it. */
  readonly answer?: string;
}

/**
 * What an agent's program tells of its work, whichever vendor's it is. Texts are as the program wrote them: not bounded, and not yet
 * safe for a terminal. All of it is a claim.
 */
export type AgentEvent =
  /** What it says; `piece` if the next one goes on in the same message. */
  | { readonly what: "text"; readonly text: string; readonly piece?: true }
  /** What it says from here on is another message: the last one is its answer. */
  | { readonly what: "message" }
  | { readonly what: "thought"; readonly text: string }
  /** A tool, and what it is used on. */
  | { readonly what: "tool"; readonly text: string }
  /** What came of a tool; empty if it printed nothing. */
  | { readonly what: "result"; readonly text: string; readonly failed: boolean }
  | { readonly what: "note"; readonly text: string }
  /** A request of the model's API failed and is repeated after `waitMs`. `stop`: going on is useless. */
  | { readonly what: "retry"; readonly text: string; readonly waitMs?: number; readonly stop?: AgentStop }
  /** Something went wrong. `stop`: going on is useless. */
  | { readonly what: "error"; readonly text: string; readonly stop?: AgentStop }
  /** Tokens of the whole attempt, or of one step alone if they add up. */
  | { readonly what: "usage"; readonly tokens: AgentTokens; readonly addsUp: boolean }
  /** How it would end now; the latest counts. `failure`: what went wrong, if no event before has told it. */
  | { readonly what: "end"; readonly end: AgentEnd; readonly failure?: string };

/** Reads the lines that one process prints, in order. Gives undefined for a line that is no event of a known program. */
export type EventLineReader = (line: string) => readonly AgentEvent[] | undefined;
