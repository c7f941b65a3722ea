import type { CiFact } from "../../domain/ci/ci-fact.ts";
import type { LayoutRepair } from "../../domain/run/attempt-fact.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import type { RunState } from "../../domain/run/state.ts";
import { firstFewLine, plural } from "../../domain/values/text.ts";
import { type EventLabel, STYLES } from "./tone.ts";

/** The line of the feed for a fact of the loop over a branch's checks. */
export function ciLabel(fact: CiFact): EventLabel {
  switch (fact.type) {
    case "ci-fixed":
      return [STYLES.step, `repaired without an agent by ${firstFewLine([...fact.fixers], 4)}`];
    case "ci-pushed":
      return [STYLES.step, `pushed ${fact.to.slice(0, 7)}: ${plural(fact.files, "file")}`];
    case "ci-triaged":
      return [STYLES.again, `failed on ${fact.head.slice(0, 7)}: ${firstFewLine([...fact.failed], 4)}`];
  }
}

/** The line of the feed for what the batch's fixers did to an agent's work. */
export function layoutLabel({ fixers, ignored }: LayoutRepair): EventLabel {
  const repaired = fixers.length === 0 ? [] : [`repaired by ${firstFewLine([...fixers], 4)}`];
  const left = ignored === undefined ? [] : [`fixers ended: ${ignored}`];
  return [ignored === undefined ? STYLES.step : STYLES.again, [...repaired, ...left].join("; ")];
}

/** The line of the feed for a landing. The branch of a loop has its commits already, also those that nobody pushed: its checks have passed. */
export function landedText(
  { repo, to }: Extract<RunEvent, { type: "merge-landed" }>,
  { batch }: Pick<RunState, "batch">,
): string {
  const spec = batch.repos[repo];
  const commit = to.slice(0, 7);
  return spec?.forge?.kind === "github-branch" ? `the checks of ${spec.base} pass at ${commit}` : `merged ${commit} into ${repo}`;
}
