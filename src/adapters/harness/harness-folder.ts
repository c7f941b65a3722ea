import { randomUUID } from "node:crypto";
import { mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HARNESS_FILES, type HarnessFile } from "../../domain/run/heal-fact.ts";
import { hasErrorCode } from "../../domain/values/error-text.ts";
import { plainText } from "../../domain/values/text.ts";
import type { HarnessReading, HarnessTexts } from "../../ports/harness.ts";
import { namesIn, readPlainFile } from "../plain-file.ts";
import { removeFolder } from "../remove-folder.ts";

/** Limit of each file, in bytes: the limits in characters are stricter. */
const MOST_BYTES = 64 * 1024;
/** Limits: entries of a folder that are read, and names of unknown files that are reported. */
const MOST_ENTRIES = 1_000;
const MOST_STRANGERS = 5;

/** The texts of a harness that an agent may have written: their content is not checked here. */
export async function readHarness(folder: string): Promise<HarnessReading> {
  // An unconfined agent may have replaced the folder with a link.
  const place = join(await realpath(dirname(folder)), basename(folder));
  const listing = await namesIn(dirname(place), basename(place), MOST_ENTRIES);
  if (listing?.ok !== true) return { ok: false, why: `the harness's folder ${listing?.why ?? "is gone"}` };
  const texts: Partial<Record<HarnessFile, string>> = {};
  for (const file of HARNESS_FILES) {
    const read = await readPlainFile(place, file, MOST_BYTES);
    if (read?.ok !== true) return { ok: false, why: `${file} ${read?.why ?? "is gone"}` };
    texts[file] = read.text;
  }
  const known: ReadonlySet<string> = new Set(HARNESS_FILES);
  const strangers = listing.names.filter((name) => !known.has(name)).toSorted();
  const more = strangers.length - MOST_STRANGERS;
  const told = strangers.slice(0, MOST_STRANGERS).map((name) => plainText(name, 80));
  return { ok: true, texts: texts as HarnessTexts, strangers: more > 0 ? [...told, `${more} more`] : told };
}

/** One file of a harness; undefined if there is none. `why` if it cannot be read. */
export async function readHarnessFile(
  folder: string,
  file: HarnessFile,
): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string } | undefined> {
  try {
    return await readPlainFile(await realpath(folder), file, MOST_BYTES);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Makes a folder with these files, whole or not at all; an existing one is replaced. */
export async function writeHarness(folder: string, texts: HarnessTexts): Promise<void> {
  const made = `${folder}.${randomUUID()}`;
  await fillHarness(made, texts);
  await removeFolder(folder);
  await rename(made, folder);
}

/** Makes a folder that only this user may enter, with these files in it. */
export async function fillHarness(folder: string, texts: HarnessTexts): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const file of HARNESS_FILES) await writeFile(join(folder, file), texts[file], { mode: 0o600, flag: "wx", flush: true });
}

/** Replaces one file in one step: a reader finds the old one or the new one. */
export async function replaceFile(folder: string, file: HarnessFile, text: string): Promise<void> {
  const made = join(folder, `.${file}.${randomUUID()}`);
  try {
    await writeFile(made, text, { mode: 0o600, flag: "wx", flush: true });
    await rename(made, join(folder, file));
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
}
