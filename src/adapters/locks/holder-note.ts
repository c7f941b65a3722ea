import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { LockHolder } from "../../ports/locks.ts";
import { systemCode } from "../disk-error.ts";

/**
 * A holder's description of itself, for the message to a second one only. A killed holder leaves its note behind, so nothing is
 * concluded from it.
 */
const Words = z.object({ pid: z.number().int(), run: z.string().max(200), since: z.number() });

/** Replaces the note in one step: a reader sees the old one or the new one, never half. */
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

/** The last note, or undefined if there is none that can be read. */
export function readNote(file: string): LockHolder | undefined {
  try {
    return Words.safeParse(JSON.parse(readFileSync(file, "utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** Removes the note, if it is there. */
export function removeNote(file: string): void {
  rmSync(file, { force: true });
}
