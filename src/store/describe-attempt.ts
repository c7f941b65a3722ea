import type { AgentEnding, AttemptOutcome } from "../domain/run/attempt-fact.ts";
import type { EventOf } from "../domain/run/event.ts";
import { type RunState, ticketById } from "../domain/run/state.ts";
import type { Attempt, TicketState } from "../domain/run/ticket-state.ts";
import { freezeReason } from "../domain/schedule/freeze.ts";
import type { TicketId } from "../domain/values/ids.ts";
import { formatMinute } from "./format.ts";
import { type EventLabel, outcomeLabel, STYLES, toned } from "./labels/tone.ts";

/** Ends of agents that the feed tells as they are requested. */
export const ENDINGS: Readonly<Partial<Record<AgentEnding, string>>> = {
  silent: "silent for too long: agent is ended",
  "out-of-time": "out of time: agent is ended",
  "over-quota": "wrote too much: agent is ended",
  "killed-by-person": "kill requested",
  "gated-by-person": "agent is ended for the human gate",
  remedied: "agent is ended for its behaviour",
  "closed-by-person": "agent is ended: a person closed the ticket",
  stopped: "agent is ended for the stop",
};

/** An agent that stops by itself claims something, done or a blocker: the line looks like a claim. */
export function agentEndedLabel(event: EventOf<"agent-ended">, isPlanning = false): EventLabel | undefined {
  if (event.ending !== "exited") return event.ending === "failed-to-start" ? [STYLES.failed, "agent did not start"] : undefined;
  // The end of the attempt says why.
  if (event.stop !== undefined) return undefined;
  if (event.exitCode === 0 && isPlanning) return [STYLES.waits, "agent stopped: its plan is read"];
  if (event.exitCode === 0) return [toned(STYLES.waits, "claim"), "agent stopped by itself: its claim is read"];
  return [STYLES.failed, `agent gave up: ${event.signal === null ? `exit ${event.exitCode ?? "unknown"}` : event.signal}`];
}

const OUTCOME_TEXTS: Readonly<Record<Exclude<AttemptOutcome, "stopped">, string>> = {
  done: "done",
  landed: "attempt ended: it landed, and is not live",
  planned: "attempt ended: its plan is approved",
  failed: "attempt failed",
  silent: "attempt ended: silent for too long",
  "out-of-time": "attempt ended: out of time",
  killed: "attempt ended: killed by a person",
  gated: "attempt ended for the human gate",
  closed: "attempt ended: a person closed the ticket",
  lost: "attempt lost with its engine",
};

/** Work that is built already goes on where it was: no agent is paid for it. */
export function attemptBeginsText({ attempt, slot }: EventOf<"attempt-claimed">, { pendingWork }: TicketState): string {
  const goesOn =
    pendingWork === undefined
      ? ""
      : `: it takes up the ${pendingWork.landed === undefined ? "finished" : "landed"} change, without an agent`;
  return `attempt ${attempt} begins in slot ${slot + 1}${goesOn}`;
}

/** What could not be prepared is told already. */
const NOT_COUNTED = "attempt ended; it does not count";

/** An attempt that a stop, a broken base or an outage ended. What its agent has built is kept. */
function endedEarlyText(ticket: TicketId, state: RunState): string {
  const kept = ticketById(state, ticket).pendingWork === undefined ? "" : "; its finished change goes on later, without an agent";
  if (state.stage === "stopping" || state.end?.kind === "interrupted") return `attempt ended by the stop${kept}`;
  const frozen = freezeReason(state, ticket);
  return `attempt postponed${frozen === undefined ? "" : `: ${frozen}`}${kept}`;
}

/** The finish line's step already reported its failure; an earlier failure is reported here. */
export function attemptEndedLabel(event: EventOf<"attempt-ended">, state: RunState): EventLabel {
  const { glyph, tone } = outcomeLabel(event.outcome, true);
  const { evidence } = event;
  // Nobody stopped it: the ticket waits for a dependency.
  if (event.outcome === "stopped" && evidence !== undefined)
    return [STYLES.heldUp, evidence.step === "prepare" ? NOT_COUNTED : `attempt ended: ${evidence.summary}`];
  if (event.outcome === "stopped") return [{ glyph, tone }, endedEarlyText(event.ticket, state)];
  if (event.held && evidence !== undefined) return [STYLES.heldUp, `attempt ended: it landed; ${evidence.summary}`];
  const text = OUTCOME_TEXTS[event.outcome];
  const isReported = evidence === undefined || event.outcome === "killed" || !BEFORE_STEPS.has(evidence.step);
  return [{ glyph, tone }, isReported ? text : `${text}: ${evidence.summary}`];
}

const BEFORE_STEPS: ReadonlySet<string> = new Set(["agent", "prepare", "worktree", "plan"]);

/** A wait says itself once: the ticket's row and `status` show its age. Each has an end, or what a person can do. */
export function mergeWaitsLabel(
  { reason, until, at }: EventOf<"merge-waiting">,
  attempt: Attempt | undefined,
): EventLabel | undefined {
  if (attempt?.waited !== undefined && attempt.waited.since !== at) return undefined;
  const end = until === undefined ? "it goes on once that is over" : `it is tried again until ${formatMinute(until)}`;
  return [STYLES.heldUp, `merge waits: ${reason}; ${end}; to end it: x ends the attempt, g leaves the ticket to you`];
}
