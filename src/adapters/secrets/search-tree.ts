import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink } from "node:fs/promises";
import { errorCode } from "../../domain/values/text.ts";
import { pathIn } from "../byte-paths.ts";
import type { FormSearch } from "./form-search.ts";

/** Bytes that are read at once. */
const CHUNK = 1024 * 1024;

/** Bytes that are searched at most. Files with holes cost a program nothing, and would keep the engine busy for days. */
const MOST_BYTES = 32 * 2 ** 30;

/** A file that holds a form of a secret in its text, its name or the target of its link, or one that cannot be searched. */
export interface FoundFile {
  readonly path: string;
  /** The code of the error, if it cannot be searched. */
  readonly unreadable?: string;
}

/**
 * Searches everything below a path, also names and targets of links, without following one. Gives the first file with one of the
 * forms; one that cannot be read counts as such (law 4), and so does the first beyond 32 GiB, or beyond the length of a path.
 * Nothing may write there during the search.
 */
export async function searchTree(path: string, search: FormSearch): Promise<FoundFile | undefined> {
  if (search.isEmpty) return undefined;
  const top: Buffer = Buffer.from(path);
  const waiting: Buffer[] = [top];
  let bytes = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const at = next;
    try {
      bytes += await fileSize(at);
      if (bytes > MOST_BYTES) return { path: at.toString(), unreadable: "EFBIG" };
      const { holds, inside } = await searchEntry(at, { top, search });
      if (holds) return { path: at.toString() };
      waiting.push(...inside.map((name) => pathIn(at, name)));
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      if (at !== top || code !== "ENOENT") return { path: at.toString(), unreadable: code };
    }
  }
  return undefined;
}

/** The size of a file; 0 for anything else. */
async function fileSize(path: Buffer): Promise<number> {
  const found = await lstat(path);
  return found.isFile() ? found.size : 0;
}

/** Searches one entry, without what is below it. `inside` are the names in a folder: bytes, which need not be UTF-8. */
async function searchEntry(
  path: Buffer,
  { top, search }: { readonly top: Buffer; readonly search: FormSearch },
): Promise<{ readonly holds: boolean; readonly inside: readonly Buffer[] }> {
  const isIn = (text: Buffer): boolean => search.find(text).length > 0;
  const isNamed = path !== top && isIn(path.subarray(top.length));
  const found = await lstat(path);
  if (found.isDirectory()) return { holds: isNamed, inside: await readdir(path, { encoding: "buffer" }) };
  if (found.isSymbolicLink()) return { holds: isNamed || isIn(await readlink(path, { encoding: "buffer" })), inside: [] };
  return { holds: isNamed || (found.isFile() && (await fileHolds(path, search))), inside: [] };
}

async function fileHolds(path: Buffer, search: FormSearch): Promise<boolean> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  return await streamHolds(file, search);
}

/** Keeps the end of a piece that may begin a form for the next one. */
async function streamHolds(file: FileHandle, search: FormSearch): Promise<boolean> {
  let bytes: Buffer = Buffer.allocUnsafe(CHUNK);
  for (let kept = 0; ; ) {
    if (bytes.length < kept + CHUNK) bytes = Buffer.concat([bytes.subarray(0, kept)], kept + CHUNK);
    const { bytesRead } = await file.read(bytes, kept, CHUNK);
    if (bytesRead === 0) return false;
    const end = kept + bytesRead;
    const { found, beginning } = search.search(bytes.subarray(0, end));
    if (found.length > 0) return true;
    bytes.copy(bytes, 0, beginning, end);
    kept = end - beginning;
  }
}
