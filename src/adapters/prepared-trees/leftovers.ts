import { join } from "node:path";
import { namesIn } from "../missing-files.ts";
import { removeFolder } from "../remove-folder.ts";

/** The beginning of the name of an entry's folder that is being removed. */
export const REMOVED_PREFIX = "removed-";

/**
 * Removes what engines that died have left in the folder in which entries are built and removed: every removed entry, and every
 * half-built one that nobody is building. The names are read before the locks, because a builder holds its lock for as long as its
 * folder is there.
 */
export async function removeLeftovers(folder: string, isBeingBuilt: (name: string) => boolean): Promise<void> {
  for (const name of await namesIn(folder))
    if (name.startsWith(REMOVED_PREFIX) || !isBeingBuilt(name)) await removeFolder(join(folder, name));
}
