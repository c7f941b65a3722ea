import type { Trial } from "../domain/review/trial.ts";
import type { AgentStop } from "../domain/run/agent-event.ts";
import type { Question } from "../domain/run/attempt-fact.ts";
import type { TicketId } from "../domain/values/ids.ts";
import type { Confinement, ExecEnding } from "./executor.ts";

/** One question to the reviewer. All paths are absolute. */
export interface ReviewerTask {
  readonly question: Question;
  readonly ticket: TicketId;
  /** Marks its processes; see ExecRequest.marker. */
  readonly marker: string;
  /** A pristine checkout of the change in question. The reviewer may read it, and write nothing. */
  readonly checkout: string;
  /** The whole question, with the form of the answer. */
  readonly promptFile: string;
  /** An empty private folder for the program's files; nobody reads it later. */
  readonly session: string;
  readonly logFile: string;
  /** Further variables of its program, for this question alone. A vendor's program gets none. */
  readonly env?: Readonly<Record<string, string>>;
  /** The number of its account in the batch: 0 is the reviewer's own, the others are those of its `fallback`. */
  readonly account?: number;
  readonly confinement?: Confinement;
  /** Runs a command on a copy of the checkout, in a sandbox that shares nothing with the reviewer's. Never throws. */
  readonly tryOut: (argv: readonly [string, ...string[]]) => Promise<Trial>;
  readonly timeoutMs: number;
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  /** A line for people: raw, not yet safe for a terminal. */
  readonly onActivity?: (text: string) => void;
}

/** The reviewer's answer. */
export interface ReviewerAnswer {
  readonly ending: ExecEnding;
  readonly exitCode: number | null;
  readonly signal?: string | null;
  /** The reason why it did not start, if it did not. */
  readonly message?: string;
  /** Its last message, raw and bounded (1 MiB); empty if it gave none. */
  readonly text: string;
  /** True if the message was longer: then it is no answer, whatever its beginning says. */
  readonly isCut?: boolean;
  /** Dollars; null if the program cannot say, which counts as the reserved maximum. */
  readonly costUsd: number | null;
  readonly stop?: AgentStop;
}

/** A different model that reads and rules, and can change nothing. */
export interface Reviewer {
  /** Its name for people and the journal: vendor and model, or the command's name. */
  readonly name: string;
  /** Dollars set aside for one question: its maximum cost. */
  readonly reserveUsd: number;
  ask(task: ReviewerTask): Promise<ReviewerAnswer>;
}
