import type { EventOf } from "../domain/run/event.ts";
import { type RunState, ticketIndex } from "../domain/run/state.ts";
import { plannedTicket } from "../domain/schedule/plan.ts";
import { unpreparedFor } from "../domain/schedule/unprepared.ts";
import { formatUsd } from "./format.ts";
import { type EventLabel, questionLabel, reviewerLabel, STYLES, specLabel, toned } from "./labels/tone.ts";

/** Describes how a person changed the batch. The frozen set is the record of what decides, so its change is named. */
export function changeLabel(event: EventOf<"batch-changed">): EventLabel {
  const parts = (["limits", "protect", "finish"] as const).filter((part) => event[part] !== undefined);
  const { before, after } = event.frozen;
  return [
    STYLES.person,
    `the batch has changed: ${parts.join(", ")} (frozen ${before.batch.slice(0, 7)} → ${after.batch.slice(0, 7)})`,
  ];
}

/** The attempt's own end repeats neither the reason nor what follows. */
export function prepareFailedLabel({ ticket, summary }: EventOf<"prepare-failed">, state: RunState): EventLabel {
  const { repo } = plannedTicket(state.plan, ticket);
  const isHeld = unpreparedFor(state, ticketIndex(state, ticket)) !== undefined;
  const next = isHeld ? `nothing starts in ${repo} in this run unless its base changes` : "it is tried once more";
  return [STYLES.failed, `${repo} cannot be prepared: ${summary}; ${next}`];
}

/** A transient is no verdict: the step's second end reports the outcome. */
export function retriedText(event: EventOf<"step-retried">, state: RunState): string {
  const spec = plannedTicket(state.plan, event.ticket).finish[event.step];
  const step = spec === undefined ? event.name : specLabel(spec);
  return `${step}: transient '${event.transient}', retry in ${Number((event.waitMs / 1000).toFixed(1))} s`;
}

/** An invalid answer is reported as one; a missed planted defect shows that the reviewer did not read. */
export function answeredLabel(event: EventOf<"reviewer-answered">, state: RunState): EventLabel {
  const { canary, costUsd, question, says, valid } = event;
  const cost = costUsd > 0 ? ` (${formatUsd(costUsd)})` : "";
  const who = `${questionLabel(question)}: ${reviewerLabel(state, event)}`;
  if (!valid) return [STYLES.failed, `${who} gave no answer that counts: ${says}${cost}`];
  if (canary === undefined) return [STYLES.answer, `${who} says: ${says}${cost}`];
  return canary === "seen"
    ? [toned(STYLES.answer, "good"), `${who} saw the planted defect${cost}`]
    : [toned(STYLES.answer, "bad"), `${who} missed the planted defect${cost}`];
}

/** Steps that pass without a line of their own: other lines report the landing and the finished ticket. */
const TOLD_OTHERWISE: ReadonlySet<string> = new Set(["merge", "assert"]);

/** A step names itself, whatever its summary says. */
export function stepEndedLabel(event: EventOf<"step-ended">, state: RunState): EventLabel | undefined {
  const spec = plannedTicket(state.plan, event.ticket).finish[event.step];
  if (event.ok && TOLD_OTHERWISE.has(spec?.step ?? "")) return undefined;
  const word = spec === undefined ? "step" : specLabel(spec);
  const text = event.summary === "" || event.summary === word ? word : `${word}: ${event.summary}`;
  if (!event.ok) return [STYLES.failed, text];
  return [event.notNeeded ? STYLES.notNeeded : toned(STYLES.done, "plain"), text];
}
