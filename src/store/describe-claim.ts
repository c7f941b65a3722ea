import type { RunEvent } from "../domain/run/event.ts";
import type { RunState } from "../domain/run/state.ts";
import { specOf } from "../domain/schedule/plan.ts";
import { formatUsd } from "./format.ts";
import { questionLabel, reviewerLabel } from "./reviewer-label.ts";
import { specLabel } from "./step-label.ts";
import type { Tone } from "./tone.ts";

export type Look = readonly [glyph: string, tone: Tone, text: string];

/** Facts about what an attempt claims beside its change, what the second model says of it, and how the batch grows by it. */
type ClaimFact = Extract<
  RunEvent,
  {
    type:
      | "step-retried"
      | "second-model-asked"
      | "second-model-answered"
      | "outbox-refused"
      | "blocker-claimed"
      | "blocker-ruled"
      | "discovery-refused"
      | "ticket-discovered"
      | "discovery-filed";
  }
>;

/** Tells one of them in a line. */
export function claimLook(event: ClaimFact, state: RunState): Look {
  switch (event.type) {
    case "step-retried":
      return ["↻", "waiting", retriedText(event, state)];
    case "second-model-asked":
      return ["»", "running", `${questionLabel(event.question)}: asking ${reviewerLabel(state)}`];
    case "second-model-answered":
      return answeredLook(event, state);
    case "outbox-refused":
      return ["✖", "bad", `outbox: ${event.file} was not taken: ${event.why}`];
    case "blocker-claimed":
      return ["·", "claim", `agent claims a blocker: ${event.claim}`];
    case "blocker-ruled":
      return event.upheld
        ? ["!", "person", `blocker upheld: ${event.reason}; then yours: ${event.step}`]
        : ["✖", "bad", `blocker rejected, it is none: ${event.reason}`];
    case "discovery-refused":
      return ["✖", "bad", `discovery refused: "${event.title}": ${event.why}`];
    case "ticket-discovered":
      return ["+", "running", `found ${event.discovered.id} "${event.discovered.title}": ${event.reason}`];
    case "discovery-filed":
      return ["+", "plain", "filed in the tracker: the batch has one ticket more"];
  }
}

/** A hiccup is no verdict: what is said of the step comes with its second end. */
function retriedText(event: Extract<RunEvent, { type: "step-retried" }>, state: RunState): string {
  const spec = specOf(state.plan, event.ticket).finish[event.step];
  const step = spec === undefined ? event.name : specLabel(spec);
  return `${step}: hiccup '${event.transient}', once more in ${Number((event.waitMs / 1000).toFixed(1))} s`;
}

/** An answer that is none says so; a planted defect that was missed tells that the second model did not read. */
function answeredLook(event: Extract<RunEvent, { type: "second-model-answered" }>, state: RunState): Look {
  const { canary, costUsd, question, says, valid } = event;
  const cost = costUsd > 0 ? ` (${formatUsd(costUsd)})` : "";
  const who = `${questionLabel(question)}: ${reviewerLabel(state)}`;
  if (!valid) return ["✖", "bad", `${who} gave no answer that counts: ${says}${cost}`];
  if (canary === undefined) return ["◇", "plain", `${who} says: ${says}${cost}`];
  return canary === "seen"
    ? ["◇", "good", `${who} saw the planted defect${cost}`]
    : ["◇", "bad", `${who} missed the planted defect${cost}`];
}
