import type { Dirent, Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { hasErrorCode } from "../../domain/values/error-text.ts";
import { Unreadable, unreadableLog } from "./read-lines.ts";

/** Files that are looked at, and folders within each other, at most. */
const MOST_FILES = 100_000;
const MOST_DEPTH = 16;

/** A log, and what tells whether it has changed. */
export interface SessionLogFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * Logs under a folder that were written since then: what was not cannot hold anything of it. Links are followed, each folder once. A
 * folder that is not there has none; one that cannot be looked into throws Unreadable.
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

/** Everything that is no folder. `seen` are the folders that were looked into. */
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

/** A link that leads nowhere is told where it is opened, if it has a log's name. */
async function leadsToFolder(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return (await target(path))?.isDirectory() ?? false;
}

/** What a path leads to; undefined where there is nothing. */
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
