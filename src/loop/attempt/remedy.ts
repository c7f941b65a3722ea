import { nudgeLine } from "../../domain/behaviour/nudge.ts";
import { GATE_LABELS } from "../../domain/behaviour/signals.ts";
import { remedyValue } from "../../domain/run/remedy-fact.ts";
import { indexOf, ticketOf } from "../../domain/run/state.ts";
import { countsAsFailure } from "../../domain/schedule/breaker.ts";
import { remediationAt } from "../../domain/schedule/remediation.ts";
import type { AttemptEnd } from "../programs/scope.ts";
import type { GateWatch } from "./behaviour.ts";
import type { AttemptScope, LoopContext } from "./context.ts";
import type { AttemptGuard } from "./guard.ts";

/** What is told to an agent at work: by its guard, and what its events show. */
interface Told {
  readonly guard: Pick<AttemptGuard, "nudge">;
  readonly watch: GateWatch;
}

/**
 * Acts on a gate that has failed while the agent works, as the batch's policy says. The fact ends the agent, or is followed by a line for it: an
 * engine that is lost in between has lost its agent, too.
 */
export function remedyAtWork(
  { report, state }: Pick<LoopContext, "report" | "state">,
  { ticket }: Pick<AttemptScope, "ticket">,
  { guard, watch }: Told,
): void {
  const fact = remediationAt(state(), indexOf(state(), ticket.id), "at-work", watch.failedAgain);
  if (fact === undefined || !report(fact) || fact.action !== "nudge") return;
  guard.nudge(nudgeLine(fact.gate, watch.count(fact.gate)));
  watch.countAnew(fact.gate);
}

/** Acts on a failed gate of an attempt that has failed for another reason. Called right before the attempt ends. */
export function remedyAfterFailure(
  { report, state }: Pick<LoopContext, "report" | "state">,
  { ticket: { id } }: Pick<AttemptScope, "ticket">,
  { outcome, readOnly, unplanned }: Pick<AttemptEnd, "outcome" | "readOnly" | "unplanned">,
): void {
  const ticket = ticketOf(state(), id);
  const isFailure = outcome === "failed" || outcome === "silent" || outcome === "out-of-time";
  // The signals are about the work, and not about a plan.
  if (!isFailure || readOnly || unplanned || ticket.attempt === undefined || ticket.attempt.isPlanning) return;
  if (!countsAsFailure(ticket, ticket.attempt, outcome)) return;
  const fact = remediationAt(state(), indexOf(state(), id), "failed");
  if (fact !== undefined) report(fact);
}

/** The end of an attempt, with what the gate found if a remediation ended its agent. */
export function withRemedy(
  { state }: Pick<LoopContext, "state">,
  { ending, signal, ticket }: Pick<AttemptScope, "ending" | "signal" | "ticket">,
  end: AttemptEnd,
): AttemptEnd {
  const remedy = ticketOf(state(), ticket.id).remedies?.at(-1);
  if (!signal.aborted || ending() !== "remedied" || remedy === undefined || end.outcome !== "failed") return end;
  const summary = `its agent was ended: ${GATE_LABELS[remedy.gate]} failed (${remedyValue(remedy.was)})`;
  return { ...end, evidence: { step: "agent", name: "behaviour", summary, detail: "" } };
}
