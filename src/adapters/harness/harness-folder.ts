import { randomUUID } from "node:crypto";
import { mkdir, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { ANSWER_FILE } from "../../domain/outbox/healer-answer.ts";
import { HARNESS_FILES, type HarnessFile, type HarnessPath, type HarnessTool } from "../../domain/run/heal-fact.ts";
import { errorCode, firstFew, hasErrorCode, plainText } from "../../domain/values/text.ts";
import { applyTextChange } from "../../domain/values/text-change.ts";
import { type HarnessReading, type HarnessTexts, isTool } from "../../ports/harness.ts";
import { namesIn, readPlainFile } from "../plain-file.ts";
import { removeFolder } from "../remove-folder.ts";

/** The folder of a harness that holds the scripts for workers. */
export const TOOLS = "tools";

/** Limit of each file, in bytes: the limits in characters are stricter. */
const MOST_BYTES = 64 * 1024;
/** Limits of scripts: their number, and the bytes of each. */
const MOST_TOOLS = 8;
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
async function replaceFile(folder: string, name: string, text: string): Promise<void> {
  const made = join(folder, `.${name}.${randomUUID()}`);
  try {
    await writeFile(made, text, { mode: 0o600, flag: "wx", flush: true });
    await rename(made, join(folder, name));
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
}

/** The folder of the machine's harness that holds one record per heal that moved its stall. */
const CHANGES = "changes";
/** Limit of a record, in bytes: every file of a harness twice, with room for escapes. */
const RECORD_BYTES = 4 * 1024 * 1024;

const line = z.string().max(2_000);
const Path = z
  .string()
  .max(80)
  .refine((path) => (HARNESS_FILES as readonly string[]).includes(path) || /^tools\/[a-z0-9][a-z0-9._-]*$/.test(path));

/** A heal that moved its stall, and what has become of it. Later runs apply those that are kept, oldest first. */
export const HarnessChange = z.strictObject({
  id: z.string().max(120),
  run: z.string().max(80),
  n: z.int().min(1),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** The key is that of the repository whose agents' failures it answers; the name is for people. */
  repository: z.strictObject({ key: z.string().max(80), name: line }),
  rootCause: line,
  change: line,
  prediction: z.array(line).max(50),
  moved: z.array(line).max(1_000),
  /** `kept`: runs on the same repository begin with it; `everywhere`: all runs do; `waiting`: a person has to decide. */
  state: z.enum(["kept", "waiting", "everywhere", "reverted"]),
  /** The changed files; null for one that is not there. */
  files: z.array(z.strictObject({ path: Path, before: z.string().nullable(), after: z.string().nullable() })).max(30),
});
export type HarnessChange = z.infer<typeof HarnessChange>;

/** A record that cannot be read, in words for people. */
interface UnreadableChange {
  readonly file: string;
  readonly why: string;
}

/** All records of a machine's harness, oldest first, and those that cannot be read. */
export async function readChanges(
  home: string,
): Promise<{ readonly changes: readonly HarnessChange[]; readonly unreadable: readonly UnreadableChange[] }> {
  const changes: HarnessChange[] = [];
  const unreadable: UnreadableChange[] = [];
  const records = await recordsIn(home);
  if (!records.ok) return { changes, unreadable: [{ file: join(home, CHANGES), why: records.why }] };
  for (const name of records.names) {
    const read = await readPlainFile(join(await realpath(home), CHANGES), name, RECORD_BYTES);
    if (read === undefined) continue;
    const file = join(home, CHANGES, name);
    const parsed = read.ok ? parseChange(read.text) : read;
    if (!parsed.ok) unreadable.push({ file, why: parsed.why });
    else if (parsed.change.id !== name.slice(0, -".json".length)) unreadable.push({ file, why: "is named after another change" });
    else changes.push(parsed.change);
  }
  return { changes: changes.toSorted((a, b) => a.at - b.at || a.id.localeCompare(b.id)), unreadable };
}

async function recordsIn(
  home: string,
): Promise<{ readonly ok: true; readonly names: readonly string[] } | { readonly ok: false; readonly why: string }> {
  try {
    const names = await readdir(join(home, CHANGES));
    return { ok: true, names: names.filter((name) => name.endsWith(".json") && !name.startsWith(".")) };
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return code === "ENOENT" ? { ok: true, names: [] } : { ok: false, why: `cannot be read (${code})` };
  }
}

function parseChange(
  text: string,
): { readonly ok: true; readonly change: HarnessChange } | { readonly ok: false; readonly why: string } {
  try {
    const parsed = HarnessChange.safeParse(JSON.parse(text));
    if (parsed.success) return { ok: true, change: parsed.data };
    return { ok: false, why: plainText(z.prettifyError(parsed.error), 300) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { ok: false, why: `is not valid JSON: ${plainText(error.message, 200)}` };
  }
}

/** Writes a record in one step, in place of an earlier one. */
export async function writeChange(home: string, change: HarnessChange): Promise<void> {
  const folder = join(home, CHANGES);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(folder, `${change.id}.json`, `${JSON.stringify(change, undefined, 2)}\n`);
}

/** The files that differ between two versions of a harness. */
export function changedFiles(before: HarnessTexts, after: HarnessTexts): HarnessChange["files"] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted() as HarnessPath[];
  return paths.flatMap((path) => {
    const [old, next] = [harnessText(before, path), harnessText(after, path)];
    return old === next ? [] : [{ path, before: old, after: next }];
  });
}

function harnessText(texts: HarnessTexts, path: HarnessPath): string | null {
  const text: string | undefined = texts[path];
  return text ?? null;
}

/**
 * A harness with one change applied, or the reason why it cannot be: the lines that it changed have changed again since.
 * `unfit` gives the reason that a text cannot be a file.
 */
export function withChange(
  texts: HarnessTexts,
  { files }: HarnessChange,
  unfit: (path: HarnessPath, text: string) => string | undefined,
): { readonly ok: true; readonly texts: HarnessTexts } | { readonly ok: false; readonly why: string } {
  const next: Record<string, string> = { ...texts };
  for (const { path, before, after } of files as readonly (HarnessChange["files"][number] & { path: HarnessPath })[]) {
    const current = harnessText(texts, path);
    const made =
      after === null || before === null || current === null
        ? whole(current, { before, after })
        : applyTextChange(current, { before, after, appends: path === "hints.md" });
    if (made === undefined) return { ok: false, why: `${path} has changed in the same place since then` };
    const problem = made === null ? undefined : unfit(path, made);
    if (problem !== undefined) return { ok: false, why: `${path} ${problem}` };
    if (made === null) delete next[path];
    else next[path] = made;
  }
  const tools = (Object.keys(next) as HarnessPath[]).filter(isTool).length;
  if (tools > MOST_TOOLS) return { ok: false, why: `there would be more than ${MOST_TOOLS} scripts` };
  return { ok: true, texts: next as HarnessTexts };
}

/** A file that a change adds or removes whole; undefined if something else is there now. */
function whole(
  current: string | null,
  { before, after }: Pick<HarnessChange["files"][number], "before" | "after">,
): string | null | undefined {
  return current === before || current === after ? after : undefined;
}
