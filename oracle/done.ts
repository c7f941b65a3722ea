/**
 * The exit authority: `done.ts <batch.json>`.
 *
 * Prints one JSON line of evidence per ticket, then one with the verdict and the counts. Exit 0: every ticket of the batch is
 * done or recorded human-gated. Exit 1: not so. Exit 2: cannot judge; why is one line on stderr.
 */
import { parseBatch } from "./batch.ts";
import { CannotJudge } from "./cannot-judge.ts";
import { judge, type Verdict } from "./definition.ts";
import { readSnapshot } from "./read.ts";
import { readWhole } from "./stable-file.ts";

const MAX_BATCH = 16 * 1024 * 1024;

async function main(): Promise<void> {
  const [file, ...rest] = process.argv.slice(2);
  if (file === undefined || rest.length > 0) throw new CannotJudge("give one argument: the batch to judge");
  const batch = parseBatch(readWhole(file, MAX_BATCH).text);
  const verdict = judge(await readSnapshot(batch.tracker), batch.tickets);
  await print(verdict);
  if (verdict.verdict === "unjudged") giveUp(new CannotJudge(verdict.problem));
  else if (verdict.verdict === "not-done") process.exitCode = 1;
  else if (verdict.open === 0 && verdict.evidence.length > 0) process.exitCode = 0;
}

/** Settles when everything is handed to the system; what cannot be printed was not judged. */
async function print(verdict: Verdict): Promise<void> {
  const { evidence = [], ...summary } = verdict.verdict === "unjudged" ? { verdict: verdict.verdict } : verdict;
  const text = [...evidence, summary].map((line) => `${jsonLine(line)}\n`).join("");
  await new Promise<void>((done, fail) => {
    process.stdout.write(text, (cause) => (cause ? fail(cause) : done()));
  });
}

function giveUp(cause: unknown): never {
  const problem = cause instanceof Error ? cause.message : String(cause);
  process.stderr.write(`cannot judge: ${plain(problem)}\n`);
  process.exit(2);
}

/** C1 controls, line separators and marks that reorder text: a terminal or a reader could be led astray by them. */
const STRAY = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(STRAY, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROL = /[\u0000-\u001f]+/g;

/** Text on one line, without control characters, at most 1,000 characters. */
function plain(text: string): string {
  return text.replace(CONTROL, " ").replace(STRAY, "?").slice(0, 1_000);
}

// Whatever happens that nobody thought of, including nothing at all, is "cannot judge".
process.exitCode = 2;
process.on("uncaughtException", giveUp);
process.on("unhandledRejection", giveUp);
process.stdout.on("error", giveUp);
process.stderr.on("error", () => process.exit(2));

main().catch(giveUp);
