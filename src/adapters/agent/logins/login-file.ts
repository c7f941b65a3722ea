import { hash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isObject, type JsonObject } from "@loopdash/values";
import { errorCode, hasErrorCode } from "../../../domain/values/text.ts";

/** Bytes of the largest file. */
const MOST_BYTES = 1024 * 1024;
/** The age from which a lock counts as stale: Claude Code's own number. A refresh takes far less. Milliseconds. */
const STALE_MS = 60_000;
/** Time to wait for another process that refreshes. Milliseconds. */
const WAIT_MS = 45_000;
const RETRY_EVERY_MS = 100;

/** The content of a login's file. A text is the reason that there is none. */
export async function readLogin(file: string): Promise<JsonObject | string> {
  try {
    const found = await stat(file);
    if (!found.isFile() || found.size > MOST_BYTES) return "it is no file, or larger than 1 MiB";
    const kept: unknown = JSON.parse(await readFile(file, "utf8"));
    return isObject(kept) ? kept : "it holds no login";
  } catch (error) {
    // The parser's message quotes the text, which has tokens in it.
    if (error instanceof SyntaxError) return "it is not JSON";
    const code = errorCode(error);
    if (code === undefined) throw error;
    return code === "ENOENT" || code === "ENOTDIR" ? "it does not exist" : `it cannot be read (${code})`;
  }
}

/**
 * New content for a login's file, in a file beside it that then replaces it. If the process dies in between, the next one finishes
 * the replacement (`recoverLogin`).
 */
export interface PendingLogin {
  /** Writes the content to the disk, then replaces the login's file. */
  save(kept: JsonObject): Promise<void>;
  /** Removes the file beside it, if nothing was saved. */
  discard(): Promise<void>;
}

/**
 * Creates that file. Called before the refresh token is used up, because a folder that cannot be written must not cost the login.
 * `replaces` is that refresh token.
 */
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

/** Finishes the replacement that a process was making when it died. Removes files of earlier ones, and incomplete ones. */
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

/** Its name has a hash of the token, never the token. */
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
 * Runs `work` under a lock: a folder, which one process alone can make. The programs' own locks are of this kind too. Rejects if
 * another process keeps it locked.
 */
export async function withLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + WAIT_MS;
  while (!(await tryLock(lock))) {
    if (performance.now() > end)
      throw new Error(`another process has held ${lock} for ${WAIT_MS / 1000} s; end the program that renews the login`);
    await setTimeout(RETRY_EVERY_MS);
  }
  try {
    return await work();
  } finally {
    // It may be gone: another process may have thought it stale.
    await removeFolder(lock);
  }
}

/** True if the lock is ours now. Removes a stale one. */
async function tryLock(lock: string): Promise<boolean> {
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

/** It is moved away first, so that only one of two processes that find it stale removes it. */
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
