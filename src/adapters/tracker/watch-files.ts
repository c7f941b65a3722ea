import { type FSWatcher, watch } from "node:fs";
import { errorMessage } from "../../domain/values/error-text.ts";

/** Changes within this time are one. Milliseconds. */
const DEBOUNCE_MS = 150;

/**
 * Calls `changed` soon after files of the folder may have changed: those that `isOurs` names, or all if the system names none.
 * Best effort: a folder that cannot be watched (no more inotify instances, a network drive) is told of once, and never watched.
 */
export function watchFiles(folder: string, isOurs: (name: string) => boolean, changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  const soon = (_event: string, name: string | null): void => {
    if (timer !== undefined || (name !== null && !isOurs(name))) return;
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
