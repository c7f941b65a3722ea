import { randomFillSync } from "node:crypto";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SQLITE, sqliteCode } from "../disk-error.ts";

/** Enough for the facts of some seconds: until whoever filled the disk is gone. Bytes, and a share of a small disk. */
const MOST = 2 * 1024 * 1024;
const SHARE = 0.02;
/** It is made anew so long after it was needed, at the earliest. Milliseconds. */
const ANEW_MS = 5_000;

/**
 * Room that is set aside on the disk, so that a run outlives the moments in which somebody else has filled it. Nothing here throws:
 * without it, a full disk stops the run, which can be gone on with.
 */
export class ReservedSpace {
  readonly #file: string;
  /** When it was given up, in milliseconds of performance.now. */
  #gone: number | undefined;

  /** `file` is replaced. */
  constructor(file: string) {
    this.#file = file;
    this.#make();
  }

  /** Does a write; if the disk is full, once more with the room that was set aside. Throws what the write throws. */
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

  /** Frees the room. */
  giveUp(): void {
    this.#gone = performance.now();
    rmSync(this.#file, { force: true });
  }

  #make(): void {
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      const { blocks, bsize } = statfsSync(dirname(this.#file));
      const size = blocks === 0 ? MOST : Math.min(MOST, Math.floor(blocks * bsize * SHARE));
      // Not zeros, which some file systems keep without room.
      writeFileSync(this.#file, randomFillSync(new Uint8Array(size)), { mode: 0o600 });
      this.#gone = undefined;
    } catch {
      this.giveUp();
    }
  }
}
