import { stat, utimes } from "node:fs/promises";
import { ifThere } from "../repository/admin-dirs.ts";

/**
 * Gives an index the time of its original or copy, rounded down to a millisecond. Git reads a file again if its time is not older
 * than the index, since it may have changed in the same instant. So a copy may look older than it is, but never younger.
 */
export async function keepOlder(ours: string, theirs: string): Promise<void> {
  const [mine, other] = await Promise.all([stat(ours), stat(theirs)]);
  const seconds = Math.floor(Math.min(mine.mtimeMs, other.mtimeMs)) / 1000;
  await Promise.all([utimes(ours, seconds, seconds), utimes(theirs, seconds, seconds)]);
}

/** True if an index was written since `keepOlder` saw both: their times differ then. */
export async function writtenSince(ours: string, theirs: string): Promise<boolean> {
  const [mine, other] = await Promise.all([ifThere(stat(ours)), ifThere(stat(theirs))]);
  if (other === undefined) return false;
  return mine === undefined || mine.mtimeMs !== other.mtimeMs;
}
