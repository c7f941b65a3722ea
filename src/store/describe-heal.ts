import type { HealFact } from "../domain/run/heal-fact.ts";
import type { EventLabel } from "./describe-claim.ts";
import { HEAL_LABELS } from "./labels/outcome-label.ts";

/** Tells what happens to the harness, a line each; that an agent was started is told by its beginning. */
export function healLabel(event: HealFact): EventLabel | undefined {
  switch (event.type) {
    case "heal-asked":
      return ["✚", "person", "heal asked for: nothing new starts, it begins once the tries under way are over"];
    case "heal-dropped":
      return ["·", "waiting", `the heal that was asked for is dropped: ${event.why}`];
    case "heal-started":
      return ["✚", "running", `heal ${event.n} begins: ${event.reason}`];
    case "heal-agent-started":
      return undefined;
    case "heal-ended": {
      const { glyph, tone, word } = HEAL_LABELS[event.outcome];
      return [glyph, tone, `heal ${event.n} ${word}: ${event.why}`];
    }
  }
}
