import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { z } from "zod";
import { findNamedScript } from "../../domain/batch/commands.ts";
import { errorCode } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { resolveProgram } from "../executor/resolve-program.ts";
import { type FrozenFile, fileSha, findFrozen, placeFrozen } from "./frozen-file.ts";

/** Files up to this size are copied; larger ones, and programs found on PATH, run in place and must not change. Bytes. */
const MAX_COPIED = 16 * 1024 * 1024;

const sha = z.string().regex(/^[0-9a-f]{64}$/);
const Word = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("text"), text: z.string() }),
  z.strictObject({ kind: z.literal("copy"), name: z.string(), mode: z.number(), bytes: z.base64() }),
  z.strictObject({ kind: z.literal("in-place"), path: z.string(), sha }),
]);
type Word = z.infer<typeof Word>;

/** A user's own oracle, with the bytes of every file that its command names. */
const FrozenCommand = z.strictObject({ version: z.literal(1), words: z.array(Word).min(1) });

/**
 * Freezes a command: the bytes of the program and of each argument that is an existing file are kept. A program found on PATH
 * stays in place (an interpreter needs the files around it), as does a file above 16 MiB; their sha256 is kept, and if it no
 * longer matches, nothing runs. Throws a UserError (exit 4) if there is no such program.
 */
export async function freezeCommand(command: readonly string[], options: { folder: string; path: string }): Promise<Uint8Array> {
  const words: Word[] = [];
  for (const [at, word] of command.entries())
    words.push(at === 0 ? await program(word, options) : await argument(word, options.folder));
  return new TextEncoder().encode(`${JSON.stringify({ version: 1, words })}\n`);
}

/** Files that are programs, wherever they stand in a command. */
const CODE = /\.(?:[cm]?[jt]sx?|py|sh|bash|rb|pl|php|lua|jar)$/;

/**
 * Freezes the command of a tracker's program: its program and the scripts that it names stay in place, because they may
 * load what lies beside them; their sha256 is kept, and if it no longer matches, nothing runs. All other words are plain: a file
 * among them may be the tracker's data. Throws a UserError (exit 4) if there is no such program.
 */
export async function freezeTrackerProgram(
  command: readonly [string, ...string[]],
  options: { folder: string; path: string },
): Promise<string> {
  const script = findNamedScript(command);
  const words: Word[] = [];
  for (const [at, word] of command.entries()) {
    const path =
      at === 0 ? await resolveProgram(word, { cwd: options.folder, path: options.path }) : resolve(options.folder, word);
    if (path === undefined) throw notFound(word, "the tracker's program", "tracker.command");
    const isCode = at === 0 || ((at === script?.at || CODE.test(word)) && (await isFile(path)));
    words.push(isCode ? { kind: "in-place", path, sha: await fileSha(path) } : { kind: "text", text: word });
  }
  return JSON.stringify({ version: 1, words });
}

/**
 * Writes a frozen command to a private folder. Returns the words to run, and the files among them with their stamps. Throws if a
 * file that stays in place has changed.
 */
export async function layOutCommand(
  bytes: Uint8Array,
  folder: string,
): Promise<{ readonly argv: readonly [string, ...string[]]; readonly files: readonly FrozenFile[] }> {
  const { words } = FrozenCommand.parse(JSON.parse(new TextDecoder().decode(bytes)));
  const laid: (string | FrozenFile)[] = [];
  for (const [at, word] of words.entries()) laid.push(await layOut(word, folder, at));
  const argv = laid.map((word) => (typeof word === "string" ? word : word.path));
  return { argv: argv as [string, ...string[]], files: laid.filter((word) => typeof word !== "string") };
}

async function layOut(word: Word, folder: string, at: number): Promise<string | FrozenFile> {
  if (word.kind === "text") return word.text;
  if (word.kind === "in-place") return findFrozen(word.path, word.sha);
  return placeFrozen(join(folder, `${at}-${word.name}`), Buffer.from(word.bytes, "base64"), word.mode);
}

async function program(word: string, options: { folder: string; path: string }): Promise<Word> {
  const found = await resolveProgram(word, { cwd: options.folder, path: options.path });
  if (found === undefined) throw notFound(word);
  return word.includes("/") ? frozenFile(found, 0o500) : { kind: "in-place", path: found, sha: await fileSha(found) };
}

async function argument(word: string, folder: string): Promise<Word> {
  const path = resolve(folder, word);
  return !word.startsWith("-") && (await isFile(path)) ? frozenFile(path, 0o400) : { kind: "text", text: word };
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then((s) => s.isFile(), isNoFile);
}

/** A word that cannot be a path is a plain word. */
function isNoFile(error: unknown): false {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG" || code === "ERR_INVALID_ARG_VALUE") return false;
  throw error;
}

async function frozenFile(path: string, mode: number): Promise<Word> {
  if ((await stat(path)).size > MAX_COPIED) return { kind: "in-place", path, sha: await fileSha(path) };
  return { kind: "copy", name: basename(path), mode, bytes: (await readFile(path)).toString("base64") };
}

function notFound(word: string, who = "the oracle program", where = "oracle.command"): UserError {
  const what = `${who} ${JSON.stringify(word)} is not found`;
  const why = word.includes("/") ? "there is no such executable file" : "no folder of PATH has it";
  const todo = `Install it, or name it by its path in ${where}.`;
  return new UserError({ what, why, todo, exitCode: EXIT.refused });
}
