import { constants } from "node:fs";
import { type FileHandle, lstat, open, opendir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../domain/values/text.ts";

/** The text of a file, or the reason that there is none; undefined if there is no such file. */
type Text = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** Names in a folder, up to the requested number, or the reason that there are none. */
type Names =
  | { readonly ok: true; readonly names: readonly string[]; readonly more: boolean }
  | { readonly ok: false; readonly why: string };

/** Opens a file for reading, never the target of a link at its place (ELOOP), and does not wait for a pipe. */
export function openNoLink(file: string): Promise<FileHandle> {
  return open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** The bytes of an open file from `from` on, at most `most`: fewer if it ends before. */
export async function readUpTo(handle: FileHandle, most: number, from = 0): Promise<Buffer> {
  const bytes = Buffer.alloc(most);
  let length = 0;
  for (let more = 1; more > 0 && length < most; length += more)
    more = (await handle.read(bytes, length, most - length, from + length)).bytesRead;
  return bytes.subarray(0, length);
}

/**
 * The text of a plain file at `path` under `folder`, which is a real path. Reads no target of a link there or on the way there,
 * and no second name of a file elsewhere. Does not wait for a pipe. UTF-8, at most `most` bytes. Reports why it cannot read a
 * file.
 */
export function readPlainFile(folder: string, path: string, most: number): Promise<Text | undefined> {
  const file = join(folder, path);
  return told(async () => {
    const handle = await openNoLink(file);
    try {
      if ((await realpath(file)) !== file) return refused("a link leads to it");
      return await readPlainText(handle, most);
    } finally {
      await handle.close();
    }
  });
}

/**
 * Opens the plain file at this path, whose folder is a real path, and gives what `use` makes of it and of its size in bytes. Follows no
 * link there or on the way there, and does not wait for a pipe. Gives the reason if the file is not used, and undefined if it is not there.
 */
export async function withPlainFile<T>(
  file: string,
  most: number,
  use: (handle: FileHandle, size: number) => Promise<T>,
): Promise<T | { readonly ok: false; readonly why: string } | undefined> {
  try {
    const handle = await openNoLink(file);
    try {
      const found = await handle.stat();
      if (!found.isFile()) return refused("it is not a plain file");
      if (found.size > most) return refused(`it is larger than ${most} bytes`);
      const real = await realpath(file);
      if (real !== file) return refused("a link leads to it");
      return await use(handle, found.size);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    return refused(code === "ELOOP" ? "it is a link" : `it cannot be read (${code})`);
  }
}

/** The names in the folder at `path` under `folder`, which is a real path; never in the target of a link. In no order. */
export function namesIn(folder: string, path: string, most: number): Promise<Names | undefined> {
  const place = join(folder, path);
  return told(async () => {
    if (!(await lstat(place)).isDirectory() || (await realpath(place)) !== place) return refused("is not a folder");
    const names: string[] = [];
    for await (const { name } of await opendir(place)) {
      if (names.length === most) return { ok: true, names, more: true } as const;
      names.push(name);
    }
    return { ok: true, names, more: false } as const;
  });
}

async function readPlainText(handle: FileHandle, most: number): Promise<Text> {
  const found = await handle.stat();
  if (!found.isFile()) return refused("is not a plain file");
  if (found.nlink > 1) return refused("is a second name of another file");
  if (found.size > most) return refused(`is longer than ${most} bytes`);
  // One byte more than its size, to detect a growing file.
  const bytes = await readUpTo(handle, found.size + 1);
  if (bytes.length !== found.size) return refused("changed while it was read");
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return refused("is not UTF-8 text");
    throw error;
  }
}

/** Reports the file system's errors about a file that an agent has made; a missing file is undefined. */
async function told<T>(read: () => Promise<T>): Promise<T | { readonly ok: false; readonly why: string } | undefined> {
  try {
    return await read();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    if (code === "ENOENT") return undefined;
    return refused(code === "ELOOP" ? "is a link" : `cannot be read (${code})`);
  }
}

function refused(why: string): { readonly ok: false; readonly why: string } {
  return { ok: false, why };
}
