import { type BigIntStats, constants } from "node:fs";
import { link, lstat, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasErrorCode } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { openNoLink } from "../plain-file.ts";

/** The identity of a file's content, by its status. Equal stamps mean that it was probably not written. */
export interface Stamp {
  /** Changes whenever the file is written or replaced, unless that happens twice within a tick of the file system's clock. */
  readonly stamp: string;
  /** The time of its last change. Milliseconds since the epoch. */
  readonly changedMs: number;
}

/** A file as it was read: its text, and the data to write it back as the same kind of file. */
export interface WholeFile extends Stamp {
  readonly text: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a regular file whole. Throws a UserError for links, devices, files above `maxBytes` and text that is not UTF-8. */
export async function readWholeFile(file: string, maxBytes: number): Promise<WholeFile> {
  const handle = await openNoLink(file).catch((cause: unknown) => {
    if (hasErrorCode(cause, "ELOOP")) throw unfit(file, "it is a symbolic link", "Put the file itself there.", cause);
    throw cause;
  });
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw unfit(file, "it is not a regular file", "Put a plain file there.");
    if (stats.size > BigInt(maxBytes)) throw unfit(file, `it is larger than ${maxBytes} bytes`, "Make it smaller.");
    const text = decode(await handle.readFile(), file);
    const owner = { mode: Number(stats.mode) & 0o7777, uid: Number(stats.uid), gid: Number(stats.gid) };
    return { text, stamp: fileStamp(stats), changedMs: Number(stats.ctimeMs), ...owner };
  } finally {
    await handle.close();
  }
}

/** The file's stamp now; undefined if there is no file. */
export async function stampNow(file: string): Promise<string | undefined> {
  try {
    return fileStamp(await lstat(file, { bigint: true }));
  } catch (cause) {
    if (hasErrorCode(cause, "ENOENT")) return undefined;
    throw cause;
  }
}

/**
 * Replaces the file, or makes it, so that a crash at any instant leaves the old or the new text and nothing between: a temporary
 * file beside it, fsync, rename, fsync of the folder. Returns false, and changes nothing, if the file is no longer the one that
 * was read. Refuses a file without write permission.
 */
export async function replaceWholeFile(file: string, text: string, before: WholeFile | undefined): Promise<boolean> {
  if (before !== undefined && (before.mode & 0o222) === 0) {
    throw unfit(file, "it is read-only", "Allow writing to it (chmod u+w), then start again.");
  }
  const temporary = temporaryPath(file);
  await rm(temporary, { force: true });
  try {
    await writeDurably(temporary, text, before);
    if ((await stampNow(file)) !== before?.stamp) return false;
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(file));
  return true;
}

/**
 * Makes the file, so that a crash at any instant leaves all of it or nothing. Returns false, and changes nothing, if the name is
 * taken: link(2) fails then, while a rename would replace the file.
 */
export async function makeWholeFile(file: string, text: string): Promise<boolean> {
  const temporary = temporaryPath(file);
  await rm(temporary, { force: true });
  try {
    await writeDurably(temporary, text, undefined, 0o666);
    await link(temporary, file);
  } catch (cause) {
    if (hasErrorCode(cause, "EEXIST")) return false;
    throw cause;
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(file));
  return true;
}

function temporaryPath(file: string): string {
  return join(dirname(file), `.${basename(file)}.loopdash-tmp`);
}

/** `mode` is for a file that is not made like another; the process's umask is taken off it. */
async function writeDurably(file: string, text: string, like: WholeFile | undefined, mode = 0o600): Promise<void> {
  const handle = await open(file, "wx", mode);
  try {
    await handle.writeFile(text, "utf8");
    if (like !== undefined) {
      // Only the superuser can give files away; others already own their files.
      if (process.geteuid?.() === 0) await handle.chown(like.uid, like.gid);
      await handle.chmod(like.mode);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a rename in the folder survive power loss. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function fileStamp(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw unfit(file, "it is not UTF-8 text", "Save it as UTF-8.", cause);
  }
}

function unfit(file: string, why: string, todo: string, cause?: unknown): UserError {
  return new UserError({ what: `${JSON.stringify(file)} cannot be used`, why, todo, exitCode: EXIT.unjudged, cause });
}
