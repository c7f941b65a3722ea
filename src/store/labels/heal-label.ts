import type { HealFact } from "../../domain/run/heal-fact.ts";
import { type EventLabel, HEAL_LABELS, STYLES, toned } from "./tone.ts";

/** Describes healing of the harness, one line per event. The heal's begin already reports that an agent was started. */
export function healLabel(event: HealFact): EventLabel | undefined {
  switch (event.type) {
    case "heal-asked":
      return [
        toned(STYLES.healed, "person"),
        "heal requested: nothing new starts, it begins once the attempts under way are over",
      ];
    case "heal-dropped":
      return [STYLES.waits, `the requested heal was dropped: ${event.why}`];
    case "heal-started":
      return [toned(STYLES.healed, "running"), `heal ${event.n} begins: ${event.reason}`];
    case "heal-agent-started":
      return undefined;
    case "heal-ended": {
      const { word, ...style } = HEAL_LABELS[event.outcome];
      const { answer } = event;
      const cause = answer === undefined ? "" : ` · ${answer.kind}: ${answer.rootCause}`;
      return [style, `heal ${event.n} ${word}: ${event.why}${cause}`];
    }
    case "heal-keeping":
      return undefined;
    case "heal-kept":
      return [event.as === "kept" ? STYLES.healed : STYLES.needsYou, `heal ${event.n} moved its stall: ${event.why}`];
  }
}
