import { hash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, readFile, realpath, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { errorCode, hasErrorCode } from "../../../domain/values/error-text.ts";
import { isObject, type JsonObject } from "../../json.ts";

/** Bytes of the largest file. */
const MOST_BYTES = 1024 * 1024;
/** A lock that is older was left behind. Claude Code's own number; a refresh takes far less. Milliseconds. */
const STALE_MS = 60_000;
/** Time to wait for another process that refreshes. Milliseconds. */
const WAIT_MS = 45_000;
const LOOK_EVERY_MS = 100;

/** The content of a login's file. A text is the reason that there is none. */
export async function readLogin(file: string): Promise<JsonObject | string> {
  try {
    const found = await stat(file);
    if (!found.isFile() || found.size > MOST_BYTES) return "it is no file of a login";
    const kept: unknown = JSON.parse(await readFile(file, "utf8"));
    return isObject(kept) ? kept : "it is no file of a login";
  } catch (error) {
    // The parser's message quotes the text, which has tokens in it.
    if (error instanceof SyntaxError) return "it is not JSON";
    const code = errorCode(error);
    if (code === undefined) throw error;
    return code === "ENOENT" || code === "ENOTDIR" ? "it does not exist" : `it cannot be read (${code})`;
  }
}

/** The real path of a login's file: a link of the person's stays a link. */
export function realFile(file: string): Promise<string> {
  return realpath(file);
}

/**
 * A new content of a login's file, which is on the disk before its place is taken: if the process dies between the two, the next
 * one finishes it (`recoverLogin`). `replaces` is the refresh token that it replaces.
 */
export interface PendingLogin {
  /** Writes the content and puts it in place. */
  save(kept: JsonObject): Promise<void>;
  /** Removes what `save` did not put in place. */
  discard(): Promise<void>;
}

/** Opens it before the refresh token is used up: a folder that cannot be written must not cost the login. */
export async function openPending(file: string, replaces: string): Promise<PendingLogin> {
  const pending = pendingPath(file, replaces);
  const mode = (await stat(file)).mode & 0o777;
  const handle = await open(pending, "w", mode);
  return {
    async save(kept) {
      await handle.writeFile(`${JSON.stringify(kept, undefined, 2)}\n`);
      await handle.sync();
      await handle.close();
      await rename(pending, file);
      await syncFolder(dirname(file));
    },
    async discard() {
      await handle.close();
      await rm(pending, { force: true });
    },
  };
}

/** Finishes what a process that died had begun, and removes what is of no use any more. */
export async function recoverLogin(file: string, refresh: string | undefined): Promise<void> {
  const folder = dirname(file);
  const current = refresh === undefined ? undefined : basename(pendingPath(file, refresh));
  for (const name of await readdir(folder)) {
    if (!name.startsWith(pendingStart(file))) continue;
    const isWhole = name === current && typeof (await readLogin(join(folder, name))) !== "string";
    if (isWhole) await rename(join(folder, name), file);
    else await rm(join(folder, name), { force: true });
  }
}

/** The token itself stays out of the name. */
function pendingPath(file: string, replaces: string): string {
  return join(dirname(file), `${pendingStart(file)}${hash("sha256", replaces).slice(0, 32)}`);
}

function pendingStart(file: string): string {
  return `.${basename(file)}.loopdash-`;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Runs `work` while no other process refreshes the login: a folder that one process alone can make, as the programs' own locks
 * are. Rejects if it stays locked.
 */
export async function whileLocked<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + WAIT_MS;
  while (!(await isTaken(lock))) {
    if (performance.now() > end) throw new Error("another process keeps the login locked");
    await setTimeout(LOOK_EVERY_MS);
  }
  try {
    return await work();
  } finally {
    // Somebody may have taken it for left behind.
    await removeFolder(lock);
  }
}

async function isTaken(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
  const since = await changedAt(lock);
  if (since !== undefined && Date.now() - since > STALE_MS) await removeStale(lock);
  return false;
}

/** Moved away first: of two processes that find it stale, one alone removes it. */
async function removeStale(lock: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  try {
    await rename(lock, aside);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return;
    throw error;
  }
  await removeFolder(aside);
}

async function removeFolder(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
}

async function changedAt(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
