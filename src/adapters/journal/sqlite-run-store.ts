import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { z } from "zod";
import type { EarlierRun, Numbers } from "../../domain/results/trend.ts";
import type { Question } from "../../domain/run/attempt-fact.ts";
import { type Fence, RunId } from "../../domain/values/ids.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { Journal, KeptState, RunRow, RunStore, Tally } from "../../ports/run-store.ts";
import { origin } from "./chain.ts";
import { CheckResultsTable, clearCheckResults, listCheckResults } from "./check-results.ts";
import { JournalTable } from "./journal-table.ts";
import { KeptNumbers } from "./kept-numbers.ts";
import { ReservedSpace, reservedFile } from "./reserved-space.ts";
import { asRefusal, openDatabase } from "./schema.ts";
import { ReadingJournal, SqliteJournal } from "./sqlite-journal.ts";
import { KeptStates } from "./state-snapshots.ts";

/** A row of `runs`; null values become absent fields. */
const StoredRun = z.object({
  run: RunId,
  name: z.string(),
  batchPath: z.string(),
  batchFileSha: z.string(),
  startedAt: z.number(),
  endedAt: z.number().optional(),
  verdict: z.enum(["done", "not-done", "unjudged"]).optional(),
  exitCode: z.number().optional(),
  reason: z.string().optional(),
});

const COLUMNS = `run, name, batch_path AS batchPath, batch_file_sha AS batchFileSha, started_at AS startedAt,
  ended_at AS endedAt, verdict, exit_code AS exitCode, reason`;

/**
 * Opens loopdash.db. Several engines and readers may use one file at once. `now` returns milliseconds since the epoch. Throws a
 * UserError (exit 4) if the file cannot be used.
 */
export function openRunStore(file: string, { now }: { readonly now?: () => number } = {}): RunStore {
  const db = openDatabase(file);
  try {
    return new SqliteRunStore(db, file, now ?? Date.now);
  } catch (error) {
    db.close();
    throw asRefusal(error, file);
  }
}

/** One statement each, and so one transaction: no other process gets in between the sum and the row. */
const RESERVE_ATTEMPT = `INSERT INTO costs (run, fence, at, usd)
  SELECT ?1, ?2, ?3, ?4 WHERE ?4 + (SELECT coalesce(sum(usd), 0) FROM costs WHERE at >= ?5 AND NOT (run = ?1 AND fence IS ?2)) <= ?6
  ON CONFLICT (run, fence) WHERE fence IS NOT NULL DO UPDATE SET usd = excluded.usd`;
const RESERVE_QUESTION = `INSERT INTO costs (run, asking, at, usd, question)
  SELECT ?1, ?2, ?3, ?4, ?7 WHERE ?4 + (
    SELECT coalesce(sum(usd), 0) FROM costs WHERE at >= ?5 AND NOT (run = ?1 AND asking IS ?2 AND question IS ?7)) <= ?6
  ON CONFLICT (run, asking, question) WHERE asking IS NOT NULL DO UPDATE SET usd = excluded.usd`;

class SqliteRunStore implements RunStore {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #now: () => number;
  readonly #table: JournalTable;
  readonly #kept: KeptStates;
  readonly #numbers: KeptNumbers;
  readonly #statements = new Map<string, StatementSync>();
  readonly #journals = new Set<SqliteJournal>();
  /** Reserved for the first run that this store writes: an engine writes only one. */
  #spare: ReservedSpace | undefined;

  constructor(db: DatabaseSync, file: string, now: () => number) {
    this.#db = db;
    this.#file = file;
    this.#now = now;
    this.#table = new JournalTable(db);
    this.#kept = new KeptStates(db);
    this.#numbers = new KeptNumbers(db);
  }

  create(row: Omit<RunRow, "endedAt" | "verdict" | "exitCode" | "reason">): Journal {
    this.#change(
      "INSERT INTO runs (run, name, batch_path, batch_file_sha, started_at, head_hash) VALUES (?, ?, ?, ?, ?, ?)",
      row.run,
      row.name,
      row.batchPath,
      row.batchFileSha,
      row.startedAt,
      origin(row.run).hash,
    );
    return this.#journal(row.run);
  }

  open(run: RunId): Journal {
    this.#mustExist(run);
    return this.#journal(run);
  }

  openForReading(run: RunId): Journal {
    this.#mustExist(run);
    return new ReadingJournal({ run, table: this.#table });
  }

  rawJournal(run: RunId): ReturnType<RunStore["rawJournal"]> {
    this.#mustExist(run);
    const { recorded, last } = this.#table.ends(run);
    return { rows: this.#table.rows(run, recorded.seq), recorded, last };
  }

  end(run: RunId, options: Parameters<RunStore["end"]>[1]): void {
    const changed = this.#change(
      "UPDATE runs SET ended_at = ?, verdict = ?, exit_code = ?, reason = ? WHERE run = ?",
      options.at,
      options.verdict,
      options.exitCode,
      options.reason,
      run,
    );
    if (changed !== 1) throw new Error(`cannot end run ${run}: it is not on record`);
  }

  reopen(run: RunId): void {
    this.#change("UPDATE runs SET ended_at = NULL, verdict = NULL, exit_code = NULL, reason = NULL WHERE run = ?", run);
  }

  eventCount(run: RunId): number {
    return Number(this.#all("SELECT head_seq AS count FROM runs WHERE run = ?", run)[0]?.count ?? 0);
  }

  keepState(run: RunId, state: KeptState): void {
    this.#kept.keep(run, state);
  }

  keptState(run: RunId): KeptState | undefined {
    return this.#kept.kept(run);
  }

  recordTally(run: RunId, tally: Tally): void {
    this.#kept.record(run, tally);
  }

  tallies(): ReadonlyMap<RunId, Tally> {
    return this.#kept.tallies();
  }

  recordNumbers(run: RunId, numbers: Numbers): void {
    this.#numbers.keep(run, numbers);
  }

  earlier(run: RunId, most: number): readonly EarlierRun[] {
    return this.#numbers.earlier(run, most);
  }

  list(): readonly RunRow[] {
    return this.#all(`SELECT ${COLUMNS} FROM runs ORDER BY started_at DESC, rowid DESC`).map(runRow);
  }

  unfinished(batchPath: string): RunRow | undefined {
    const sql = `SELECT ${COLUMNS} FROM runs WHERE batch_path = ? AND ended_at IS NULL ORDER BY started_at DESC, rowid DESC LIMIT 1`;
    return this.#all(sql, batchPath).map(runRow)[0];
  }

  durations(batchPath: string): Readonly<Record<string, number>> {
    const sql = `SELECT ticket, ms FROM durations JOIN runs USING (run) WHERE batch_path = ? ORDER BY started_at, runs.rowid`;
    // Later runs overwrite earlier ones.
    return Object.fromEntries(this.#all(sql, batchPath).map((row) => [String(row.ticket), Number(row.ms)]));
  }

  recordDuration(run: RunId, ticket: string, ms: number): void {
    this.#change("INSERT OR REPLACE INTO durations (run, ticket, ms) VALUES (?, ?, ?)", run, ticket, Math.round(ms));
  }

  checkResults(options: Parameters<RunStore["checkResults"]>[0]): CheckResultsTable {
    return new CheckResultsTable(this.#db, { ...options, now: this.#now });
  }

  keptResults(): ReturnType<RunStore["keptResults"]> {
    return listCheckResults(this.#db);
  }

  clearKeptResults(): number {
    return clearCheckResults(this.#db);
  }

  spentSince(since: number, except?: RunId): number {
    const sql = "SELECT coalesce(sum(usd), 0) AS usd FROM costs WHERE at >= ? AND run IS NOT ?";
    return Number(this.#all(sql, since, except ?? null)[0]?.usd);
  }

  reserveCost({ run, fence, question, at, usd, since, capUsd }: Parameters<RunStore["reserveCost"]>[0]): boolean {
    const sql = question === undefined ? RESERVE_ATTEMPT : RESERVE_QUESTION;
    const which = question === undefined ? [] : [question];
    return this.#change(sql, run, fence, Math.floor(at), usd, since, capUsd, ...which) === 1;
  }

  settleCost(run: RunId, fence: Fence, usd: number, question?: Question): void {
    if (question === undefined) this.#change("UPDATE costs SET usd = ? WHERE run = ? AND fence = ?", usd, run, fence);
    else {
      const sql = "UPDATE costs SET usd = ?, asking = NULL WHERE run = ? AND asking = ? AND question = ?";
      this.#change(sql, usd, run, fence, question);
    }
  }

  /** Writes the waiting rows of every journal; closes the file even if that fails. */
  close(): void {
    if (!this.#db.isOpen) return;
    const failures: unknown[] = [];
    for (const journal of this.#journals) {
      try {
        journal.close();
      } catch (error) {
        failures.push(error);
      }
    }
    this.#spare?.giveUp();
    this.#db.close();
    if (failures.length > 0) throw failures[0];
  }

  #journal(run: RunId): Journal {
    this.#spare ??= new ReservedSpace(reservedFile(this.#file, run));
    const journal = new SqliteJournal({ run, table: this.#table, now: this.#now, spare: this.#spare });
    this.#journals.add(journal);
    return journal;
  }

  #mustExist(run: RunId): void {
    if (this.#all("SELECT 1 FROM runs WHERE run = ?", run).length === 1) return;
    throw new UserError({
      what: `cannot open run ${run}`,
      why: "there is no such run on record",
      todo: "See `loopdash runs` for the runs that are.",
      exitCode: EXIT.usage,
    });
  }

  #all(sql: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[] {
    return this.#use(sql, (statement) => statement.all(...values));
  }

  /** Runs a statement that changes rows; returns how many it changed. */
  #change(sql: string, ...values: SQLInputValue[]): number {
    const change = (statement: StatementSync) => Number(statement.run(...values).changes);
    return this.#use(sql, (statement) =>
      this.#spare === undefined ? change(statement) : this.#spare.use(() => change(statement)),
    );
  }

  #use<T>(sql: string, act: (statement: StatementSync) => T): T {
    try {
      const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
      this.#statements.set(sql, statement);
      return act(statement);
    } catch (error) {
      throw asRefusal(error, this.#file);
    }
  }
}

function runRow(row: Record<string, SQLOutputValue>): RunRow {
  const present = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  const { endedAt, verdict, exitCode, reason, ...begun } = StoredRun.parse(present);
  return { ...begun, endedAt, verdict, exitCode, reason };
}
