import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../domain/values/error-text.ts";
import { removeFolder } from "../remove-folder.ts";

/** How the folders of removed entries begin. Nobody uses one again. */
export const REMOVED = "removed-";

/**
 * Removes what engines that died have left in the folder in which entries are built and removed: every removed entry, and every
 * half-built one that nobody builds. Names are read before the locks: a builder holds its lock for as long as its folder is there.
 */
export async function removeLeftovers(folder: string, isBuilt: (name: string) => boolean): Promise<void> {
  for (const name of await namesIn(folder))
    if (name.startsWith(REMOVED) || !isBuilt(name)) await removeFolder(join(folder, name));
}

/** The names in a folder; none if it is missing. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
