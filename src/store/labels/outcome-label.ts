import type { AttemptOutcome } from "../../domain/run/attempt-fact.ts";
import type { HealOutcome } from "../../domain/run/heal-fact.ts";
import { type Label, STYLES } from "./tone.ts";

const OUTCOMES: Readonly<Record<AttemptOutcome, Label>> = {
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
  lost: { ...STYLES.cutOff, word: "lost with its engine" },
};

/** The outcome of an attempt; without one it is running, or its end was never recorded. `live`: an engine works on the run. */
export function outcomeLabel(outcome: AttemptOutcome | undefined, live: boolean): Label {
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
