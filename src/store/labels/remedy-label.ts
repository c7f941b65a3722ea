import { describeRemedy, type RemedyFact } from "../../domain/run/remedy-fact.ts";
import { type EventLabel, STYLES } from "./tone.ts";

/** The line of the feed on what the engine did about a failed gate. */
export function remedyLabel(fact: RemedyFact): EventLabel {
  return [fact.action === "gate" ? STYLES.needsYou : STYLES.again, describeRemedy(fact)];
}
