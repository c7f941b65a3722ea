import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { textSha } from "../../domain/run/drift-fact.ts";
import { hasErrorCode, plainText } from "../../domain/values/text.ts";
import type { WatchedFile, WatchedFiles } from "../../ports/watched-files.ts";
import { ifThere } from "../missing-files.ts";

/** The largest file that is read, in bytes; a larger one counts by its size and time. The most files of a harness. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 64;

/** The folder of a harness that holds the scripts for workers. */
const TOOLS = "tools";

/** A harness in use. `version` names it: the engine writes a version whole before it uses it, and never again. */
interface UsedHarness {
  readonly version: string;
  readonly folder: string;
}

/**
 * The files of a run that people may edit outside loopdash. `harness`: the folders in use, each with a name of its own. `contracts`:
 * the contracts of its tickets, as the batch names them.
 */
export function createWatchedFiles(options: {
  readonly batchPath: string;
  readonly contracts?: () => readonly string[];
  readonly harness: () => readonly UsedHarness[];
}): WatchedFiles {
  return {
    async read(known) {
      const batch = { key: "batch", class: "I2", target: "batch", name: "the batch file" } as const;
      const parts = await Promise.all(options.harness().map((harness) => harnessFiles(harness, known)));
      const contracts = (options.contracts?.() ?? []).slice(0, MAX_FILES).map((path) => ({
        ...({ key: `contract:${path}`, class: "I2", target: "batch", name: `the contract ${plainText(path, 80)}` } as const),
        path: join(dirname(options.batchPath), path),
      }));
      return Promise.all([{ ...batch, path: options.batchPath }, ...contracts, ...parts.flat()].map(withValue));
    },
  };
}

type NamedFile = Omit<WatchedFile, "value"> & { readonly path: string };

/** The files of a harness and its scripts, also those that are gone since they were read. */
async function harnessFiles({ version, folder }: UsedHarness, known: readonly string[]): Promise<NamedFile[]> {
  const prefix = `harness:${version}:`;
  const before = new Set(known.flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : [])));
  const tools = (await namesIn(join(folder, TOOLS))).map((name) => `${TOOLS}/${name}`);
  const files = new Set([...before, ...(await namesIn(folder)), ...tools]);
  return [...files].slice(0, MAX_FILES).map((file) => ({
    key: `${prefix}${file}`,
    class: "I3",
    target: "harness",
    name: `${plainText(file, 80)} of the harness`,
    path: join(folder, file),
    isAdded: (before.size > 0 && !before.has(file)) || undefined,
  }));
}

async function withValue({ path, ...file }: NamedFile): Promise<WatchedFile> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { ...file, value: size > MAX_BYTES ? `${size}:${mtimeMs}` : textSha((await readFile(path)).toString("latin1")) };
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return { ...file, value: "gone" };
    throw error;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = (await ifThere(readdir(folder, { withFileTypes: true }))) ?? [];
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();
}
