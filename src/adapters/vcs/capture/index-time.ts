import { constants } from "node:fs";
import { open, stat, utimes } from "node:fs/promises";
import { ifThere } from "../repository/store.ts";

/**
 * Gives an index the time of its original or copy, rounded down to a millisecond. Git reads a file again if its time is not older
 * than the index, since it may have changed in the same instant. So a copy may look older than it is, but never younger.
 */
export async function keepOlder(ours: string, theirs: string): Promise<void> {
  const [mine, other] = await Promise.all([stat(ours), stat(theirs)]);
  const seconds = Math.floor(Math.min(mine.mtimeMs, other.mtimeMs)) / 1000;
  await Promise.all([utimes(ours, seconds, seconds), utimes(theirs, seconds, seconds)]);
}

/** True if neither index was written since `keepOlder` saw both: their times are the same then. */
export async function isAlike(ours: string, theirs: string): Promise<boolean> {
  const [mine, other] = await Promise.all([ifThere(stat(ours)), ifThere(stat(theirs))]);
  return mine !== undefined && mine.mtimeMs === other?.mtimeMs;
}

/** The end of an index that is searched; that of a small repository is there as a whole. Bytes. */
const TAIL_BYTES = 256 * 1024;

/**
 * True if an index says that it holds just the files of this tree, as after a commit: its extension TREE then begins with a number of
 * entries and the id of the tree (gitformat-index(5)). A worker that writes this wrongly hides from a capture what it has staged alone.
 */
export async function saysTree(index: string, tree: string): Promise<boolean> {
  const file = await open(index, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(Math.min(size, TAIL_BYTES)),
      0,
      undefined,
      Math.max(0, size - TAIL_BYTES),
    );
    const tail = buffer.toString("latin1", 0, bytesRead);
    const id = Buffer.from(tree, "hex").toString("latin1");
    const at = tail.lastIndexOf(id);
    return at >= 0 && /TREE[\s\S]{4}\0\d+ \d+\n$/.test(tail.slice(Math.max(0, at - 40), at));
  } finally {
    await file.close();
  }
}
