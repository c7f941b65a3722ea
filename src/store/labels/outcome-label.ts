import type { AttemptOutcome } from "../../domain/run/event.ts";
import type { HealOutcome } from "../../domain/run/heal-fact.ts";
import { type Label, STYLES } from "./tone.ts";

const OUTCOMES: Readonly<Record<AttemptOutcome, Label>> = {
  done: { ...STYLES.done, word: "shipped" },
  failed: { ...STYLES.failed, word: "failed" },
  silent: { ...STYLES.failed, word: "silent for too long" },
  "out-of-time": { ...STYLES.failed, word: "out of time" },
  killed: { ...STYLES.failed, word: "killed" },
  gated: { ...STYLES.needsYou, word: "left to a person" },
  stopped: { ...STYLES.cutOff, word: "cut off by a stop" },
  lost: { ...STYLES.cutOff, word: "lost with its engine" },
};

/** How a try ended; without an outcome it goes on, or nobody has told its end. `live`: an engine is at work on the run. */
export function outcomeLabel(outcome: AttemptOutcome | undefined, live: boolean): Label {
  return outcome === undefined ? underWayLabel(live) : OUTCOMES[outcome];
}

/** What has no end yet. Without an engine it goes on no more. */
export function underWayLabel(live: boolean): Label {
  return live ? { ...STYLES.agent, word: "at work" } : { ...STYLES.cutOff, word: "cut off" };
}

/** How a heal ended. */
export const HEAL_LABELS: Readonly<Record<HealOutcome, Label>> = {
  accepted: { ...STYLES.healed, word: "accepted" },
  rejected: { ...STYLES.failed, word: "rejected" },
  failed: { ...STYLES.failed, word: "failed" },
  nothing: { ...STYLES.waits, word: "came to nothing" },
  lost: { ...STYLES.failed, word: "lost with its engine" },
};
