import { closeSync, openSync } from "node:fs";

/** Starts a program with these files open, the first one to write, the others to read; closes them here afterwards. */
export function withFiles<T>(paths: readonly string[], start: (files: readonly number[]) => T): T {
  const files: number[] = [];
  try {
    for (const path of paths) files.push(openSync(path, files.length === 0 ? "w" : "r"));
    return start(files);
  } finally {
    for (const file of files) closeSync(file);
  }
}
