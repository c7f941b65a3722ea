import { hash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { z } from "zod";
import { RunId } from "../../domain/values/ids.ts";
import type { KeptState, Tally } from "../../ports/run-store.ts";

/** A row of `kept_states`, with the current hash of the journal's row at the same place; null if there is no such row. */
const StoredState = z.object({
  seq: z.number(),
  rowHash: z.string(),
  text: z.string(),
  sum: z.string(),
  journalHash: z.string().nullable(),
});

const StoredTally = z.object({
  run: RunId,
  done: z.number(),
  gated: z.number(),
  open: z.number(),
  interventions: z.number(),
  stopped: z.number(),
});

/** States of runs stored beside their journals, for readers. All of them can be rebuilt from the journals. */
export class KeptStates {
  readonly #keep: StatementSync;
  readonly #kept: StatementSync;
  readonly #rowHash: StatementSync;
  readonly #record: StatementSync;
  readonly #tallies: StatementSync;

  constructor(db: DatabaseSync) {
    this.#rowHash = db.prepare("SELECT hash FROM journal WHERE run = ? AND seq = ?");
    this.#keep = db.prepare("INSERT OR REPLACE INTO kept_states (run, seq, row_hash, text, sum) VALUES (?, ?, ?, ?, ?)");
    this.#kept = db.prepare(
      `SELECT kept_states.seq, row_hash AS rowHash, text, sum, journal.hash AS journalHash
       FROM kept_states LEFT JOIN journal USING (run, seq) WHERE run = ?`,
    );
    this.#record = db.prepare(
      "INSERT OR REPLACE INTO tallies (run, done, gated, open, interventions, stopped) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#tallies = db.prepare("SELECT run, done, gated, open, interventions, stopped FROM tallies");
  }

  /** Replaces the stored state. Throws if the journal has no such row on the disk. */
  keep(run: RunId, { seq, text }: KeptState): void {
    const row = this.#rowHash.get(run, seq);
    if (typeof row?.hash !== "string") throw new RangeError(`the journal of run ${run} has no row ${seq}`);
    this.#keep.run(run, seq, row.hash, text, snapshotSum(run, seq, row.hash, text));
  }

  /** The stored state, if it is unchanged and the journal still has the row up to which it was made. */
  kept(run: RunId): KeptState | undefined {
    const found = StoredState.safeParse(this.#kept.get(run));
    if (!found.success) return undefined;
    const { seq, rowHash, text, sum, journalHash } = found.data;
    if (rowHash !== journalHash || sum !== snapshotSum(run, seq, rowHash, text)) return undefined;
    return { seq, text };
  }

  record(run: RunId, { done, gated, open, interventions, stopped }: Tally): void {
    this.#record.run(run, done, gated, open, interventions, stopped ? 1 : 0);
  }

  /** By run. */
  tallies(): ReadonlyMap<RunId, Tally> {
    const rows = z.array(StoredTally).parse(this.#tallies.all());
    return new Map(rows.map(({ run, stopped, ...counts }) => [run, { ...counts, stopped: stopped === 1 }]));
  }
}

/** No field before `text` can contain a "|", so the hashed text has only one reading. */
function snapshotSum(run: string, seq: number, rowHash: string, text: string): string {
  return hash("sha256", `${run}|${seq}|${rowHash}|${text}`);
}
