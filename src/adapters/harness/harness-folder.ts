import { randomUUID } from "node:crypto";
import { mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ANSWER_FILE } from "../../domain/outbox/healer-answer.ts";
import { HARNESS_FILES, type HarnessFile, type HarnessPath, type HarnessTool } from "../../domain/run/heal-fact.ts";
import { firstFew, hasErrorCode, plainText } from "../../domain/values/text.ts";
import { type HarnessReading, type HarnessTexts, isTool } from "../../ports/harness.ts";
import { namesIn, readPlainFile } from "../plain-file.ts";
import { removeFolder } from "../remove-folder.ts";

/** The folder of a harness that holds the scripts for workers. */
export const TOOLS = "tools";

/** Limit of each file, in bytes: the limits in characters are stricter. */
const MOST_BYTES = 64 * 1024;
/** Limits of scripts: their number, and the bytes of each. */
export const MOST_TOOLS = 8;
const TOOL_BYTES = 16 * 1024;
/** Limit of an answer, in bytes: five commands with their output, and words. */
const ANSWER_BYTES = 256 * 1024;
/** Limits: entries of a folder that are read, and names of unknown files that are reported. */
const MOST_ENTRIES = 1_000;
const MOST_UNKNOWN = 5;
/** The name of a script: it goes into a prompt and onto a command line. */
const TOOL_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;

type Tools = Readonly<Record<HarnessTool, string>>;

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
  const tools = await readTools(place);
  if (!tools.ok) return tools;
  const answer = (await readPlainFile(place, ANSWER_FILE, ANSWER_BYTES)) ?? ({ ok: false, why: "is missing" } as const);
  const whole = { ...(texts as Record<HarnessFile, string>), ...tools.tools } as HarnessTexts;
  return { ok: true, texts: whole, unknownFiles: unknownFilesIn(listing.names), answer };
}

function unknownFilesIn(names: readonly string[]): readonly string[] {
  const known: ReadonlySet<string> = new Set([...HARNESS_FILES, TOOLS, ANSWER_FILE]);
  const unknownFiles = names.filter((name) => !known.has(name)).toSorted();
  return firstFew(
    unknownFiles.map((name) => plainText(name, 80)),
    MOST_UNKNOWN,
  );
}

/** The scripts under a harness's folder, a real path. All of them can be used, or none: regular files, bounded, plainly named. */
export async function readTools(
  place: string,
): Promise<{ readonly ok: true; readonly tools: Tools } | { readonly ok: false; readonly why: string }> {
  const listing = await namesIn(place, TOOLS, MOST_TOOLS);
  if (listing === undefined) return { ok: true, tools: {} };
  if (!listing.ok) return { ok: false, why: `${TOOLS} ${listing.why}` };
  if (listing.more) return { ok: false, why: `${TOOLS} holds more than ${MOST_TOOLS} files` };
  const tools: Record<HarnessTool, string> = {};
  for (const name of listing.names.toSorted()) {
    const path: HarnessTool = `${TOOLS}/${name}`;
    if (!TOOL_NAME.test(name))
      return { ok: false, why: `${TOOLS} holds ${plainText(name, 80)}, which is not a valid name of a script` };
    const read = await readPlainFile(place, path, TOOL_BYTES);
    if (read?.ok !== true) return { ok: false, why: `${path} ${read?.why ?? "is gone"}` };
    tools[path] = read.text;
  }
  return { ok: true, tools };
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

/** Makes a folder that only this user may enter, with these files in it. Scripts can be started. */
export async function fillHarness(folder: string, texts: HarnessTexts): Promise<void> {
  await mkdir(join(folder, TOOLS), { recursive: true, mode: 0o700 });
  for (const [path, text] of Object.entries(texts) as [HarnessPath, string][])
    await writeFile(join(folder, path), text, { mode: isTool(path) ? 0o700 : 0o600, flag: "wx", flush: true });
}

/** Writes a file in one step: a reader finds it whole, or what was there before. */
export async function replaceFile(folder: string, name: string, text: string): Promise<void> {
  const made = join(folder, `.${name}.${randomUUID()}`);
  try {
    await writeFile(made, text, { mode: 0o600, flag: "wx", flush: true });
    await rename(made, join(folder, name));
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
}
