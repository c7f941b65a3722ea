import { randomFillSync } from "node:crypto";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SQLITE, sqliteCode } from "../disk-error.ts";

/** Enough for the facts of some seconds, until the process that filled the disk is gone. Bytes, and a share of a small disk. */
const MOST = 2 * 1024 * 1024;
const SHARE = 0.02;
/** The earliest time after its use at which it is reserved again. Milliseconds. */
const ANEW_MS = 5_000;

/** The file that reserves the space of a run. `db` is the path of loopdash.db. */
export function reservedFile(db: string, run: string): string {
  return join(dirname(db), "runs", run, "spare-room");
}

/**
 * Checks that the disk of a run has room for its reserved space and as much again, by a write that reaches the disk. `file` is
 * where the space will be reserved: nothing is left there. Throws the error of the system.
 */
export function requireRoom(file: string): void {
  try {
    writeFileSync(file, createRandomBytes(2 * sizeAt(file)), { mode: 0o600, flush: true });
  } finally {
    rmSync(file, { force: true });
  }
}

/** The size of the reserved space at a place, in bytes. */
function sizeAt(file: string): number {
  const { blocks, bsize } = statfsSync(dirname(file));
  return blocks === 0 ? MOST : Math.min(MOST, Math.floor(blocks * bsize * SHARE));
}

/** Not zeros: some file systems store them without space. */
function createRandomBytes(size: number): Uint8Array {
  return randomFillSync(new Uint8Array(size));
}

/**
 * Reserved disk space with which a run survives moments in which somebody else has filled the disk. Nothing here throws: without
 * the space, a full disk stops the run, which can be resumed.
 */
export class ReservedSpace {
  readonly #file: string;
  /** The time at which it was freed, in milliseconds of performance.now. */
  #gone: number | undefined;

  /** `file` is replaced. */
  constructor(file: string) {
    this.#file = file;
    this.#make();
  }

  /** Does a write; if the disk is full, tries again after freeing the reserved space. Throws the write's error. */
  use<T>(write: () => T): T {
    try {
      const result = write();
      if (this.#gone !== undefined && performance.now() - this.#gone > ANEW_MS) this.#make();
      return result;
    } catch (error) {
      if (sqliteCode(error) !== SQLITE.full || this.#gone !== undefined) throw error;
      this.giveUp();
      return write();
    }
  }

  /** Frees the space. */
  giveUp(): void {
    this.#gone = performance.now();
    rmSync(this.#file, { force: true });
  }

  #make(): void {
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(this.#file, createRandomBytes(sizeAt(this.#file)), { mode: 0o600 });
      this.#gone = undefined;
    } catch {
      this.giveUp();
    }
  }
}
