import { realpath, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { cut, wrapWords } from "../../../components/kit/fit.ts";
import { systemCode } from "../../adapters/disk-error.ts";
import { exists } from "../../adapters/vcs/repository/locate.ts";
import { errorMessage, hasErrorCode, plainText, plural } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { findReports, findRules, findTestCommands } from "../engine/find-in-bases.ts";
import { type LoadedBatch, loadBatch } from "../engine/load-batch.ts";
import { batchText } from "../init/batch-text.ts";
import type { InitFlags } from "../init/flags.ts";
import { GOAL_TEXT } from "../init/goal-text.ts";
import { Interview } from "../init/interview.ts";
import { type Answered, askQuestions, type QuestionOptions } from "../init/questions.ts";
import { writeExampleTicket } from "../init/ticket-folder.ts";
import { Interrupted, openTypedLines } from "../init/typed-lines.ts";
import { printUserError, writeAll, writeNote } from "../print.ts";
import { doctorBriefly } from "./doctor.ts";
import { graphLines } from "./dry-run.ts";

const GREETING = "loopdash init: Enter takes the answer in brackets, Ctrl-C ends without writing.\n";

/**
 * Asks for what a batch needs, writes the batch file, shows its tickets and checks it. Exit 0 if a run can start, 2 if an answer is
 * missing or cannot be used, 3 if the tracker cannot be read, 4 if a check is bad, 130 after Ctrl-C. Nothing is written until all
 * answers are there.
 */
export async function init(flags: InitFlags): Promise<number> {
  const cwd = await realpath(process.cwd());
  if (flags.improve === true) return initGoal(flags, cwd);
  const folder = await folderFor(flags, cwd);
  try {
    await writeFiles(join(folder, basename(flags.out)), flags, await answersTo(flags, { cwd, env: process.env, folder }));
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    writeAll(2, "\n");
    writeNote("ended; nothing was written");
    return EXIT.interrupted;
  }
  return show(flags.out, cwd);
}

/** Writes an example of a goal, to be edited. */
async function initGoal({ force, out }: InitFlags, cwd: string): Promise<number> {
  const name = out === "batch.json" ? "goal.md" : out;
  const folder = await folderFor({ out: name, force }, cwd);
  await writeFile(join(folder, basename(name)), GOAL_TEXT);
  writeAll(1, `${plainText(name, 200)} is written. Edit it, then try: loopdash improve ${plainText(name, 200)} --dry-run\n`);
  return EXIT.done;
}

/** The real path of the folder that the file goes into. Throws a UserError (exit 2) if there is none, or if the file exists. */
async function folderFor({ out, force }: Pick<InitFlags, "out" | "force">, cwd: string): Promise<string> {
  const file = resolve(cwd, out);
  const shown = plainText(out, 200);
  if (force !== true && (await exists(file))) throw unwritable(shown, "it exists already", FORCE);
  return realpath(dirname(file)).catch((cause: unknown) => {
    if (!hasErrorCode(cause, "ENOENT", "ENOTDIR")) throw cause;
    throw unwritable(shown, "there is no such folder", "Make the folder, or name another file with --out.");
  });
}

const FORCE = "Name another file with --out, or replace this one with --force.";

function unwritable(file: string, why: string, todo: string): UserError {
  return new UserError({ what: `${file} cannot be written`, why, todo, exitCode: EXIT.usage });
}

/** A person is asked only if all of it can be seen: prompts go to stderr. */
async function answersTo(flags: InitFlags, options: QuestionOptions): Promise<Answered> {
  const isAsking = flags.yes !== true && process.stdin.isTTY === true && process.stderr.isTTY === true;
  const lines = isAsking ? openTypedLines() : undefined;
  try {
    if (isAsking) writeAll(2, GREETING);
    const tell = (line: string) => writeAll(2, wrapped(line));
    const interview = new Interview({
      ask: lines && ((prompt) => lines.ask(wrapped(prompt).trimEnd().concat(" "))),
      tell,
      takesDefaults: flags.yes === true,
    });
    return await askQuestions(interview, flags, options);
  } finally {
    lines?.close();
  }
}

async function writeFiles(file: string, { out, force }: InitFlags, { answers, emptyFolder }: Answered): Promise<void> {
  const shown = plainText(out, 200);
  try {
    await writeFile(file, batchText(answers), { flag: force === true ? "w" : "wx" });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw hasErrorCode(error, "EEXIST")
      ? unwritable(shown, "it exists by now", FORCE)
      : unwritable(shown, errorMessage(error), "Name another file with --out.");
  }
  writeNote(`wrote ${shown}`);
  if (emptyFolder === undefined) return;
  try {
    const ticket = await writeExampleTicket(emptyFolder, Object.keys(answers.repos)[0] ?? "");
    writeNote(`wrote ${plainText(ticket, 300)}, an example: change it`);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    const what = `no example ticket can be written, but ${shown} is`;
    throw new UserError({ what, why: errorMessage(error), todo: "Write a ticket into that folder.", exitCode: EXIT.usage });
  }
}

/** Shows the tickets of the written batch in the order of their dependencies, and checks it as `doctor` does. */
async function show(file: string, cwd: string): Promise<number> {
  const named = commandWord(file);
  let loaded: LoadedBatch;
  try {
    loaded = await loadBatch(file, { cwd, findTests: findTestCommands, findReports, findRules });
    const { batch } = loaded;
    const head = `${plural(batch.tickets.length, "ticket")}, in the order of ${batch.tickets.length === 1 ? "its" : "their"} dependencies:`;
    const fit = (line: string) => (process.stdout.isTTY ? cut(plainText(line), process.stdout.columns) : plainText(line));
    writeAll(1, `\n${[head, ...graphLines(loaded).slice(1)].map(fit).join("\n")}\n\n`);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    printUserError(error);
    writeNote(`the file stays as it is. Correct what is named above, then: loopdash doctor ${named}`);
    return error.exitCode;
  }
  const code = await doctorBriefly(loaded);
  writeAll(1, code === 0 ? `\nStart it: loopdash ${named}\n` : `\nFix what is bad, then start it: loopdash ${named}\n`);
  return code;
}

/** A path as a word of a shell's command line, in a form that is no verb of loopdash. */
function commandWord(path: string): string {
  const named = /[./\\]/.test(path) && !path.startsWith("-") ? path : `./${path}`;
  return /^[\w./@+-]+$/.test(named) ? named : `'${plainText(named).replaceAll("'", `'\\''`)}'`;
}

/** A line broken between words, so that none is longer than the terminal is wide. Each keeps the indent of the first. */
function wrapped(line: string): string {
  const text = line.trimStart();
  const indent = " ".repeat(line.length - text.length);
  const width = (process.stderr.columns ?? 80) - indent.length;
  return wrapWords(text, width, { keepsWords: true })
    .map((each) => `${indent}${each}\n`)
    .join("");
}
