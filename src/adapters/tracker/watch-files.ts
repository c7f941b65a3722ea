import { type FSWatcher, watch } from "node:fs";
import { basename } from "node:path";
import { errorMessage } from "../../domain/values/text.ts";

/** Changes within this time are one. Milliseconds. */
const DEBOUNCE_MS = 150;

/**
 * Calls `changed` soon after files of the folder may have changed: those that `isOurs` names, itself, or all if the system names none.
 * Best effort: if a folder cannot be watched (no more inotify instances, a network drive), one warning says so.
 */
export function watchFiles(folder: string, isOurs: (name: string) => boolean, changed: () => void): () => void {
  const itself = basename(folder);
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  const soon = (_event: string, name: string | null): void => {
    // A folder that is moved or removed is named itself.
    if (timer !== undefined || (name !== null && name !== itself && !isOurs(name))) return;
    timer = setTimeout(() => {
      timer = undefined;
      changed();
    }, DEBOUNCE_MS);
    timer.unref();
  };
  const failed = (error: unknown): void => {
    watcher?.close();
    watcher = undefined;
    process.emitWarning(`${folder} cannot be watched, so changes are noticed later: ${errorMessage(error)}`);
  };
  try {
    watcher = watch(folder, { persistent: false }, soon);
    watcher.on("error", failed);
  } catch (error) {
    failed(error);
  }
  return () => {
    clearTimeout(timer);
    watcher?.close();
  };
}
