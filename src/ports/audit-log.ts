import type { AuditEntry, AuditHead } from "../domain/audit/audit-row.ts";

/** The log of what agents did, in the run's own folder. The engine is its only writer. Nothing of it is ever rewritten or removed. */
export interface AuditLog {
  /** Takes a row. It is in the file at once, unless the disk refuses it; then it waits for the next call. */
  append(entry: AuditEntry): void;
  /**
   * Brings all rows to the disk, also for a power loss, and gives the end of the log; undefined if it has no row. Finds what a lost engine
   * left torn. Throws the system's error if the disk refuses a row.
   */
  flush(): AuditHead | undefined;
}
