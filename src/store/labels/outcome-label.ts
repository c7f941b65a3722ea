import { awaitsApproval } from "../../domain/run/approval.ts";
import type { AttemptOutcome } from "../../domain/run/attempt-fact.ts";
import type { HealOutcome } from "../../domain/run/heal-fact.ts";
import type { PastAttempt, TicketState } from "../../domain/run/ticket-state.ts";
import { type Label, STYLES, toned } from "./tone.ts";

/**
 * The end of an attempt for a person. Nobody has stopped one that ended to wait for an approval. `held`: it has not ended, and nothing
 * of it runs while the journal cannot be written.
 */
export type AttemptEnd = AttemptOutcome | "awaits-approval" | "awaited-approval" | "held";

/** How an attempt of this ticket ended. */
export function attemptEnd(ticket: TicketState, { n, outcome, passedBeforeApproval }: PastAttempt): AttemptEnd {
  if (passedBeforeApproval === undefined) return outcome;
  const isLast = ticket.attempt === undefined && ticket.history.at(-1)?.n === n;
  return isLast && awaitsApproval(ticket) ? "awaits-approval" : "awaited-approval";
}

const OUTCOMES: Readonly<Record<AttemptEnd, Label>> = {
  done: { ...STYLES.done, word: "shipped" },
  landed: { ...STYLES.landed, word: "landed, not live" },
  planned: { ...STYLES.answer, word: "planned" },
  failed: { ...STYLES.failed, word: "failed" },
  silent: { ...STYLES.failed, word: "silent for too long" },
  "out-of-time": { ...STYLES.failed, word: "out of time" },
  killed: { ...STYLES.failed, word: "killed" },
  gated: { ...STYLES.needsYou, word: "left to a person" },
  closed: { ...STYLES.cutOff, word: "closed by a person" },
  stopped: { ...STYLES.cutOff, word: "cut off" },
  "awaits-approval": { ...STYLES.heldUp, word: "waits for approval" },
  "awaited-approval": { ...toned(STYLES.heldUp, "waiting"), word: "waited for approval" },
  held: { ...toned(STYLES.heldUp, "waiting"), word: "held" },
  lost: { ...STYLES.cutOff, word: "lost with its engine" },
};

/** The outcome of an attempt; without one it is running, or its end was never recorded. `live`: an engine works on the run. */
export function outcomeLabel(outcome: AttemptEnd | undefined, live: boolean): Label {
  return outcome === undefined ? underWayLabel(live) : OUTCOMES[outcome];
}

/** The label of a part without an end. Without an engine it no longer runs. */
export function underWayLabel(live: boolean): Label {
  return live ? { ...STYLES.agent, word: "at work" } : { ...STYLES.cutOff, word: "cut off" };
}

/** The outcome of a heal. */
export const HEAL_LABELS: Readonly<Record<HealOutcome, Label>> = {
  accepted: { ...STYLES.healed, word: "accepted" },
  rejected: { ...STYLES.failed, word: "rejected" },
  failed: { ...STYLES.failed, word: "failed" },
  nothing: { ...STYLES.waits, word: "came to nothing" },
  wall: { ...STYLES.needsYou, word: "claims a wall" },
  lost: { ...STYLES.failed, word: "lost with its engine" },
};

/** A heal that was undone, because the proof of the oracle after it failed. */
export const REVERTED: Label = { ...STYLES.failed, word: "undone: the tripwire rejected it" };
