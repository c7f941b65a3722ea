import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ifThere, type Store } from "../repository/store.ts";
import { diffTree } from "./diff-tree.ts";

/**
 * The first untracked file or folder of a clean checkout of `from` that lies where `to` puts a new file. Ignored files count:
 * read-tree would overwrite them silently (it treats ignored files as expendable).
 */
export async function inTheWay(store: Store, checkout: string, from: string, to: string): Promise<string | undefined> {
  const { added, deleted } = await addedAndDeleted(store, from, to);
  const tracked = new Set(deleted.flatMap((path) => [path, ...foldersAbove(path)]));
  const seen = new Set<string>();
  for (const path of added) {
    // Files that `from` tracks there are replaced as intended.
    if (!tracked.has(path) && (await ifThere(lstat(join(checkout, path)))) !== undefined) return path;
    for (const folder of foldersAbove(path)) {
      if (seen.has(folder)) break;
      seen.add(folder);
      const found = await ifThere(lstat(join(checkout, folder)));
      if (found !== undefined && !found.isDirectory() && !tracked.has(folder)) return folder;
    }
  }
  return undefined;
}

async function addedAndDeleted(store: Store, from: string, to: string): Promise<{ added: string[]; deleted: string[] }> {
  const options = ["-z", "--name-status", "--no-renames", "--diff-filter=AD"];
  const { output } = await diffTree(store, { from, tip: to, options }, Number.POSITIVE_INFINITY);
  const fields = output.toString("utf8").split("\0");
  const of = (letter: string) => fields.filter((_, i) => i % 2 === 1 && fields[i - 1] === letter);
  return { added: of("A"), deleted: of("D") };
}

/** "a/b" and "a" for "a/b/c". */
function foldersAbove(path: string): string[] {
  const above: string[] = [];
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) above.push(folder);
  return above;
}
