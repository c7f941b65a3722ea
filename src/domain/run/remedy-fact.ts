import type { RemedyAction } from "../batch/remedy-spec.ts";
import { GATE_WORDS, type GateName } from "../behaviour/signals.ts";
import type { Fence, TicketId } from "../values/ids.ts";
import { plainText } from "../values/text.ts";

/** The change of an attempt whose checks passed, as a commit and the base from which it started. */
export interface CheckedWork {
  readonly attempt: number;
  readonly tip: string;
  readonly baseSha: string;
}

/** What was done about a failed gate, in words (S3.20). Each is one line, safe for a terminal, and bounded. */
export interface RemedyWords {
  /** What the gate found. */
  readonly was: string;
  readonly did: string;
  readonly now: string;
  /** What is left of the bounds. */
  readonly bound: string;
}

/**
 * The engine acts on a failed gate of an attempt's behaviour. The action follows this fact: an agent at work is told a line, or it is
 * ended, and the next attempt is as the action says, or there is none. The signals of a gate are claims, so it can take an attempt away and never add one.
 */
export interface RemedyFact extends RemedyWords {
  readonly type: "remediated";
  readonly ticket: TicketId;
  readonly fence: Fence;
  readonly gate: GateName;
  readonly action: RemedyAction;
  /** For `step-back`: the work from which the next attempt starts; absent: the base. */
  readonly from?: CheckedWork;
  /** For `escalate`: the account of the next attempts, by its number. */
  readonly account?: number;
}

/** A remediation of a ticket. `n` is the attempt whose gate failed; `at` in milliseconds. */
export interface Remedy extends RemedyWords {
  readonly n: number;
  readonly at: number;
  readonly gate: GateName;
  readonly action: RemedyAction;
  readonly account?: number;
}

/** A remediation that the next attempt with an agent carries out. */
export interface DueRemedy extends Pick<Remedy, "n" | "gate" | "action" | "was"> {
  readonly from?: CheckedWork;
}

/** What a gate found, as the reason for which a ticket is left to a person. */
export function failedGateText(gate: GateName, was: string): string {
  return `${GATE_WORDS[gate]}: ${remedyValue(was)}`;
}

/** Characters of each value of the line. */
const VALUE_CHARS = 240;

/** A value of the line: bounded, so that quotes and controls in it end nothing. */
export function remedyValue(text: string): string {
  return plainText(text.replaceAll('"', "'"), VALUE_CHARS).trim();
}

/** The remediation in a sentence for people. */
export function describeRemedy({ gate, was, did, now, bound }: Pick<RemedyFact, "gate" | keyof RemedyWords>): string {
  return [failedGateText(gate, was), did, now, bound].map(remedyValue).join("; ");
}
