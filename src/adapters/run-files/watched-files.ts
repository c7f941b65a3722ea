import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { textSha } from "../../domain/run/drift-fact.ts";
import { hasErrorCode } from "../../domain/values/error-text.ts";
import { plainText } from "../../domain/values/text.ts";
import type { WatchedFile, WatchedFiles } from "../../ports/watched-files.ts";

/** The largest file that is read, in bytes; a larger one counts by its size and time. The most files of a harness. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 64;

/** The files of a run that people may edit beside loopdash. `harness` is the folder in use, by the heal that made it. */
export function createWatchedFiles(options: {
  readonly batchPath: string;
  readonly harness: () => { readonly version: number; readonly folder: string };
}): WatchedFiles {
  return {
    async read() {
      const { version, folder } = options.harness();
      const batch = { key: "batch", class: "I2", target: "batch", name: "the batch file" } as const;
      const names = (await namesIn(folder)).slice(0, MAX_FILES);
      const parts = names.map((name) => {
        const key = `harness:${version}:${name}`;
        return {
          key,
          class: "I3",
          target: "harness",
          name: `${plainText(name, 80)} of the harness`,
          path: join(folder, name),
        } as const;
      });
      return Promise.all([{ ...batch, path: options.batchPath }, ...parts].map(withValue));
    },
  };
}

async function withValue({ path, ...file }: Omit<WatchedFile, "value"> & { readonly path: string }): Promise<WatchedFile> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { ...file, value: size > MAX_BYTES ? `${size}:${mtimeMs}` : textSha((await readFile(path)).toString("latin1")) };
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return { ...file, value: "gone" };
    throw error;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  }
}
