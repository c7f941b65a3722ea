import type { Question } from "../domain/event.ts";
import type { Repo } from "../ports/vcs.ts";
import type { OpenAttempt } from "./attempt-scope.ts";
import type { LoopContext } from "./context.ts";

/** A question to the second model, and how its answer is read. */
export interface Ask<T> {
  readonly question: Question;
  /** Of the log and the prompt's file. */
  readonly name: string;
  /** The commit whose pristine checkout it may read. */
  readonly commit: string;
  readonly minutes: number;
  /** The prompt; the nonce is made anew for each question, and an answer without it is none. */
  readonly prompt: (nonce: string) => string;
  /** Reads the answer. `says` is one line for people, safe for a terminal. */
  readonly read: (
    text: string,
    nonce: string,
  ) => { readonly ok: true; readonly value: T; readonly says: string } | { readonly ok: false; readonly why: string };
  /** Where a defect was planted in what it reads. */
  readonly canary?: (value: T) => "seen" | "missed";
}

/** A valid answer, or why there is none. */
export type Asked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/**
 * Asks the second model, with its money set aside first and its cost booked afterwards. Anything that is not a whole, well-formed
 * answer of one that changed nothing is no answer. Throws AttemptOver where the attempt is called off.
 */
export function askSecondModel<T>(_ctx: LoopContext, _scope: OpenAttempt, _repo: Repo, _of: Ask<T>): Promise<Asked<T>> {
  return Promise.resolve({ ok: false, why: "the batch names no reviewer" });
}
