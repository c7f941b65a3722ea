import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The repository's own root. */
export const ROOT = resolve(import.meta.dirname, "../..");

/** A folder to plant files in. */
export interface ScratchTree extends Disposable {
  readonly path: string;
  /** Writes files (path from the root → text). */
  plant(files: Readonly<Record<string, string>>): void;
}

/** A temporary folder that holds copies of these files and folders of the repository; packages are linked, not copied. */
export function scratchTree(copied: readonly string[]): ScratchTree {
  const path = mkdtempSync(join(tmpdir(), "loopdash-tree-"));
  for (const name of copied) cpSync(join(ROOT, name), join(path, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  return {
    path,
    plant(files) {
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(dirname(join(path, file)), { recursive: true });
        writeFileSync(join(path, file), text);
      }
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
