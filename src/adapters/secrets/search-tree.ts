import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../domain/values/error-text.ts";
import type { Patterns } from "./patterns.ts";

/** Bytes that are read at once. */
const CHUNK = 1024 * 1024;

/** Bytes that are searched at most. Files with holes cost a program nothing, and would keep the engine busy for days. */
const MOST_BYTES = 32 * 2 ** 30;

/** A file that holds a pattern in its text, its name or the target of its link, or one that cannot be searched. */
export interface FoundFile {
  readonly path: string;
  /** The code of the error, if it cannot be searched. */
  readonly unreadable?: string;
}

/**
 * Searches everything below a path, also names and targets of links, without following one. Gives the first file with one of the
 * patterns; one that cannot be read counts as such (law 4), and so does the first beyond 32 GiB. Nothing may write there during
 * the search.
 */
export async function searchTree(path: string, patterns: Patterns): Promise<FoundFile | undefined> {
  if (patterns.longest === 0) return undefined;
  const waiting = [path];
  let bytes = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const at = next;
    try {
      bytes += await sizeOf(at);
      if (bytes > MOST_BYTES) return { path: at, unreadable: "EFBIG" };
      const { holds, inside } = await searchEntry(at, { top: path, patterns });
      if (holds) return { path: at };
      waiting.push(...inside.map((name) => join(at, name)));
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      if (at !== path || code !== "ENOENT") return { path: at, unreadable: code };
    }
  }
  return undefined;
}

/** The size of a file; 0 for anything else. */
async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path);
  return found.isFile() ? found.size : 0;
}

/** Searches one entry, without what is below it. `inside` are the names in a folder. */
async function searchEntry(
  path: string,
  { top, patterns }: { readonly top: string; readonly patterns: Patterns },
): Promise<{ readonly holds: boolean; readonly inside: readonly string[] }> {
  const isIn = (text: string): boolean => patterns.find(Buffer.from(text)).length > 0;
  const isNamed = path !== top && isIn(path.slice(top.length));
  const found = await lstat(path);
  if (found.isDirectory()) return { holds: isNamed, inside: await readdir(path) };
  if (found.isSymbolicLink()) return { holds: isNamed || isIn(await readlink(path)), inside: [] };
  return { holds: isNamed || (found.isFile() && (await fileHolds(path, patterns))), inside: [] };
}

async function fileHolds(path: string, patterns: Patterns): Promise<boolean> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  return await streamHolds(file, patterns);
}

/** Keeps the end of each piece for the next one, because a pattern may begin in one piece and end in the next. */
async function streamHolds(file: FileHandle, patterns: Patterns): Promise<boolean> {
  const overlap = patterns.longest - 1;
  const bytes = Buffer.allocUnsafe(overlap + CHUNK);
  for (let kept = 0; ; ) {
    const { bytesRead } = await file.read(bytes, kept, CHUNK);
    if (bytesRead === 0) return false;
    const end = kept + bytesRead;
    if (patterns.find(bytes.subarray(0, end)).length > 0) return true;
    const from = Math.max(0, end - overlap);
    bytes.copy(bytes, 0, from, end);
    kept = end - from;
  }
}
