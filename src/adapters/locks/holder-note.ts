import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { LockHolder } from "../../ports/locks.ts";
import { systemCode } from "../disk-error.ts";

/**
 * What a holder says of itself. For the message to the second one only: a killed holder leaves its words behind, so
 * nothing is ever concluded from them.
 */
const Words = z.object({ pid: z.number().int(), run: z.string().max(200), since: z.number() });

/** Replaces the words in one step: a reader sees the old ones or the new ones, never half. */
export function writeNote(file: string, holder: LockHolder): void {
  const fresh = `${file}.${randomUUID()}`;
  try {
    writeFileSync(fresh, JSON.stringify({ pid: holder.pid, run: holder.run, since: holder.since }), { mode: 0o600, flag: "wx" });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** The words last written, or undefined where there are none that can be read. */
export function readNote(file: string): LockHolder | undefined {
  try {
    return Words.safeParse(JSON.parse(readFileSync(file, "utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** Takes the words back, if they are there. */
export function removeNote(file: string): void {
  rmSync(file, { force: true });
}
