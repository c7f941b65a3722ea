import { DatabaseSync } from "node:sqlite";
import { mayWait, type RunFact } from "../../src/domain/run/event.ts";

/** Makes a journal what a power cut leaves of it at the worst: what might wait, and was not taken along by another, is gone. */
export function loseWhatMayWait(file: string, run: string): void {
  const db = new DatabaseSync(file);
  try {
    const rows = db.prepare("SELECT seq, hash, data FROM journal WHERE run = ? ORDER BY seq DESC").all(run);
    const last = rows.find((row) => !mayWait(JSON.parse(String(row["data"])) as RunFact));
    if (last === undefined) throw new Error(`run ${run} has no journal`);
    const { seq = null, hash = null } = last;
    db.prepare("DELETE FROM journal WHERE run = ? AND seq > ?").run(run, seq);
    db.prepare("UPDATE runs SET head_seq = ?, head_hash = ? WHERE run = ?").run(seq, hash, run);
  } finally {
    db.close();
  }
}
