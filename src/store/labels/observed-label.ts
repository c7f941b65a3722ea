import { INTERVENTION_WORDS } from "../../domain/results/intervention.ts";
import { describeChange } from "../../domain/run/drift-fact.ts";
import type { DriftEvent } from "../../domain/run/reduce-drift.ts";
import type { PeopleEvent } from "../../domain/run/reduce-people.ts";
import { type EventLabel, STYLES } from "./tone.ts";

/** Describes a person's act in the tracker or outside loopdash. The engine's own writes are left out, unless the tracker lost one. */
export function observedLabel(event: DriftEvent | PeopleEvent): EventLabel | undefined {
  switch (event.type) {
    case "fingerprints-recorded":
    case "tracker-read":
    case "tracker-written":
    case "tracker-not-written":
      return undefined;
    case "tracker-writing":
      return event.isRepeat ? [STYLES.again, `the tracker did not keep "${event.state.as}": it is set again`] : undefined;
    case "tracker-drifted":
      return [STYLES.person, `a person: ${describeChange(event.change)}`];
    case "act-observed":
      return [STYLES.person, `a person ${INTERVENTION_WORDS[event.class]}, seen on ${event.target}: ${event.note}`];
    case "branch-commits-observed":
      return [STYLES.person, `a person: ${event.note}; it does not land, and stays on ${event.kept}`];
    case "merge-observed": {
      const { number, to } = event;
      return [STYLES.landed, `pull request #${number} was merged after all, as ${to.slice(0, 7)}: it needs no person any more`];
    }
    case "tracker-others": {
      const more = event.more === 0 ? "" : ` and ${event.more} more`;
      return [STYLES.waits, `tickets of the tracker that the batch does not name are ignored: ${event.ids.join(", ")}${more}`];
    }
  }
}
