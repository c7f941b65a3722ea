import { createHmac, timingSafeEqual } from "node:crypto";
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { z } from "zod";
import type { CheckResults, FlakyTest, FoundRun, KeptResultRow, KeptRun } from "../../ports/check-results.ts";
import { diskProblem } from "../disk-error.ts";

/** Bounds on all kept results: their number and their bytes on the disk. */
const MOST_RESULTS = 512;
const MOST_BYTES = 64 * 2 ** 20;
/** A result beyond this is not kept: some million tests. Bytes. */
const LARGEST = 16 * 2 ** 20;
/** Flaky tests of one check, and how long they are remembered without being seen again. */
const MOST_FLAKY = 200;
const FLAKY_MS = 90 * 24 * 3_600_000;
/** A use is noted at most this often. Milliseconds. */
const NOTE_USE_MS = 3_600_000;

const Outcome = z.enum(["passed", "failed", "skipped", "todo"]);
const Stored = z.object({
  exitCode: z.number().int(),
  durationMs: z.number(),
  at: z.number(),
  isBase: z.boolean(),
  tests: z.array(z.tuple([z.string(), Outcome])),
});
const Flaky = z.array(z.object({ id: z.string(), tree: z.string(), at: z.number() }));

/** The tables of results. `secret` signs each row together with its place, so that no other program can write one. */
export interface CheckResultsOptions {
  readonly run: string;
  readonly secret: Buffer;
  readonly now: () => number;
}

type Row = Readonly<Record<string, SQLOutputValue>>;

/** Results of checks in loopdash.db. A fault of the disk never reaches the caller: then nothing is kept, or found. */
export class CheckResultsTable implements CheckResults {
  readonly #db: DatabaseSync;
  readonly #options: CheckResultsOptions;

  constructor(db: DatabaseSync, options: CheckResultsOptions) {
    this.#db = db;
    this.#options = options;
  }

  find(key: string): FoundRun | undefined {
    const { run, now } = this.#options;
    for (const row of this.#rows(key)) {
      const kept = this.#read(key, row);
      if (kept === undefined) continue;
      if (now() - Number(row.usedAt) > NOTE_USE_MS)
        this.#change("UPDATE check_results SET used_at = ? WHERE rowid = ?", now(), row.id as number);
      return { ...kept, isEarlier: row.run !== run };
    }
    return undefined;
  }

  keep(key: string, kept: KeptRun, { forEveryRun, name }: { readonly forEveryRun: boolean; readonly name: string }): void {
    const { tests, ...rest } = kept;
    const text = JSON.stringify({ ...rest, tests: tests.map(({ id, outcome }) => [id, outcome]) });
    this.#write(key, zstdCompressSync(text), { forEveryRun, name });
  }

  share(key: string): void {
    const own = this.#rows(key).find(({ run }) => run === this.#options.run);
    if (own === undefined || this.#read(key, own) === undefined) return;
    this.#write(key, Buffer.from(own.results as Uint8Array), { forEveryRun: true, name: String(own.name) });
  }

  flakyTests(check: string): readonly FlakyTest[] {
    const [row] = this.#all("SELECT flaky, mac FROM check_history WHERE check_id = ?", check);
    if (typeof row?.flaky !== "string" || !this.#isSigned(row.mac, ["flaky", check], Buffer.from(row.flaky))) return [];
    const since = this.#options.now() - FLAKY_MS;
    return Flaky.parse(JSON.parse(row.flaky)).filter(({ at }) => at >= since);
  }

  addFlakyTests(check: string, tests: readonly FlakyTest[]): void {
    const known = this.flakyTests(check).filter(({ id }) => !tests.some((test) => test.id === id));
    const text = JSON.stringify([...tests, ...known].slice(0, MOST_FLAKY));
    this.#change(
      `INSERT INTO check_history (check_id, at, flaky, mac) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (check_id) DO UPDATE SET at = ?2, flaky = ?3, mac = ?4`,
      ...[check, this.#options.now(), text, this.#mac(["flaky", check], Buffer.from(text))],
    );
  }

  lastMs(check: string): number | undefined {
    const ms = this.#all("SELECT last_ms AS ms FROM check_history WHERE check_id = ?", check)[0]?.ms;
    return typeof ms === "number" ? ms : undefined;
  }

  recordMs(check: string, ms: number): void {
    this.#change(
      `INSERT INTO check_history (check_id, at, last_ms) VALUES (?1, ?2, ?3)
       ON CONFLICT (check_id) DO UPDATE SET at = ?2, last_ms = ?3`,
      ...[check, this.#options.now(), Math.round(ms)],
    );
    this.#change(
      "DELETE FROM check_history WHERE check_id NOT IN (SELECT check_id FROM check_history ORDER BY at DESC LIMIT ?)",
      MOST_RESULTS,
    );
  }

  /** The rows of a key that this run may use: its own first, then the newest. */
  #rows(key: string): readonly Row[] {
    return this.#all(
      `SELECT rowid AS id, run, name, used_at AS usedAt, for_every_run AS forEveryRun, results, mac FROM check_results
       WHERE key = ?1 AND (run = ?2 OR for_every_run = 1) ORDER BY run = ?2 DESC, rowid DESC`,
      ...[key, this.#options.run],
    );
  }

  #read(key: string, { run, forEveryRun, results, mac }: Row): KeptRun | undefined {
    if (!(results instanceof Uint8Array) || !this.#isSigned(mac, ["result", key, run, forEveryRun], results)) return undefined;
    const { tests, ...rest } = Stored.parse(JSON.parse(zstdDecompressSync(results).toString()));
    return { ...rest, tests: tests.map(([id, outcome]) => ({ id, outcome })) };
  }

  #write(key: string, results: Buffer, { forEveryRun, name }: { readonly forEveryRun: boolean; readonly name: string }): void {
    const { run, now } = this.#options;
    if (results.length > LARGEST) return;
    const every = forEveryRun ? 1 : 0;
    this.#change(
      `INSERT OR REPLACE INTO check_results (key, run, for_every_run, name, at, used_at, results, mac)
       VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7)`,
      ...[key, run, every, name, now(), results, this.#mac(["result", key, run, every], results)],
    );
    if (forEveryRun) this.#change("DELETE FROM check_results WHERE key = ? AND for_every_run = 1 AND run <> ?", key, run);
    this.#change(
      `DELETE FROM check_results WHERE rowid IN (SELECT rowid FROM (
         SELECT rowid, row_number() OVER newest AS n, sum(length(results)) OVER newest AS bytes
         FROM check_results WINDOW newest AS (ORDER BY used_at DESC, rowid DESC))
       WHERE n > ? OR bytes > ?)`,
      ...[MOST_RESULTS, MOST_BYTES],
    );
  }

  #mac(place: readonly unknown[], bytes: Uint8Array): Buffer {
    return createHmac("sha256", this.#options.secret)
      .update(`${JSON.stringify(place)}\n`)
      .update(bytes)
      .digest();
  }

  #isSigned(mac: SQLOutputValue | undefined, place: readonly unknown[], bytes: Uint8Array): boolean {
    const expected = this.#mac(place, bytes);
    return mac instanceof Uint8Array && mac.length === expected.length && timingSafeEqual(mac, expected);
  }

  #all(sql: string, ...values: SQLInputValue[]): readonly Row[] {
    return unlessDiskFails(() => this.#db.prepare(sql).all(...values)) ?? [];
  }

  #change(sql: string, ...values: SQLInputValue[]): void {
    unlessDiskFails(() => this.#db.prepare(sql).run(...values));
  }
}

/** All kept results, for people, the last used first. */
export function listCheckResults(db: DatabaseSync): readonly KeptResultRow[] {
  const rows = db.prepare(
    `SELECT key, run, name, at, used_at AS usedAt, length(results) AS bytes, for_every_run AS forEveryRun
     FROM check_results ORDER BY used_at DESC, rowid DESC`,
  );
  return rows.all().map((row) => ({ ...(row as unknown as KeptResultRow), forEveryRun: row.forEveryRun === 1 }));
}

/** Removes all kept results, flaky tests and durations. Gives the number of results. */
export function clearCheckResults(db: DatabaseSync): number {
  db.exec("DELETE FROM check_history");
  return Number(db.prepare("DELETE FROM check_results").run().changes);
}

function unlessDiskFails<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch (error) {
    if (diskProblem(error) === undefined) throw error;
    return undefined;
  }
}
