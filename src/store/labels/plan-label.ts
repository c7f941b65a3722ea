import { MOST_PLANS, type PlanFact } from "../../domain/run/plan-fact.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import { type EventLabel, STYLES, toned } from "./tone.ts";

/** The line of the feed on a plan. `refusals` are those of its ticket after the event. */
export function planLabel(event: PlanFact, refusals: number): EventLabel {
  switch (event.type) {
    case "plan-asked":
      return [STYLES.agent, "plan: its agent is asked for a plan, and changes nothing"];
    case "plan-written":
      return [toned(STYLES.waits, "claim"), `plan: written (${event.digest.slice(0, 7)}), it waits for its verdict`];
    case "plan-judged": {
      if (event.ok) return [STYLES.done, `plan: approved (${event.summary})`];
      return [STYLES.failed, `plan: refused, ${refusals} of ${MOST_PLANS}: ${event.summary}`];
    }
  }
}

/** The state of a ticket's plan in two words; undefined if it has none. */
export function planState(plan: TicketState["plan"]): string | undefined {
  if (plan === undefined) return undefined;
  return plan.state === "written" ? "plan unjudged" : `plan ${plan.state}`;
}
