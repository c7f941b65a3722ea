import { join } from "node:path";
import { openAuditLog } from "../../src/adapters/audit/audit-log.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import type { Orchestrator } from "../../src/loop/run/orchestrator.ts";
import type { AuditLog } from "../../src/ports/audit-log.ts";

/** The audit log in a run's folder. */
export function auditIn(folder: string, run: string, orchestrator: Orchestrator): AuditLog {
  return openAuditLog({ folder: join(folder, "audit"), run, head: () => orchestrator.state.audit, clock: systemClock });
}
