import { withTicket } from "../schedule/queue.ts";
import type { Evidence } from "./attempt-fact.ts";
import type { RunEvent } from "./event.ts";
import type { PlanFact, TicketPlan } from "./plan-fact.ts";
import { leaveSlot } from "./reduce-attempt.ts";
import { findAttempt } from "./reducers.ts";
import type { RunState } from "./state.ts";
import type { TicketState } from "./ticket-state.ts";

/** Folds the facts of a plan. Facts of another fence never arrive here: `admit` drops them before the journal. */
export function reducePlan(state: RunState, event: Extract<RunEvent, PlanFact>): RunState {
  const { index, ticket, attempt } = findAttempt(state, event);
  const { plan } = ticket;
  const planning = { ...attempt, isPlanning: true } as const;
  const refusals = plan?.refusals ?? 0;
  switch (event.type) {
    case "plan-asked":
      return withTicket(state, index, { ...ticket, attempt: planning });
    case "plan-written": {
      const { digest, text } = event;
      const written: TicketPlan = { state: "written", attempt: attempt.n, refusals, digest, text };
      const next: TicketState = { ...ticket, phase: "finishing", plan: written, attempt: planning };
      // An attempt that judges the plan of an earlier one has no agent that could end.
      return leaveSlot(withTicket(state, index, next), index, event.at);
    }
    case "plan-judged": {
      const { digest, ok, summary } = event;
      // A verdict is on the words that the reviewer has read: on any others it is none.
      if (ok && plan?.state === "written" && plan.digest === digest)
        return withTicket(state, index, { ...ticket, plan: { ...plan, state: "approved" } });
      if (ok) return state;
      const of = digest === undefined ? {} : { digest };
      const refused: TicketPlan = { state: "refused", attempt: attempt.n, refusals: refusals + 1, summary, ...of };
      const evidence: Evidence = { step: "plan", name: "plan", summary, detail: event.findings ?? "" };
      return withTicket(state, index, { ...ticket, plan: refused, attempt: { ...planning, refused: evidence } });
    }
  }
}
