import { describeChange } from "../../domain/run/drift-fact.ts";
import type { DriftEvent } from "../../domain/run/reduce-drift.ts";
import type { EventLabel } from "../describe-claim.ts";
import { STYLES } from "./tone.ts";

/** Describes what was seen in the tracker. The engine's own writes are no news, unless the tracker lost one. */
export function trackerLabel(event: DriftEvent): EventLabel | undefined {
  switch (event.type) {
    case "tracker-read":
    case "tracker-written":
      return undefined;
    case "tracker-writing":
      return event.again ? [STYLES.again, `the tracker lost ${event.state.as}: it is set again`] : undefined;
    case "tracker-drifted":
      return [STYLES.needsYou, `observed: ${describeChange(event.change)}`];
    case "tracker-others": {
      const more = event.more === 0 ? "" : ` and ${event.more} more`;
      return [STYLES.waits, `not in the batch, ignored: ${event.ids.join(" ")}${more}`];
    }
  }
}
