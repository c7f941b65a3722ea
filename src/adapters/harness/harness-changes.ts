import { mkdir, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { HARNESS_FILES, type HarnessPath } from "../../domain/run/heal-fact.ts";
import { errorCode, plainText } from "../../domain/values/text.ts";
import { applyTextChange } from "../../domain/values/text-change.ts";
import { type HarnessTexts, isTool } from "../../ports/harness.ts";
import { readPlainFile } from "../plain-file.ts";
import { MOST_TOOLS, replaceFile } from "./harness-folder.ts";

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
export interface UnreadableChange {
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
    const [old, next] = [textOf(before, path), textOf(after, path)];
    return old === next ? [] : [{ path, before: old, after: next }];
  });
}

function textOf(texts: HarnessTexts, path: HarnessPath): string | null {
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
    const current = textOf(texts, path);
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
