import type { RunId } from "../../domain/values/ids.ts";
import { requireRoom, reservedFile } from "./reserved-space.ts";
import { asRefusal, openDatabase } from "./schema.ts";

/** The longest time that a probe waits for another process's transaction. Milliseconds; nothing else happens meanwhile. */
const BUSY_MS = 500;

/**
 * Checks that the journal of a run can be written: its disk has room, and loopdash.db (`file`) takes a transaction, which changes
 * nothing. No journal of the run is open in this process. Throws what the next write of the journal would throw.
 */
export function probeJournal(file: string, run: RunId): void {
  requireRoom(reservedFile(file, run));
  const db = openDatabase(file);
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    db.prepare("UPDATE runs SET head_seq = head_seq WHERE run = ?").run(run);
  } catch (error) {
    throw asRefusal(error, file);
  } finally {
    db.close();
  }
}
