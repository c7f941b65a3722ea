import type { ComplexityFact } from "../../domain/run/complexity-fact.ts";
import { type EventLabel, STYLES } from "./tone.ts";

/** The line of the feed on a ticket whose change is harder than it was taken for. */
export function complexityLabel({ from, to, why }: ComplexityFact): EventLabel {
  return [STYLES.warning, `complexity: ${to} instead of ${from}: its change ${complexityPredicate(why)}`];
}

/** What a change does or has: a size comes without a verb. */
function complexityPredicate(why: string): string {
  return /^\d/.test(why) ? `has ${why}` : why;
}
