import type { ProofFact } from "../../domain/run/proof-fact.ts";
import { plural } from "../../domain/values/text.ts";
import { namedIds } from "./progress-label.ts";
import { type EventLabel, STYLES, toned } from "./tone.ts";

/** A line of the proof of a base. A stop without a reason is that of the run. */
export function proofLabel(event: ProofFact): EventLabel | undefined {
  const { repo } = event;
  if (event.type === "proof-started")
    return [STYLES.finishing, `proof of ${repo} at ${event.sha.slice(0, 7)} under way: ${namedIds(event.tickets, " ")}`];
  if (event.type === "proof-stopped")
    return event.reason === undefined
      ? undefined
      : [toned(STYLES.cutOff, "bad"), `proof of ${repo} without a result: ${event.reason}`];
  const { blamed, commits, newTests, ok, summary } = event;
  const more = newTests === undefined ? "" : `; ${newTests}`;
  if (ok) return [toned(STYLES.done, "plain"), `proven: ${plural(commits, "change")} in one run${more}`];
  return [STYLES.failed, `proof failed: ${blamed === undefined ? "" : `${blamed} is to blame: `}${summary}`];
}
