import { chmodSync, closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { diskProblem, systemCode } from "../disk-error.ts";
import { makePrivateFolder } from "../private-folder.ts";

/** Marks the file as loopdash's in its SQLite header: "loop" in ASCII. */
const APPLICATION_ID = 0x6c_6f_6f_70;

/** The time that an engine waits for another one's transaction, in milliseconds. A transaction takes about one. */
const BUSY_MS = 5_000;

/** The one format. `head_seq` and `head_hash` repeat the newest row of a journal, which reveals a lost tail or a second writer. */
const TABLES = `
  CREATE TABLE runs (
    run TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    batch_path TEXT NOT NULL,
    batch_file_sha TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    verdict TEXT CHECK (verdict IN ('done', 'not-done', 'unjudged')),
    exit_code INTEGER,
    reason TEXT,
    head_seq INTEGER NOT NULL DEFAULT 0,
    head_hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_batch ON runs (batch_path, started_at);
  CREATE TABLE journal (
    run TEXT NOT NULL REFERENCES runs (run),
    seq INTEGER NOT NULL CHECK (seq > 0),
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    ticket TEXT,
    data TEXT NOT NULL,
    prev TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE durations (
    run TEXT NOT NULL REFERENCES runs (run),
    ticket TEXT NOT NULL,
    ms INTEGER NOT NULL CHECK (ms >= 0),
    PRIMARY KEY (run, ticket)
  ) STRICT, WITHOUT ROWID;
  -- The maximum cost of an attempt or question is reserved in its row before it starts; the real cost replaces it. An attempt asks
  -- the reviewer more than one question: \`asking\` is its fence until the question is answered.
  CREATE TABLE costs (
    run TEXT NOT NULL REFERENCES runs (run),
    at INTEGER NOT NULL,
    usd REAL NOT NULL CHECK (usd >= 0),
    fence INTEGER,
    question TEXT,
    asking INTEGER
  ) STRICT;
  CREATE INDEX costs_by_time ON costs (at);
  CREATE UNIQUE INDEX costs_by_attempt ON costs (run, fence) WHERE fence IS NOT NULL;
  CREATE UNIQUE INDEX costs_by_question ON costs (run, asking, question) WHERE asking IS NOT NULL;
  -- Caches for readers: no row of these two is evidence, and all of it can be rebuilt from the journals.
  CREATE TABLE kept_states (
    run TEXT NOT NULL PRIMARY KEY REFERENCES runs (run),
    seq INTEGER NOT NULL CHECK (seq > 0),
    row_hash TEXT NOT NULL,
    text TEXT NOT NULL,
    sum TEXT NOT NULL
  ) STRICT;
  CREATE TABLE tallies (
    run TEXT NOT NULL PRIMARY KEY REFERENCES runs (run),
    done INTEGER NOT NULL,
    gated INTEGER NOT NULL,
    open INTEGER NOT NULL,
    interventions INTEGER NOT NULL,
    stopped INTEGER NOT NULL
  ) STRICT;
  -- The flattened ledger of a run at its end, with which later runs are compared.
  CREATE TABLE numbers (
    run TEXT NOT NULL PRIMARY KEY REFERENCES runs (run),
    text TEXT NOT NULL
  ) STRICT;
  -- Results of checks by tree, command and environment, and what is known of each check. \`mac\` is the engine's own checksum.
  CREATE TABLE check_results (
    key TEXT NOT NULL,
    run TEXT NOT NULL,
    for_every_run INTEGER NOT NULL,
    name TEXT NOT NULL,
    at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    results BLOB NOT NULL,
    mac BLOB NOT NULL,
    PRIMARY KEY (key, run)
  ) STRICT;
  CREATE TABLE check_history (
    check_id TEXT NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    last_ms INTEGER,
    flaky TEXT,
    mac BLOB
  ) STRICT;
`;

/** The version of the file that this program writes. */
export const SCHEMA_VERSION = 1;

/**
 * Opens loopdash.db; creates it if needed. Every commit is on the disk when it returns. Throws a UserError (exit 4)
 * if the file cannot be used.
 */
export function openDatabase(file: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    makePrivate(file);
    db = new DatabaseSync(file, { timeout: BUSY_MS, enableForeignKeyConstraints: true });
    const version = knownVersion(db, file);
    // macOS distinguishes fsync from a flush of the drive's cache; fullfsync asks for the latter and means nothing elsewhere.
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA trusted_schema = OFF");
    db.exec("PRAGMA journal_size_limit = 67108864");
    if (version < SCHEMA_VERSION) makeTables(db, file);
    return db;
  } catch (error) {
    if (db?.isOpen) db.close();
    throw asRefusal(error, file);
  }
}

/** A failure of the disk or the database as a UserError (exit 4); any other error as it is. */
export function asRefusal(error: unknown, file: string): unknown {
  const problem = diskProblem(error, dirname(file));
  if (problem === undefined) return error;
  return new UserError({ what: `cannot use loopdash's records in ${file}`, ...problem, exitCode: EXIT.refused, cause: error });
}

/**
 * Makes the file with mode 0600 before SQLite opens it: its -wal and -shm files then get the same mode.
 * A file that exists is never opened here: closing any descriptor of it would drop the POSIX locks that this
 * process holds on it through SQLite (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
function makePrivate(file: string): void {
  makePrivateFolder(dirname(file));
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    chmodSync(file, 0o600);
  }
}

function knownVersion(db: DatabaseSync, file: string): number {
  const version = pragma(db, "user_version");
  const strange =
    pragma(db, "application_id") !== APPLICATION_ID && db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
  if (strange) {
    throw new UserError({
      what: `cannot use loopdash's records in ${file}`,
      why: "the file is another program's database",
      todo: "Move it away, or name another folder in LOOPDASH_HOME.",
      exitCode: EXIT.refused,
    });
  }
  if (version > SCHEMA_VERSION) throw newerRecords(file, version);
  return version;
}

/** Makes the error for records of a newer format (exit 4). */
export function newerRecords(file: string, version: number): UserError {
  return new UserError({
    what: `cannot use loopdash's records in ${file}`,
    why: `a newer loopdash wrote them (format ${version}; this one knows up to ${SCHEMA_VERSION})`,
    todo: "Update loopdash, or name another folder in LOOPDASH_HOME.",
    exitCode: EXIT.refused,
  });
}

/** In one transaction, which looks again: another engine may have been faster. */
function makeTables(db: DatabaseSync, file: string): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    if (knownVersion(db, file) === 0) db.exec(TABLES);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
  } finally {
    if (db.isTransaction) db.exec("ROLLBACK");
  }
}

function pragma(db: DatabaseSync, name: "user_version" | "application_id"): number {
  const value = db.prepare(`PRAGMA ${name}`).get()?.[name];
  if (typeof value !== "number") throw new Error(`SQLite gave no ${name}`);
  return value;
}
