import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "./disk-error.ts";

/**
 * Makes a folder, and the missing ones above it, with mode 0700; an existing one stays as it is. Node's own `recursive` never
 * returns if the system answers ENOENT although the parent is there (/proc does).
 */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) === "ENOENT" && !isFolder(dirname(folder)) && dirname(folder) !== folder) {
      makePrivateFolder(dirname(folder));
      makePrivateFolder(folder);
    } else if (!isFolder(folder)) {
      throw error;
    }
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
