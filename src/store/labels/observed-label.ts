import { INTERVENTION_WORDS } from "../../domain/results/intervention.ts";
import { describeChange } from "../../domain/run/drift-fact.ts";
import { type EventLabels, STYLES } from "./tone.ts";

/** People's acts in the tracker or outside loopdash. The engine's own writes are left out, unless the tracker lost one. */
export const OBSERVED_LABELS = {
  "fingerprints-recorded": () => undefined,
  "tracker-read": () => undefined,
  "tracker-written": () => undefined,
  "tracker-not-written": () => undefined,
  "tracker-writing": ({ isRepeat, state: { as } }) =>
    isRepeat ? [STYLES.again, `the tracker did not keep "${as}": it is set again`] : undefined,
  "tracker-drifted": ({ change }) => [STYLES.person, `a person: ${describeChange(change)}`],
  "act-observed": (event) => [
    STYLES.person,
    `a person ${INTERVENTION_WORDS[event.class]}, seen on ${event.target}: ${event.note}`,
  ],
  "branch-commits-observed": ({ note, kept }) => [STYLES.person, `a person: ${note}; it does not land, and stays on ${kept}`],
  "merge-observed": ({ number, to }) => [
    STYLES.landed,
    `pull request #${number} was merged after all, as ${to.slice(0, 7)}: it needs no person any more`,
  ],
  "tracker-others": ({ ids, more }) => {
    const others = more === 0 ? "" : ` and ${more} more`;
    return [STYLES.waits, `tickets of the tracker that the batch does not name are ignored: ${ids.join(", ")}${others}`];
  },
} satisfies Partial<EventLabels>;
