import { renameSync, writeFileSync } from "node:fs";

/** Writes a text so that the file is whole, whenever this process ends. */
export function writeWhole(path: string, text: string): void {
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, text, { mode: 0o600, flush: true });
  renameSync(fresh, path);
}
