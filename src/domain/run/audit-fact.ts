import type { AuditHead } from "../audit/audit-row.ts";
import type { TicketId } from "../values/ids.ts";

/**
 * The end of the audit log, which is on the disk: the journal vouches for all rows up to it. Reported when an agent has ended, and by the
 * next engine if the last one was lost before.
 */
export interface AuditFact extends AuditHead {
  readonly type: "audit-head";
  /** The attempt whose agent has ended, its rows, and how many of them are commands that loopdash did not parse. */
  readonly of?: { readonly ticket: TicketId; readonly attempt: number; readonly rows: number; readonly unread?: number };
}

/** The part of an attempt that says how many commands of its agent are in the audit log; absent before that is known. */
export interface AuditResult {
  readonly audited?: number;
  readonly auditUnread?: number;
}
