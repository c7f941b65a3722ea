import { awaitsApproval } from "../run/approval.ts";
import type { RunState } from "../run/state.ts";
import { runTimeAfter } from "../run/suspension.ts";
import type { TicketState } from "../run/ticket-state.ts";
import { vecAt } from "../values/vec.ts";

/** The tickets whose work waits for an approval, and that are not being left to a person. */
export function ticketsAwaiting(state: RunState): readonly TicketState[] {
  return (state.awaiting ?? []).flatMap((index) => {
    const ticket = vecAt(state.tickets, index);
    const isOpen = ticket.phase === "waiting" && ticket.attempt === undefined && ticket.gate === undefined;
    return isOpen && awaitsApproval(ticket) ? [ticket] : [];
  });
}

/** The moment from which a run without other work leaves those tickets to a person; undefined if none waits. In milliseconds. */
export function approvalsEndAt(state: RunState): number | undefined {
  const since = ticketsAwaiting(state).map(({ approval }) => approval?.at ?? 0);
  return since.length === 0 ? undefined : runTimeAfter(state, Math.max(...since), waitMs(state));
}

/** A batch says how long; else a run that somebody watches waits for a while, and one that nobody does not at all. */
function waitMs({ batch, isAttended }: RunState): number {
  return (batch.bound?.waitMinutes ?? (isAttended === true ? ATTENDED_MINUTES : 0)) * 60_000;
}

/** Minutes that a run which was started in a dashboard waits for approvals once nothing else is left. */
const ATTENDED_MINUTES = 30;
