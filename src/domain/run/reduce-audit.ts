import { withTicket } from "../schedule/queue.ts";
import { vecAt } from "../values/vec.ts";
import type { AuditFact } from "./audit-fact.ts";
import { type RunState, ticketIndex } from "./state.ts";

/** Records the end of the audit log, and the commands of an attempt that has not ended. */
export function reduceAudit(state: RunState, { segment, n, hash, of }: AuditFact): RunState {
  const next: RunState = { ...state, audit: { segment, n, hash } };
  if (of === undefined) return next;
  const index = ticketIndex(next, of.ticket);
  const ticket = vecAt(next.tickets, index);
  const { attempt } = ticket;
  if (attempt?.n !== of.attempt) return next;
  const unread = of.unread === undefined ? {} : { auditUnread: of.unread };
  return withTicket(next, index, { ...ticket, attempt: { ...attempt, audited: of.rows, ...unread } });
}
