import { hash, randomUUID } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { Lock, LockHolder, Locks } from "../../ports/locks.ts";
import { diskProblem, SQLITE, sqliteCode, systemCode } from "../disk-error.ts";
import { makePrivateFolder } from "../private-folder.ts";

/**
 * Time that a taker waits, in milliseconds. A holder keeps a lock for a whole run; a process that only checks the lock has it for
 * less than a millisecond, and must not look like a holder.
 */
const LOOKER_MS = 50;

/**
 * Locks that live as long as their process, in a folder of SQLite files: the holder of a resource keeps a write transaction open
 * on its file. Beneath it is a POSIX record lock, which the kernel drops when the process ends, for whatever reason, and keeps
 * while it is merely stopped. No pid is ever checked.
 *
 * `BEGIN IMMEDIATE`, not `EXCLUSIVE`: SQLite takes the RESERVED lock in one step, so exactly one of two racing processes gets it.
 * The way to EXCLUSIVE leads through SHARED, where two can block each other and both lose.
 *
 * A lock file is never removed (another process may be about to lock it), and never opened except through SQLite: closing any
 * other descriptor of it would drop the lock (https://www.sqlite.org/howtocorrupt.html, 2.2).
 *
 * `waitMs` is how long a call blocks this process for a lock that is held.
 */
export function createLocks(folder: string, waitMs = LOOKER_MS): Locks {
  return new SqliteLocks(folder, waitMs);
}

interface Held {
  readonly holder: LockHolder;
  readonly db: DatabaseSync;
}

class SqliteLocks implements Locks {
  readonly #folder: string;
  readonly #waitMs: number;
  readonly #held = new Map<string, Held>();

  constructor(folder: string, waitMs: number) {
    this.#folder = folder;
    this.#waitMs = waitMs;
  }

  take(resources: readonly string[], holder: LockHolder): ReturnType<Locks["take"]> {
    const taken: Lock[] = [];
    // The same order everywhere: of two takers of overlapping sets, one gets past the first common resource.
    for (const resource of [...new Set(resources)].sort()) {
      let lock: Lock | undefined;
      try {
        lock = this.#takeOne(resource, holder);
      } finally {
        if (lock === undefined) for (const earlier of taken) earlier[Symbol.dispose]();
      }
      if (lock === undefined) return this.#refusal(resource);
      taken.push(lock);
    }
    return { ok: true, locks: taken };
  }

  isHeld(resource: string): boolean {
    if (this.#held.has(resource)) return true;
    if (!existsSync(this.#file(resource))) return false;
    return this.#guarded(() => {
      const db = this.#begin(resource);
      db?.close();
      return db === undefined;
    });
  }

  #takeOne(resource: string, holder: LockHolder): Lock | undefined {
    if (this.#held.has(resource)) return undefined;
    return this.#guarded(() => {
      makePrivateFolder(this.#folder);
      makePrivate(this.#file(resource));
      const db = this.#begin(resource);
      if (db === undefined) return undefined;
      const held = { holder, db };
      this.#held.set(resource, held);
      const lock = { resource, [Symbol.dispose]: () => this.#release(resource, held) };
      try {
        // Cleaners of temporary folders go by age, and an empty file that is only locked would look unused.
        utimesSync(this.#file(resource), new Date(), new Date());
        writeNote(this.#wordsFile(resource), holder);
      } catch (error) {
        lock[Symbol.dispose]();
        throw error;
      }
      return lock;
    });
  }

  /** A connection that holds the lock, or undefined if another process holds it. */
  #begin(resource: string): DatabaseSync | undefined {
    const db = new DatabaseSync(this.#file(resource), { timeout: this.#waitMs });
    try {
      // Nothing is ever written, so the file stays empty; a rollback journal beside it would be left behind by a kill.
      db.exec("PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE");
      return db;
    } catch (error) {
      db.close();
      if (sqliteCode(error) === SQLITE.busy) return undefined;
      throw error;
    }
  }

  /** Safe to repeat. Closing the connection ends its transaction, which never wrote anything. */
  #release(resource: string, held: Held): void {
    if (this.#held.get(resource) !== held) return;
    this.#held.delete(resource);
    try {
      removeNote(this.#wordsFile(resource));
    } finally {
      held.db.close();
    }
  }

  #refusal(resource: string): ReturnType<Locks["take"]> {
    const holder = this.#held.get(resource)?.holder ?? readNote(this.#wordsFile(resource));
    return { ok: false, resource, holder };
  }

  #guarded<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      const problem = diskProblem(error);
      if (problem === undefined) throw error;
      const what = `cannot use the locks in ${this.#folder}`;
      throw new UserError({ what, ...problem, exitCode: EXIT.refused, cause: error });
    }
  }

  #file(resource: string): string {
    return join(this.#folder, `${hash("sha256", resource).slice(0, 32)}.lock`);
  }

  #wordsFile(resource: string): string {
    return join(this.#folder, `${hash("sha256", resource).slice(0, 32)}.json`);
  }
}

/** Opens only a file that it has just made, on which this process can hold no lock yet. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

/**
 * A holder's description of itself, for the message to a second one only. A killed holder leaves its note behind, so nothing is
 * concluded from it.
 */
const Words = z.object({ pid: z.number().int(), run: z.string().max(200), since: z.number() });

/** Replaces the note in one step: a reader sees the old one or the new one, never half. */
function writeNote(file: string, holder: LockHolder): void {
  const fresh = `${file}.${randomUUID()}`;
  try {
    writeFileSync(fresh, JSON.stringify({ pid: holder.pid, run: holder.run, since: holder.since }), { mode: 0o600, flag: "wx" });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** The last note, or undefined if there is none that can be read. */
function readNote(file: string): LockHolder | undefined {
  try {
    return Words.safeParse(JSON.parse(readFileSync(file, "utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** Removes the note, if it is there. */
function removeNote(file: string): void {
  rmSync(file, { force: true });
}
