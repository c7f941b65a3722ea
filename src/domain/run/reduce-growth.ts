import { grownPlan } from "../schedule/plan.ts";
import { requeue, withTicket } from "../schedule/queue.ts";
import { vecAt, vecPush } from "../values/vec.ts";
import type { RunEvent } from "./event.ts";
import { newTicket } from "./reduce-start.ts";
import { indexOf, type RunState } from "./state.ts";

/** Events by which a batch grows: a worker found a ticket, and the engine files it. */
export type GrowthEvent = Extract<RunEvent, { type: "ticket-discovered" | "discovery-filed" }>;

/**
 * Folds growth. The ticket belongs to the batch from its discovery on, and nothing takes it out again. It can start once the
 * tracker holds it. Throws a RangeError if its id is taken.
 */
export function reduceGrowth(state: RunState, event: GrowthEvent): RunState {
  return event.type === "ticket-discovered" ? discovered(state, event) : filed(state, indexOf(state, event.ticket));
}

function discovered(state: RunState, event: Extract<GrowthEvent, { type: "ticket-discovered" }>): RunState {
  const finder = indexOf(state, event.ticket);
  const ticket = vecAt(state.tickets, finder);
  if (ticket.attempt?.fence !== event.fence) throw new RangeError(`no attempt with fence ${event.fence}`);
  const index = state.plan.tickets.length;
  const next: RunState = {
    ...state,
    plan: grownPlan(state.plan, event.discovered, event.blocks ? finder : undefined),
    tickets: vecPush(state.tickets, { ...newTicket(event.discovered, 0), unfiled: true }),
    counts: { ...state.counts, waiting: state.counts.waiting + 1 },
    filing: [...state.filing, index],
    reverified: false,
  };
  return event.blocks ? withTicket(next, finder, { ...ticket, openDeps: ticket.openDeps + 1 }) : next;
}

/** The tracker holds it. A ticket that was given up because the tracker did not take it is open again. */
function filed(state: RunState, index: number): RunState {
  const { unfiled, stalledReason: _, endedAt: __, ...ticket } = vecAt(state.tickets, index);
  if (unfiled === undefined) return state;
  const next = withTicket(state, index, { ...ticket, phase: "waiting" });
  const { discoveries, filing } = state;
  return requeue(
    {
      ...next,
      filing: filing.filter((other) => other !== index),
      discoveries: { ...discoveries, filed: discoveries.filed + 1 },
      reverified: false,
    },
    index,
  );
}
