import type { Dirent, Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { hasErrorCode } from "../../domain/values/error-text.ts";
import { Unreadable, unreadableLog } from "./read-lines.ts";

/** Files that are found, and levels of folders, at most. */
const MOST_FILES = 100_000;
const MOST_DEPTH = 16;

/** A log, with the data that shows if it has changed. */
export interface SessionLogFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * Logs under a folder that were written since then: an older log has no later entries. Follows links, each folder once. A missing
 * folder has no logs; one that cannot be read throws Unreadable.
 */
export async function findLogs(
  root: string,
  { isLog, since }: { readonly since: number; readonly isLog: (name: string) => boolean },
): Promise<readonly SessionLogFile[]> {
  const names = (await isThere(root)) ? await namesUnder(root, { seen: new Set(), depth: 0 }) : [];
  const logs = names.filter((path) => isLog(basename(path)));
  if (logs.length > MOST_FILES) throw new Unreadable(root, `it holds more than ${MOST_FILES} logs`);
  const found: SessionLogFile[] = [];
  for (const path of logs) {
    const { size, mtimeMs } = await look(path);
    if (mtimeMs >= since) found.push({ path, size, mtimeMs });
  }
  return found;
}

/** Every entry that is no folder. `seen` are the folders that were read. */
async function namesUnder(folder: string, options: { readonly seen: Set<string>; readonly depth: number }): Promise<string[]> {
  if (options.depth > MOST_DEPTH) throw new Unreadable(folder, `it lies more than ${MOST_DEPTH} folders deep`);
  const { dev, ino } = await look(folder);
  const id = `${dev}:${ino}`;
  if (options.seen.has(id)) return [];
  options.seen.add(id);
  const names: string[] = [];
  for (const entry of await list(folder)) {
    const path = join(folder, entry.name);
    if (await leadsToFolder(entry, path))
      for (const name of await namesUnder(path, { ...options, depth: options.depth + 1 })) names.push(name);
    else names.push(path);
  }
  return names;
}

async function isThere(root: string): Promise<boolean> {
  return (await target(root)) !== undefined;
}

/** A broken link with a log's name is reported when it is opened. */
async function leadsToFolder(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return (await target(path))?.isDirectory() ?? false;
}

/** The target of a path; undefined if there is none. */
async function target(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw unreadableLog(path, error);
  }
}

function look(path: string): Promise<Stats> {
  return stat(path).catch((error: unknown) => {
    throw unreadableLog(path, error);
  });
}

function list(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw unreadableLog(folder, error);
  });
}
