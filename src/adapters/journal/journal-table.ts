import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import type { RunEvent } from "../../domain/run/event.ts";
import { hasErrorCode } from "../../domain/values/text.ts";
import { JournalBroken, type JournalRow, type Tip } from "../../ports/run-store.ts";
import { diskProblem, SQLITE, sqliteCode, systemCode } from "../disk-error.ts";
import { checkRow, origin } from "./chain.ts";

/** Rows read at a time. Short reads never delay a checkpoint of the write-ahead log. */
const PAGE = 500;

/** Another process wrote to the journal, so this process's next row would not follow. */
export class JournalTaken extends Error {
  override readonly name = "JournalTaken";
}

type Row = Record<string, SQLOutputValue>;

/** The journal's statements, prepared once per connection. */
export class JournalTable {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #moveHead: StatementSync;
  readonly #head: StatementSync;
  readonly #page: StatementSync;
  readonly #row: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#insert = db.prepare(
      "INSERT INTO journal (run, seq, at, type, ticket, data, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    );
    this.#moveHead = db.prepare("UPDATE runs SET head_seq = ?, head_hash = ? WHERE run = ? AND head_hash = ?");
    // One statement sees one state of the file, even while another process writes.
    this.#head = db.prepare(
      `SELECT head_seq AS seq, head_hash AS hash, (SELECT coalesce(max(seq), 0) FROM journal WHERE run = runs.run) AS last
       FROM runs WHERE run = ?`,
    );
    this.#row = db.prepare("SELECT hash FROM journal WHERE run = ? AND seq = ?");
    this.#page = db.prepare(
      `SELECT seq, at, type, ticket, data, prev, hash FROM journal
       WHERE run = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ${PAGE}`,
    );
  }

  /** Writes rows that follow `from`, all or none; they are on the disk when it returns. */
  write(run: string, from: Tip, rows: readonly JournalRow[]): void {
    const last = rows.at(-1);
    if (last === undefined) return;
    const taken = (cause?: unknown) => new JournalTaken(`another process wrote to it after row ${from.seq}`, { cause });
    this.#begin.run();
    try {
      if (Number(this.#moveHead.run(last.seq, last.hash, run, from.hash).changes) !== 1) throw taken();
      for (const row of rows) this.#insert.run(run, row.seq, row.at, row.type, row.ticket, row.data, row.prev, row.hash);
      this.#commit.run();
    } catch (error) {
      throw sqliteCode(error) === SQLITE.constraint ? taken(error) : error;
    } finally {
      // SQLite rolls back by itself if the disk is full, but not after other failures.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    }
  }

  /** The end of the journal of `run`. Throws JournalBroken if its last row is not the last one written. */
  tip(run: string): Tip {
    const { recorded: tip, last } = this.ends(run);
    if (last !== tip.seq)
      throw new JournalBroken(`journal of run ${run}, row ${tip.seq}: it was written last, but row ${last} is`);
    return tip;
  }

  /**
   * All events after row `after`, up to the tip as it is at the first step. Throws JournalBroken at the first row that does not
   * fit.
   */
  *events(run: string, after: number): Generator<RunEvent> {
    const end = this.tip(run);
    let tip = after === 0 ? origin(run) : this.#at(run, after);
    for (;;) {
      const rows = reading(run, () => this.#page.all(run, tip.seq, end.seq));
      if (rows.length === 0) break;
      for (const raw of rows) {
        const row = journalRow(raw);
        const event = checkRow(tip, run, row);
        tip = row;
        yield event;
      }
    }
    if (tip.hash !== end.hash)
      throw new JournalBroken(`journal of run ${run}, row ${tip.seq}: it is not the one that was written last`);
  }

  /** The end that is on record for the journal of `run`, and the number of its last row. Throws JournalBroken if there is none. */
  ends(run: string): { readonly recorded: Tip; readonly last: number } {
    const row = reading(run, () => this.#head.get(run));
    if (row === undefined) throw new JournalBroken(`journal of run ${run}: its run is not on record`);
    return { recorded: { seq: number(row, "seq"), hash: text(row, "hash") }, last: number(row, "last") };
  }

  /** The rows of a journal up to `last` as they are stored, unchecked. Throws JournalBroken if one cannot be read. */
  *rows(run: string, last: number): Generator<JournalRow> {
    for (let seq = 0; ; ) {
      const rows = reading(run, () => this.#page.all(run, seq, last));
      if (rows.length === 0) return;
      for (const raw of rows) {
        const row = journalRow(raw);
        seq = row.seq;
        yield row;
      }
    }
  }

  #at(run: string, seq: number): Tip {
    const row = reading(run, () => this.#row.get(run, seq));
    if (row === undefined) throw new JournalBroken(`journal of run ${run}, row ${seq}: it is missing`);
    return { seq, hash: text(row, "hash") };
  }
}

/** A page that SQLite finds damaged, or a number that no program wrote, is a broken journal like any other. */
function reading<T>(run: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const outOfRange = error instanceof RangeError && hasErrorCode(error, "ERR_OUT_OF_RANGE");
    const why = outOfRange ? "a number in it is out of range" : diskProblem(error)?.why;
    if (why === undefined || systemCode(error) !== undefined) throw error;
    throw new JournalBroken(`journal of run ${run}: it cannot be read: ${why}`, { cause: error });
  }
}

function journalRow(row: Row): JournalRow {
  return {
    seq: number(row, "seq"),
    at: number(row, "at"),
    type: text(row, "type"),
    ticket: row.ticket === null ? null : text(row, "ticket"),
    data: text(row, "data"),
    prev: text(row, "prev"),
    hash: text(row, "hash"),
  };
}

function number(row: Row, name: string): number {
  const value = row[name];
  if (typeof value !== "number") throw new JournalBroken(`journal: column ${name} holds no number`);
  return value;
}

function text(row: Row, name: string): string {
  const value = row[name];
  if (typeof value !== "string") throw new JournalBroken(`journal: column ${name} holds no text`);
  return value;
}
