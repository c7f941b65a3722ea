import type { AgentEnding } from "../run/attempt-fact.ts";
import type { TicketState } from "../run/ticket-state.ts";

/** A person settled the ticket of a running attempt, or it is missing in the tracker. A merge is not cut short. */
export function forcedEnding(ticket: TicketState): AgentEnding | undefined {
  const { attempt, gate, closedByPerson } = ticket;
  if (attempt?.merge?.landed === false) return undefined;
  if (closedByPerson === "closing") return "closed-by-person";
  if (gate !== undefined) return "gated-by-person";
  return isStoppedByMissing(ticket) ? "stopped" : undefined;
}

/** True if an attempt may not land, because nobody can judge its ticket. If the ticket is only unreadable, its agent goes on. */
function isStoppedByMissing({ attempt, phase, tracked }: TicketState): boolean {
  if (tracked?.unavailable === undefined || attempt?.merge !== undefined) return false;
  return tracked.unreadable === undefined || phase === "finishing";
}
