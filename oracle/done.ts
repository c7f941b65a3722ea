/**
 * The exit authority: `done.ts <batch.json>`.
 *
 * Prints one JSON line of evidence per ticket, then one with the verdict and the counts. Exit 0: every ticket of the batch is
 * done or recorded human-gated. Exit 1: not so. Exit 2: cannot judge; one line on stderr gives the reason.
 */
import { writeSync } from "node:fs";
import { parseBatch } from "./batch.ts";
import { judge, type Verdict } from "./definition.ts";
import { readSnapshot } from "./read.ts";
import { CannotJudge } from "./shape.ts";
import { readWhole } from "./stable-file.ts";

const MAX_BATCH = 16 * 1024 * 1024;

/** Maximum wait for a reader that takes nothing, and the pause between two writes. Milliseconds. */
const PATIENCE_MS = 5_000;
const BETWEEN_MS = 5;

async function main(): Promise<void> {
  const [file, ...rest] = process.argv.slice(2);
  if (file === undefined || rest.length > 0) throw new CannotJudge("give one argument: the batch to judge");
  const batch = parseBatch(readWhole(file, MAX_BATCH).text);
  const verdict = judge(await readSnapshot(batch.tracker, batch.tickets), batch.tickets);
  print(verdict);
  if (verdict.verdict === "unjudged") giveUp(new CannotJudge(verdict.problem));
  else if (verdict.verdict === "not-done") process.exitCode = 1;
  else if (verdict.open === 0 && verdict.evidence.length > 0) process.exitCode = 0;
}

/** Returns once the system has taken everything. If something cannot be printed, nothing was judged. */
function print(verdict: Verdict): void {
  const { evidence = [], ...summary } = verdict.verdict === "unjudged" ? { verdict: verdict.verdict } : verdict;
  writeAll(1, [...evidence, summary].map((line) => `${jsonLine(line)}\n`).join(""));
}

/** System calls are used directly, because setting up Node's streams takes longer than judging 50 tickets. */
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

/** The number of bytes taken; 0 if a non-blocking pipe is full. */
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
    // If nobody listens, the exit code alone gives the verdict.
    process.exit(2);
  }
}

/** C1 controls, line separators and marks that reorder text could mislead a terminal or a reader. */
const STRAY = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(STRAY, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROL = /[\u0000-\u001f]+/g;

/** The text on one line, without control characters, at most 1,000 characters. */
function plain(text: string): string {
  return text.replace(CONTROL, " ").replace(STRAY, "?").slice(0, 1_000);
}

// Every unexpected end, even an early exit, is "cannot judge".
process.exitCode = 2;
process.on("uncaughtException", giveUp);
process.on("unhandledRejection", giveUp);

main().catch(giveUp);
