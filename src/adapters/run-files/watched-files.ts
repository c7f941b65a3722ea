import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { textSha } from "../../domain/run/drift-fact.ts";
import { hasErrorCode } from "../../domain/values/error-text.ts";
import { plainText } from "../../domain/values/text.ts";
import type { WatchedFile, WatchedFiles } from "../../ports/watched-files.ts";

/** The largest file that is read, in bytes; a larger one counts by its size and time. The most files of a harness. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 64;

/** The files of a run that people may edit beside loopdash. `harness`: the folders in use, each with a name of its own. */
export function createWatchedFiles(options: {
  readonly batchPath: string;
  readonly harness: () => readonly { readonly version: string; readonly folder: string }[];
}): WatchedFiles {
  return {
    async read() {
      const batch = { key: "batch", class: "I2", target: "batch", name: "the batch file" } as const;
      const parts = await Promise.all(options.harness().map(harnessFiles));
      return Promise.all([{ ...batch, path: options.batchPath }, ...parts.flat()].map(withValue));
    },
  };
}

type NamedFile = Omit<WatchedFile, "value"> & { readonly path: string };

async function harnessFiles({ version, folder }: { readonly version: string; readonly folder: string }): Promise<NamedFile[]> {
  return (await namesIn(folder)).slice(0, MAX_FILES).map((file) => {
    const name = `${plainText(file, 80)} of the harness`;
    return { key: `harness:${version}:${file}`, class: "I3", target: "harness", name, path: join(folder, file) };
  });
}

async function withValue({ path, ...file }: NamedFile): Promise<WatchedFile> {
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
