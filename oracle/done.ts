/**
 * The exit authority: `done.ts <batch.json>`.
 *
 * Prints one JSON line of evidence per ticket, then one with the verdict and the counts. Exit 0: every ticket of the batch is
 * done or recorded human-gated. Exit 1: not so. Exit 2: cannot judge; why is one line on stderr.
 */
import { writeSync } from "node:fs";
import { parseBatch } from "./batch.ts";
import { CannotJudge } from "./cannot-judge.ts";
import { judge, type Verdict } from "./definition.ts";
import { readSnapshot } from "./read.ts";
import { readWhole } from "./stable-file.ts";

const MAX_BATCH = 16 * 1024 * 1024;

/** How long a reader that takes nothing is waited for, and how often it is tried. Milliseconds. */
const PATIENCE_MS = 5_000;
const BETWEEN_MS = 5;

async function main(): Promise<void> {
  const [file, ...rest] = process.argv.slice(2);
  if (file === undefined || rest.length > 0) throw new CannotJudge("give one argument: the batch to judge");
  const batch = parseBatch(readWhole(file, MAX_BATCH).text);
  const verdict = judge(await readSnapshot(batch.tracker), batch.tickets);
  print(verdict);
  if (verdict.verdict === "unjudged") giveUp(new CannotJudge(verdict.problem));
  else if (verdict.verdict === "not-done") process.exitCode = 1;
  else if (verdict.open === 0 && verdict.evidence.length > 0) process.exitCode = 0;
}

/** Returns when everything is handed to the system; what cannot be printed was not judged. */
function print(verdict: Verdict): void {
  const { evidence = [], ...summary } = verdict.verdict === "unjudged" ? { verdict: verdict.verdict } : verdict;
  writeAll(1, [...evidence, summary].map((line) => `${jsonLine(line)}\n`).join(""));
}

/** By plain calls of the system: to set up Node's own streams takes longer than to judge 50 tickets. */
function writeAll(fd: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  const until = performance.now() + PATIENCE_MS;
  for (let at = 0; at < bytes.length; ) {
    const written = writeSome(fd, bytes.subarray(at));
    at += written;
    if (written > 0) continue;
    if (performance.now() > until) throw new CannotJudge("nobody takes what it prints");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_MS);
  }
}

/** How many bytes were taken; none where a pipe that does not wait is full. */
function writeSome(fd: 1 | 2, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "EAGAIN") return 0;
    throw cause;
  }
}

function giveUp(cause: unknown): never {
  const problem = cause instanceof Error ? cause.message : String(cause);
  try {
    writeAll(2, `cannot judge: ${plain(problem)}\n`);
  } finally {
    // Where nobody listens, the exit code says it.
    process.exit(2);
  }
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

main().catch(giveUp);
