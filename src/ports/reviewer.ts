import type { AgentStop } from "../domain/run/agent-event.ts";
import type { Question } from "../domain/run/event.ts";
import type { TicketId } from "../domain/values/ids.ts";
import type { ExecEnding } from "./executor.ts";
import type { Confinement } from "./sandbox.ts";

/** One question to a second model. All paths are absolute. */
export interface ReviewerTask {
  readonly question: Question;
  readonly ticket: TicketId;
  /** Marks its processes; see ExecRequest.marker. */
  readonly marker: string;
  /** A pristine checkout of what is asked about. It may read it, and write nothing. */
  readonly checkout: string;
  /** The whole question, with how it is to be answered. */
  readonly promptFile: string;
  /** An empty private folder for what the program keeps; nobody reads it later. */
  readonly session: string;
  readonly logFile: string;
  readonly confinement?: Confinement;
  readonly timeoutMs: number;
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  /** A line for people: raw, not yet safe for a terminal. */
  readonly onActivity?: (text: string) => void;
}

/** What came back. */
export interface ReviewerAnswer {
  readonly ending: ExecEnding;
  readonly exitCode: number | null;
  readonly signal?: string | null;
  /** Why it did not start, where it did not. */
  readonly message?: string;
  /** Its last message, raw and bounded (1 MiB); empty where it gave none. */
  readonly text: string;
  /** Dollars; null where the program cannot say, which counts as what was set aside. */
  readonly costUsd: number | null;
  readonly stop?: AgentStop;
}

/** A second, different model: it reads and rules, and can change nothing. */
export interface Reviewer {
  /** For people and the journal: vendor and model, or the command's name. */
  readonly name: string;
  /** Dollars set aside for one question: the most it can cost. */
  readonly reserveUsd: number;
  ask(task: ReviewerTask): Promise<ReviewerAnswer>;
}
