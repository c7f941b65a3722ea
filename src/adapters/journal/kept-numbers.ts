import type { DatabaseSync, StatementSync } from "node:sqlite";
import { z } from "zod";
import type { EarlierRun, Numbers } from "../../domain/results/trend.ts";
import type { RunId } from "../../domain/values/ids.ts";

const StoredNumbers = z.record(z.string(), z.number());

const StoredRun = z.object({
  run: z.string(),
  startedAt: z.number(),
  verdict: z.enum(["done", "not-done", "unjudged"]).nullable(),
  sameBatch: z.number(),
  numbers: z.string().nullable(),
});

/**
 * The ledgers of runs, stored beside their journals, so that a run can be compared with earlier ones without reading their
 * journals.
 */
export class KeptNumbers {
  readonly #keep: StatementSync;
  readonly #earlier: StatementSync;

  constructor(db: DatabaseSync) {
    this.#keep = db.prepare("INSERT OR REPLACE INTO numbers (run, text) VALUES (?, ?)");
    this.#earlier = db.prepare(
      `SELECT runs.run, runs.started_at AS startedAt, runs.verdict, numbers.text AS numbers,
         runs.batch_file_sha = own.batch_file_sha AS sameBatch
       FROM runs JOIN runs AS own ON own.run = ? AND own.batch_path = runs.batch_path LEFT JOIN numbers ON numbers.run = runs.run
       WHERE (runs.started_at, runs.rowid) < (own.started_at, own.rowid) AND runs.head_seq > 0
       ORDER BY runs.started_at DESC, runs.rowid DESC LIMIT ?`,
    );
  }

  keep(run: RunId, numbers: Numbers): void {
    this.#keep.run(run, JSON.stringify(numbers));
  }

  /** Newest first. Missing or unreadable numbers are left out: they are unknown. */
  earlier(run: RunId, most: number): readonly EarlierRun[] {
    return z
      .array(StoredRun)
      .parse(this.#earlier.all(run, most))
      .map(({ verdict, numbers, sameBatch, ...row }) => ({
        ...row,
        sameBatch: sameBatch === 1,
        verdict: verdict ?? undefined,
        ...parsed(numbers),
      }));
  }
}

function parsed(text: string | null): { readonly numbers?: Numbers } {
  if (text === null) return {};
  try {
    const { success, data } = StoredNumbers.safeParse(JSON.parse(text));
    return success ? { numbers: data } : {};
  } catch {
    return {};
  }
}
