import { type EventLabels, HEAL_LABELS, STYLES, toned } from "./tone.ts";

/** Healing of the harness, one line per event. The heal's begin already reports that an agent was started. */
export const HEAL_EVENT_LABELS = {
  "heal-asked": () => [
    toned(STYLES.healed, "person"),
    "heal requested: nothing new starts, it begins once the attempts under way are over",
  ],
  "heal-dropped": ({ why }) => [STYLES.waits, `the requested heal was dropped: ${why}`],
  "heal-started": ({ n, reason }) => [toned(STYLES.healed, "running"), `heal ${n} begins: ${reason}`],
  "heal-agent-started": () => undefined,
  "heal-ended": ({ n, outcome, why, answer }) => {
    const { word, ...style } = HEAL_LABELS[outcome];
    const cause = answer === undefined ? "" : ` · ${answer.kind}: ${answer.rootCause}`;
    return [style, `heal ${n} ${word}: ${why}${cause}`];
  },
  "heal-keeping": () => undefined,
  "heal-kept": ({ n, as, why }) => [as === "kept" ? STYLES.healed : STYLES.needsYou, `heal ${n} moved its stall: ${why}`],
} satisfies Partial<EventLabels>;
