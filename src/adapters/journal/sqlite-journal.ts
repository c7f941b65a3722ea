import { mayWait, type RunEvent, type RunFact } from "../../domain/run/event.ts";
import { errorMessage } from "../../domain/values/text.ts";
import type { Journal, JournalRow, Tip } from "../../ports/run-store.ts";
import { diskProblem, SQLITE, sqliteCode } from "../disk-error.ts";
import { linkAfter, parseFact } from "./chain.ts";
import type { JournalTable } from "./journal-table.ts";
import type { ReservedSpace } from "./reserved-space.ts";

/** The longest time that a row may wait to be written, in milliseconds. */
const WAIT_MS = 250;
/** The largest number of rows that may wait. */
const WAIT_ROWS = 200;

/**
 * Failures after which the same write may be repeated. After any other, above all a failed fsync, the kernel no longer tells what
 * is on the disk, so this writer stops writing.
 */
const PASSING = new Set<number>([SQLITE.full, SQLITE.busy, SQLITE.locked, SQLITE.noMemory, SQLITE.readOnly]);

/** Options of a journal. `now` returns milliseconds since the epoch. */
export interface JournalOptions {
  readonly run: string;
  readonly table: JournalTable;
  readonly now: () => number;
  /** Disk space that is freed if a write does not fit on a full disk. */
  readonly spare?: ReservedSpace;
}

/** The writer of one run's journal. */
export class SqliteJournal implements Journal {
  readonly #options: JournalOptions;
  /** The last row on the disk. */
  #stored: Tip;
  /** Rows that have their place but are not on the disk yet. */
  #waiting: JournalRow[] = [];
  #timer: NodeJS.Timeout | undefined;
  /**
   * True after a write by the timer failed: every row is written at once until one succeeds, so that the next caller sees the
   * failure.
   */
  #refused = false;
  /** The reason why this journal can never be written again. */
  #dead: Error | undefined;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#stored = options.table.tip(options.run);
  }

  append(fact: RunFact): RunEvent {
    this.#checkAlive();
    const data = JSON.stringify(fact);
    // Returns what a reader of the row will get: a live run and its replay reduce the same values.
    const kept = parseFact(data);
    if (kept === undefined) throw new TypeError("a fact is an object with a type");
    const at = Math.floor(this.#options.now());
    const row = linkAfter(this.#waiting.at(-1) ?? this.#stored, this.#options.run, { at, fact: kept, data });
    if (mayWait(fact) && !this.#refused && this.#waiting.length + 1 < WAIT_ROWS) this.#wait(row);
    else this.#write([...this.#waiting, row]);
    return { ...kept, seq: row.seq, at };
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    this.#checkAlive();
    this.#write(this.#waiting);
  }

  read(after = 0): Iterable<RunEvent> {
    this.flush();
    return this.#options.table.events(this.#options.run, after);
  }

  close(): void {
    if (this.#dead !== undefined) return;
    try {
      this.flush();
    } finally {
      clearTimeout(this.#timer);
      this.#dead = new Error(`the journal of run ${this.#options.run} is closed`);
    }
  }

  #wait(row: JournalRow): void {
    this.#waiting.push(row);
    this.#timer ??= setTimeout(() => this.#onTimer(), WAIT_MS).unref();
  }

  #onTimer(): void {
    this.#timer = undefined;
    try {
      this.flush();
    } catch {
      // No caller waits for the timer. The rows stay, and the next append or flush reports the failure to its caller.
      this.#refused = true;
    }
  }

  /** All or none: after a failure, memory is unchanged and waiting rows keep their place. */
  #write(rows: readonly JournalRow[]): void {
    try {
      const { run, spare, table } = this.#options;
      const write = () => table.write(run, this.#stored, rows);
      if (spare === undefined) write();
      else spare.use(write);
    } catch (error) {
      throw this.#failure(error);
    }
    this.#stored = rows.at(-1) ?? this.#stored;
    this.#waiting = [];
    this.#refused = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #failure(cause: unknown): Error {
    const why = diskProblem(cause)?.why ?? errorMessage(cause);
    const failure = new Error(`cannot write the journal of run ${this.#options.run}: ${why}`, { cause });
    if (!PASSING.has(sqliteCode(cause) ?? -1)) {
      this.#dead = failure;
      clearTimeout(this.#timer);
    }
    return failure;
  }

  #checkAlive(): void {
    if (this.#dead !== undefined) throw new Error(this.#dead.message, { cause: this.#dead });
  }
}

/** A read-only journal: an engine may be writing it at the same time. */
export class ReadingJournal implements Journal {
  readonly #options: Omit<JournalOptions, "now" | "spare">;

  constructor(options: Omit<JournalOptions, "now" | "spare">) {
    this.#options = options;
  }

  append(fact: RunFact): never {
    throw new Error(`cannot append ${fact.type}: the journal of run ${this.#options.run} is open for reading only`);
  }

  flush(): void {
    // Nothing waits in a read-only journal.
  }

  read(after = 0): Iterable<RunEvent> {
    return this.#options.table.events(this.#options.run, after);
  }

  close(): void {
    // The connection belongs to the store.
  }
}
