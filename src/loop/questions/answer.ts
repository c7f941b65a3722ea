import type { SanitizedStop } from "../../domain/run/attempt-fact.ts";
import { plainText } from "../../domain/values/text.ts";
import type { ReviewerAnswer } from "../../ports/reviewer.ts";
import { howItEnded, sanitizeStopReason } from "../programs/run-in.ts";
import type { StepFact } from "../programs/scope.ts";

/** A valid answer. `says` is one line for people, safe for a terminal; `findings` are those about the change, by severity. */
export interface ReadAnswer<T> extends Pick<AnsweredFact, "findings" | "says"> {
  readonly ok: true;
  readonly value: T;
}

/** No valid answer, and the reason. */
export interface NoAnswer {
  readonly ok: false;
  readonly why: string;
}

/** A valid answer, or why there is none. */
export type Asked<T> = { readonly ok: true; readonly value: T } | NoAnswer;

/**
 * The result of one question. `stop`: the reason that it has no answer. `waitMs`: the time until it is put again with the same
 * account. `shouldSwitch`: it is put again at once, with another account. `isUnpaid`: it was not put, because no money is left
 * for it.
 */
export type Answer<T> = Asked<T> &
  Pick<AnsweredFact, "findings"> & {
    readonly says: string;
    readonly stop?: SanitizedStop;
    readonly waitMs?: number;
    readonly shouldSwitch?: true;
    readonly isUnpaid?: true;
  };

/** The fact that a question has ended. */
export type AnsweredFact = Extract<StepFact, { type: "reviewer-answered" }>;

/** Reads the answer of a reviewer that ended by itself and changed nothing; anything else is no answer. */
export function readAnswer<T>(
  answer: ReviewerAnswer,
  { edited, lastLine }: { readonly edited: readonly string[]; readonly lastLine: string },
  read: () => ReadAnswer<T> | NoAnswer,
): Answer<T> {
  const none = (why: string): Answer<T> => ({ ok: false, why, says: why });
  if (answer.stop !== undefined) {
    const stop = sanitizeStopReason(answer.stop);
    return { ...none(`it stopped early (${stop.kind}): ${stop.says}`), stop };
  }
  if (answer.ending !== "exited" || answer.exitCode !== 0)
    return none(`it ${howItEnded({ signal: null, ...answer })}${lastLine === "" ? "" : `: ${lastLine}`}`);
  if (answer.isCut === true) return none("its answer is longer than 1 MiB");
  const [first] = edited;
  if (first !== undefined) return none(`it changed the checkout, which it may only read: ${plainText(first, 200)}`);
  const asked = read();
  return asked.ok ? asked : none(asked.why);
}
