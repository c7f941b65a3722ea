import { describeBlocked } from "@loopdash/model-gateway";
import type { RunEvent } from "../domain/run/event.ts";
import type { GrowthFact } from "../domain/run/growth-fact.ts";
import { describeElsewhere, describeKeptWork } from "../domain/run/kept-work.ts";
import { type RunState, ticketIndex } from "../domain/run/state.ts";
import { plannedTicket } from "../domain/schedule/plan.ts";
import { unpreparedFor } from "../domain/schedule/unprepared.ts";
import { formatUsd } from "./format.ts";
import { layoutLabel } from "./labels/ci-label.ts";
import { preparationLabel } from "./labels/preparation-label.ts";
import { type EventLabel, questionLabel, reviewerLabel, STYLES, specLabel, toned } from "./labels/tone.ts";

/** Facts about an attempt's work and claims, blocked connections and kept work, the reviewer's answers, and the growth of the batch. */
type ClaimFact = Extract<
  RunEvent,
  {
    type:
      | "step-retried"
      | "steps-repeated"
      | "preparation-awaited"
      | "prepared"
      | "prepare-failed"
      | "change-captured"
      | "step-part-started"
      | "reviewer-asked"
      | "reviewer-answered"
      | "outbox-refused"
      | "blocker-claimed"
      | "blocker-ruled"
      | "discovery-refused"
      | "ticket-discovered"
      | "discovery-filed"
      | "connection-blocked"
      | "work-kept"
      | "work-not-kept"
      | "attempt-bundled"
      | "attempt-not-bundled";
  }
>;

/** Describes one of them in a line; undefined if nobody needs to know. */
export function claimLabel(event: ClaimFact, state: RunState): EventLabel | undefined {
  switch (event.type) {
    case "step-retried":
      return [toned(STYLES.again, "waiting"), retriedText(event, state)];
    case "steps-repeated":
      return [STYLES.again, `its steps run again, ${event.why}`];
    case "preparation-awaited":
    case "prepared":
      return preparationLabel(event);
    case "prepare-failed":
      return prepareFailedLabel(event, state);
    case "change-captured":
      if (event.elsewhere !== undefined) return [toned(STYLES.waits, "claim"), describeElsewhere(event.elsewhere)];
      return event.layout && layoutLabel(event.layout);
    case "connection-blocked":
      return [STYLES.failed, `${event.step}: ${describeBlocked(event)}`];
    case "reviewer-asked":
      return [STYLES.finishing, `${questionLabel(event.question)}: asking ${reviewerLabel(state, event)}`];
    case "reviewer-answered":
      return answeredLabel(event, state);
    case "outbox-refused":
      return [STYLES.failed, `outbox: ${event.file} was not taken: ${event.why}`];
    case "blocker-claimed":
      return [toned(STYLES.waits, "claim"), `agent claims a blocker: ${event.claim}`];
    case "blocker-ruled":
      return event.upheld
        ? [STYLES.needsYou, `blocker upheld: ${event.reason}; then yours: ${event.step}`]
        : [STYLES.failed, `blocker rejected, it is none: ${event.reason}`];
    case "discovery-refused":
      return [STYLES.failed, `discovery refused: "${event.title}": ${event.why}`];
    case "ticket-discovered":
      return [STYLES.found, `found ${event.discovered.id} "${event.discovered.title}": ${event.reason}`];
    case "work-kept":
      return [toned(STYLES.done, "plain"), describeKeptWork({ ...event, kept: event })];
    case "work-not-kept":
      return [STYLES.failed, describeKeptWork({ notKept: event.why })];
    case "attempt-bundled":
      return undefined;
    case "step-part-started":
      return event.trainFailed === undefined ? undefined : [STYLES.again, `${event.part}: ${event.trainFailed}`];
    case "attempt-not-bundled":
      return [STYLES.failed, `attempt ${event.attempt}: its bundle could not be written: ${event.why}`];
    case "discovery-filed":
      return [toned(STYLES.found, "plain"), "filed in the tracker: the batch has one ticket more"];
  }
}

/** Describes how a person changed the batch. The frozen set is the record of what decides, so its change is named. */
export function changeLabel(event: Extract<RunEvent, GrowthFact>): EventLabel {
  if (event.type === "ticket-added") return [STYLES.person, `added ${event.added.id} "${event.added.title}"`];
  const parts = (["limits", "protect", "finish"] as const).filter((part) => event[part] !== undefined);
  const { before, after } = event.frozen;
  return [
    STYLES.person,
    `the batch has changed: ${parts.join(", ")} (frozen ${before.batch.slice(0, 7)} → ${after.batch.slice(0, 7)})`,
  ];
}

/** The attempt's own end repeats neither the reason nor what follows. */
function prepareFailedLabel({ ticket, summary }: Extract<RunEvent, { type: "prepare-failed" }>, state: RunState): EventLabel {
  const { repo } = plannedTicket(state.plan, ticket);
  const isHeld = unpreparedFor(state, ticketIndex(state, ticket)) !== undefined;
  const next = isHeld ? `nothing starts in ${repo} in this run unless its base changes` : "it is tried once more";
  return [STYLES.failed, `${repo} cannot be prepared: ${summary}; ${next}`];
}

/** A transient is no verdict: the step's second end reports the outcome. */
function retriedText(event: Extract<RunEvent, { type: "step-retried" }>, state: RunState): string {
  const spec = plannedTicket(state.plan, event.ticket).finish[event.step];
  const step = spec === undefined ? event.name : specLabel(spec);
  return `${step}: transient '${event.transient}', retry in ${Number((event.waitMs / 1000).toFixed(1))} s`;
}

/** An invalid answer is reported as one; a missed planted defect shows that the reviewer did not read. */
function answeredLabel(event: Extract<RunEvent, { type: "reviewer-answered" }>, state: RunState): EventLabel {
  const { canary, costUsd, question, says, valid } = event;
  const cost = costUsd > 0 ? ` (${formatUsd(costUsd)})` : "";
  const who = `${questionLabel(question)}: ${reviewerLabel(state, event)}`;
  if (!valid) return [STYLES.failed, `${who} gave no answer that counts: ${says}${cost}`];
  if (canary === undefined) return [STYLES.answer, `${who} says: ${says}${cost}`];
  return canary === "seen"
    ? [toned(STYLES.answer, "good"), `${who} saw the planted defect${cost}`]
    : [toned(STYLES.answer, "bad"), `${who} missed the planted defect${cost}`];
}
