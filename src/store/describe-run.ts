import { INTERVENTION_WORDS, type Intervention, interventionKind } from "../domain/results/intervention.ts";
import type { EventOf } from "../domain/run/event.ts";
import type { RunState } from "../domain/run/state.ts";
import { plural } from "../domain/values/text.ts";
import { vecItems } from "../domain/values/vec.ts";
import { type EventLabel, STYLES, toned } from "./labels/tone.ts";

/** A person's action is reported as theirs. */
export function interventionText(event: EventOf<"intervention">, state: RunState): string {
  const counted = `${interventionKind(event.class)}; ${INTERVENTION_WORDS[event.class]}`;
  if (event.noted) return `intervention noted (${counted}): ${event.note}`;
  const isNew = state.interventions.some((each) => isSameInput(each, event));
  return `intervention on ${event.target} (${counted}): ${event.note}${isNew ? "" : " (counted before, as one decision)"}`;
}

function isSameInput(a: Intervention, b: Intervention): boolean {
  return a.at === b.at && a.class === b.class && a.target === b.target;
}

export function tripwireLabel({ ok, canaries, problem, unproven }: EventOf<"tripwire-ended">, state: RunState): EventLabel {
  const undone = state.heals.past.at(-1);
  if (!ok && undone?.reverted !== undefined && state.stage !== "stopping")
    return [STYLES.failed, `heal ${undone.n} is undone because the tripwire rejected it: ${undone.reverted}`];
  if (unproven) return [toned(STYLES.oracle, "waiting"), `tripwire not proven yet: ${problem ?? "no reason given"}`];
  return ok
    ? [STYLES.oracle, `tripwire: ${plural(canaries, "canary", "canaries")} judged right`]
    : [toned(STYLES.oracle, "bad"), `tripwire fired: ${problem ?? "no reason given"}`];
}

export function resumedText({ by, orphansKilled }: EventOf<"run-resumed">): string {
  const how = by === "engine" ? " by itself: its journal can be written again" : "";
  const orphans = orphansKilled === 0 ? "" : `, ${plural(orphansKilled, "orphan")} ended`;
  return `run resumed${how}${orphans}`;
}

export function startLabel({ batch }: EventOf<"run-started">): EventLabel {
  return [STYLES.run, `run started: ${plural(batch.tickets.length, "ticket")}, ${plural(batch.limits.workers, "worker")}`];
}

export function reverifyLabel(event: EventOf<"reverify-ended">, state: RunState): EventLabel {
  if (event.problem !== undefined) return [toned(STYLES.oracle, "bad"), `re-verification: ${event.problem}`];
  if (event.reopened > 0) return [toned(STYLES.oracle, "bad"), `re-verified: ${plural(event.reopened, "ticket")} reopened`];
  const { checked, notLive = 0 } = event;
  if (event.outdated) return [STYLES.oracle, "re-verification is repeated: a person has settled a ticket meanwhile"];
  if (notLive > 0)
    return [toned(STYLES.oracle, "bad"), `re-verified: ${notLive} of ${plural(checked ?? notLive, "landed ticket")} not live`];
  const landed = checked ?? [...vecItems(state.tickets)].filter(({ mergedSha }) => mergedSha !== undefined).length;
  const found =
    landed === 0 ? "no ticket of this run has landed" : `${landed} landed ${landed === 1 ? "ticket holds" : "tickets hold"}`;
  return [STYLES.oracle, `re-verified: ${found}`];
}

/** Open tickets that one line names. */
const NAMED = 6;

export function judgedLabel({ judgement }: EventOf<"oracle-judged">, state: RunState): EventLabel {
  const { counts, verdict } = judgement;
  if (verdict === "unjudged")
    return [toned(STYLES.oracle, "bad"), `oracle cannot judge: ${judgement.problem ?? "no reason given"}`];
  if (verdict === "done") return [toned(STYLES.oracle, "good"), `oracle: done (${counts.done} done, ${counts.gated} gated)`];
  const named = judgement.open.slice(0, NAMED);
  const more = counts.open > named.length ? " …" : "";
  const open = named.length === 0 ? "" : `: ${named.join(" ")}${more}`;
  return [STYLES.oracle, `oracle: not done, ${counts.open} of ${state.plan.tickets.length} open${open}`];
}
