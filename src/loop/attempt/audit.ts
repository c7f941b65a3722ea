import type { AuditHead } from "../../domain/audit/audit-row.ts";
import { type AuditedCommand, AuditWatch } from "../../domain/audit/audit-watch.ts";
import type { AgentEvent } from "../../domain/run/agent-event.ts";
import type { AuditFact } from "../../domain/run/audit-fact.ts";
import { errorCode } from "../../domain/values/text.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";

type AuditContext = Pick<LoopContext, "audit" | "batch" | "outages" | "report" | "state">;

/** Logs what one agent does. */
export interface CommandAudit {
  event(event: AgentEvent): void;
  /**
   * Logs what has no result, and tells the journal the end of the log. Waits out a disk that refuses it, as for any other outage: rejects
   * with OutageGivenUp once the time is over.
   */
  end(): Promise<void>;
}

/** Logs the mutating commands of an agent from its events, never from what a hook says (S2.22). */
export function auditCommands(ctx: AuditContext, { ticket, n: attempt, signal }: OpenAttempt): CommandAudit {
  const watch = new AuditWatch();
  let [rows, unread] = [0, 0];
  const append = (commands: readonly AuditedCommand[]): void => {
    for (const command of commands) ctx.audit.append({ ticket: ticket.id, attempt, vendor: ctx.batch.agent.kind, ...command });
    rows += commands.length;
    unread += commands.filter((command) => command.unread).length;
  };
  return {
    event: (event) => append(watch.take(event)),
    async end() {
      append(watch.end());
      // An attempt that is ended does not wait: the rows do, for the next attempt's end.
      const head = signal.aborted
        ? headNow(ctx)
        : await ctx.outages
            .persist("disk", async () => ctx.audit.flush(), { signal })
            .catch((error: unknown) => {
              if (signal.aborted) return undefined;
              throw error;
            });
      if (head !== undefined) report(ctx, head, { ticket: ticket.id, attempt, rows, unread: unread > 0 ? unread : undefined });
    },
  };
}

/** Reports the end of the log if the journal does not name it: an engine was lost before it had. */
export function reportAudit(ctx: AuditContext): void {
  const head = headNow(ctx);
  if (head !== undefined && head.hash !== ctx.state().audit?.hash) report(ctx, head);
}

/** The end of the log; undefined if it is empty, or the disk refuses it now. */
function headNow({ audit }: AuditContext): AuditHead | undefined {
  try {
    return audit.flush();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // The end of the next attempt meets it again, and waits.
    return undefined;
  }
}

function report(ctx: AuditContext, head: AuditHead, of?: AuditFact["of"]): void {
  ctx.report({ type: "audit-head", ...head, of });
}
