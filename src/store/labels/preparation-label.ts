import type { PreparedFact } from "../../domain/run/prepared-fact.ts";
import { formatDuration } from "../../domain/values/time.ts";
import { type EventLabel, STYLES } from "./tone.ts";

/** Describes a preparation: whether commands ran for it alone, or it is a copy. */
export function preparationLabel(event: PreparedFact): EventLabel {
  if (event.type === "preparation-awaited") return [STYLES.heldUp, `${event.name}: preparing waits: ${event.reason}`];
  const took = formatDuration(event.ms);
  const key = event.key === undefined ? "" : ` ${event.key}`;
  if (event.reused) return [STYLES.preparing, `${event.name}: preparation${key} reused (${took})`];
  if (event.why === undefined) return [STYLES.preparing, `${event.name}: prepared${key} (${took})`];
  const how = event.canNameInputs === true ? `${took}; see "inputs"` : took;
  return [STYLES.preparing, `${event.name}: prepared for itself alone (${how})`];
}
