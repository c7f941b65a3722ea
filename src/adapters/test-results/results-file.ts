import { type FileHandle, lstat, realpath, rm, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { MAX_RESULTS_BYTES } from "@loopdash/test-evidence/reports";
import { errorCode } from "../../domain/values/text.ts";
import { ifThere } from "../missing-files.ts";
import { openNoLink, readUpTo } from "../plain-file.ts";

/** The bytes of test results, or the reason that there are none. */
export type ResultsBytes =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly absent: boolean; readonly problem: string };

/** Checks that the folder, and every folder on the way to the file, is a folder and no link. Gives the obstacle, if any. */
export async function linkOnTheWay(folder: string, path: string): Promise<string | undefined> {
  const steps = dirname(path).split("/");
  for (let n = 1; n <= steps.length; n += 1) {
    const found = await ifThere(lstat(join(folder, ...steps.slice(0, n))));
    if (found === undefined) return undefined;
    if (!found.isDirectory()) return steps.slice(0, n).join("/");
  }
  return undefined;
}

/** Removes an old file from the place of the results: a file, a link (never its target) or a folder. */
export async function removeOld(folder: string, path: string): Promise<void> {
  await rm(join(folder, path), { recursive: true, force: true });
}

/**
 * Reads results that must have been written since `since` (nanoseconds, by the clock of the file's own disk): a plain file with
 * one name, at its place and not at the target of a link (adversary case A17).
 */
export async function readResultsFile(options: { folder: string; path: string; since: bigint }): Promise<ResultsBytes> {
  const file = join(options.folder, options.path);
  const link = await linkOnTheWay(options.folder, options.path);
  if (link !== undefined) return refused("its way leads through something that is not a folder");
  const handle = await openPlain(file);
  if (typeof handle === "string") return refused(handle);
  if (handle === undefined) return { ok: false, absent: true, problem: "the command left none" };
  try {
    const inside = relative(await realpath(options.folder), await realpath(file));
    if (inside.startsWith(`..${sep}`)) return refused("it lies outside the folder in which it was to be");
    return await readHeld(handle, options.since);
  } finally {
    await handle.close();
  }
}

async function readHeld(handle: FileHandle, since: bigint): Promise<ResultsBytes> {
  const found = await handle.stat({ bigint: true });
  if (!found.isFile()) return refused("it is not a file");
  if (found.nlink > 1n) return refused("it is a second name of another file");
  if (found.mtimeNs < since || found.ctimeNs < since) return refused("it is older than the start of the command");
  if (found.size > BigInt(MAX_RESULTS_BYTES)) return refused(`it is longer than ${MAX_RESULTS_BYTES} bytes`);
  const bytes = await readUpTo(handle, Number(found.size));
  return bytes.length < found.size ? refused("it became shorter while it was read") : { ok: true, bytes };
}

/** Opens the file itself, not a link's target, and does not wait for a pipe. Undefined if there is nothing. */
async function openPlain(file: string): Promise<FileHandle | string | undefined> {
  try {
    return await openNoLink(file);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") return "it is a link";
    return `it cannot be opened (${String(code)})`;
  }
}

/** The time of the folder's last change, by the clock of its disk. Nanoseconds. */
export async function changedAt(folder: string): Promise<bigint> {
  return (await stat(folder, { bigint: true })).ctimeNs;
}

function refused(problem: string): ResultsBytes {
  return { ok: false, absent: false, problem };
}
