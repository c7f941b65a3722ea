import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path/posix";
import { ifThere } from "../missing-files.ts";

/** Folders in which Maven (Surefire, Failsafe) and Gradle leave a JUnit file for each class of tests. */
const FOLDER = /(?:^|\/)(?:target\/(?:surefire|failsafe)-reports|build\/test-results\/[^/]+)$/;
const REPORT = /^TEST-.+\.xml$/;

/** A folder that a command removed or closed meanwhile has no reports. */
const UNREADABLE = ["ENOENT", "ENOTDIR", "EACCES"];

/** Bounds of a search: folders, and their depth. */
const MOST_FOLDERS = 20_000;
const MOST_LEVELS = 16;

/**
 * Finds the JUnit files that builds below a folder have written since a moment (nanoseconds), as paths within it. Follows no link, and
 * looks into no hidden folder and no `node_modules`. The search ends at its bounds, and the tests beyond them count as missing.
 */
export async function buildReports(folder: string, since: bigint): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [""];
  for (const path of folders) {
    const entries = await ifThere(readdir(join(folder, path), { withFileTypes: true }), UNREADABLE);
    for (const entry of entries ?? []) {
      const inner = join(path, entry.name);
      const isSearched = entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name) && inner.split("/").length <= MOST_LEVELS;
      if (isSearched && folders.length < MOST_FOLDERS) folders.push(inner);
      if (!entry.isDirectory() && FOLDER.test(path) && REPORT.test(entry.name) && (await isFresh(join(folder, inner), since)))
        found.push(inner);
    }
  }
  return found.toSorted();
}

async function isFresh(file: string, since: bigint): Promise<boolean> {
  const { mtimeNs, ctimeNs } = await lstat(file, { bigint: true });
  return mtimeNs >= since && ctimeNs >= since;
}
