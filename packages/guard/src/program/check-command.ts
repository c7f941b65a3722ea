import { existsSync, fstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorMessage, shellWord } from "@loopdash/values";
import { passwordHome, readBounded } from "@loopdash/values/node";
import { judgeCommand } from "../judge-command.ts";
import type { GuardContext, GuardVerdict } from "../verdict.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { settingsOf } from "./hook/guard-settings.ts";
import { appendReport } from "./hook/hook-report.ts";
import { stopReminder } from "./hook/stop-guard.ts";
import { lateLine } from "./hook/stop-look.ts";
import { timeLimit } from "./time-limit.ts";

const ALLOWED = 0;
/** Blocked, or not judged: a caller that looks at nothing but the exit code lets nothing through. */
const BLOCKED = 2;
/** At a stop: something is unmet, or nobody could look. */
const UNMET = 2;
const FAILED = 1;
/** Time of one judgement, in milliseconds: a hundred times what a long line takes. What takes longer was written to take long. */
export const JUDGE_MS = 400;

interface Asked {
  readonly json: boolean;
  /** A command line, or the words of one. Without any, lines come from stdin. */
  readonly words: readonly string[];
  /** The file with the settings of a run's guard, and its report: see LOOPDASH_GUARD. */
  readonly settings?: string;
  readonly report?: string;
  /** The file that says what an agent which stops is reminded of. Nothing is judged then. */
  readonly stop?: string;
}

/** Reads the arguments after `guard check`. Undefined if they need the parser of all verbs, for its help and its errors. */
export function readGuardArgs(args: readonly string[]): Asked | undefined {
  const dashes = args.indexOf("--");
  const own = dashes === -1 ? args : args.slice(0, dashes);
  const words = dashes === -1 ? [] : args.slice(dashes + 1);
  const [first, file, second, report, ...more] = own;
  if (second === "--report" && file !== undefined && report !== undefined && more.length === 0) {
    if (first === "--settings") return { json: false, words, settings: file, report };
    if (first === "--stop" && dashes === -1) return { json: false, words, stop: file, report };
  }
  return own.every((arg) => arg === "--json") ? { json: own.length > 0, words } : undefined;
}

/**
 * Judges a command line, or each JSON string of stdin. Returns the exit code: 0 allowed, 2 blocked or not judged. A stream of
 * lines gives 0 once all are judged. Loads nothing but the guard, because it runs before every command of an agent.
 */
export function guardCheck(
  { json, words, settings: file, report, stop }: Asked,
  caller: Caller = thisProcess(),
): number | Promise<number> {
  const reportFile = report === undefined ? undefined : resolve(caller.cwd, report);
  if (stop !== undefined && reportFile !== undefined) return remindAtStop(stop, reportFile, caller);
  const settings = settingsOf(file === undefined ? undefined : resolve(caller.cwd, file));
  if ("problem" in settings) return refuse(caller, settings.problem, "Ask the person who runs loopdash.");
  const place = contextOf(caller);
  if (place === undefined)
    return refuse(caller, "the guard cannot judge: this user has no home folder", "Set HOME to a folder of this user.");
  const context = { ...place, settings };
  if (words.length === 0) return judgeLines(context, caller);
  const [line = ""] = words.length === 1 ? words : [words.map(shellWord).join(" ")];
  if (line.trim() === "")
    return refuse(caller, "there is no command line to judge", 'Give it after --: loopdash guard check -- "git status"');
  const verdict = judgeCommand(line, { ...context, limited: timeLimit(JUDGE_MS) });
  if (reportFile !== undefined) reportTo(reportFile, { line, verdict }, caller);
  if (json) caller.print(1, `${JSON.stringify({ command: line, ...verdict })}\n`);
  else if (verdict.verdict === "block") caller.print(2, told(verdict));
  return verdict.verdict === "allow" ? ALLOWED : BLOCKED;
}

/**
 * Tells a program of a person's own what is unmet when it stops: exit code 2, and 0 if nothing is, or if it was told often enough. Exit code
 * 1: it could not look, or could not count.
 */
async function remindAtStop(file: string, report: string, { cwd, print }: Caller): Promise<number> {
  try {
    const { told, late } = await stopReminder({ file: resolve(cwd, file), report, worktree: worktreeOf(cwd) });
    if (late !== undefined) print(2, lateLine(late));
    if (told === undefined) return ALLOWED;
    const verdict = { verdict: "go-on", reason: told.reason } as const;
    // A reminder that is not counted would be repeated for ever.
    const unwritten = appendReport(report, { event: "stop", payload: { cwd }, verdict, told, late }, new Date());
    if (unwritten !== undefined) throw new Error(`its report cannot be written (${unwritten})`);
    print(2, `${told.reason}\n`);
    return UNMET;
  } catch (error) {
    print(2, `loopdash: the stop guard could not look: ${errorMessage(error)}\n`);
    return FAILED;
  }
}

/** Reports a judgement to a run. A failing write changes no verdict, and is told. */
function reportTo(
  file: string,
  { line, verdict }: { readonly line: string; readonly verdict: GuardVerdict },
  { cwd, print }: Caller,
): void {
  const payload = { cwd, tool: "command", commands: [line] };
  const unwritten = appendReport(file, { event: "before-tool", payload, verdict }, new Date());
  if (unwritten !== undefined) print(2, `loopdash: the guard could not write its report (${unwritten}); the verdict stands\n`);
}

function told({ rule, reason, alternative }: Extract<GuardVerdict, { verdict: "block" }>): string {
  return `loopdash: the guard blocks this command (${rule})\n  why: ${reason}\n  do:  ${alternative}\n`;
}

/** The place where the command would run: this folder, in the worktree that it belongs to. Undefined without a home folder. */
function contextOf({ cwd, env: { HOME, TMPDIR } }: Caller): GuardContext | undefined {
  const home = HOME?.startsWith("/") === true ? HOME : passwordHome();
  if (home === undefined) return undefined;
  const worktree = worktreeOf(cwd);
  return { cwd, worktree, branch: branchOf(worktree), home, temp: TMPDIR?.startsWith("/") === true ? TMPDIR : undefined };
}

/** The nearest folder with a `.git`, or the folder itself. */
export function worktreeOf(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

/** Bytes of a file of git that are read. */
const HEAD_BYTES = 4_096;

/** The branch that is checked out in a worktree; undefined if none is, or if its files do not say so. */
export function branchOf(worktree: string): string | undefined {
  const git = join(worktree, ".git");
  const folder = /^gitdir: (.+)$/m.exec(readShort(git) ?? "")?.[1];
  const head = readShort(join(folder === undefined ? git : resolve(worktree, folder), "HEAD"));
  return /^ref: refs\/heads\/(.+)$/m.exec(head ?? "")?.[1];
}

/** The text of a short plain file; undefined for anything else. */
function readShort(file: string): string | undefined {
  try {
    return readBounded(file, HEAD_BYTES).toString("utf8");
  } catch {
    // It is not there, or cannot be read: the branch stays unknown.
    return undefined;
  }
}

/** Judges each line as soon as it is there, so that one process can serve many. */
async function judgeLines(context: GuardContext, caller: Caller): Promise<number> {
  if (fstatSync(0).isCharacterDevice())
    return refuse(
      caller,
      "guard check has nothing to judge",
      'Give a command line after --, or JSON strings on stdin: loopdash guard check -- "git status"',
    );
  let judged = 0;
  let number = 0;
  for await (const line of linesOf(process.stdin)) {
    number++;
    if (line.trim() === "") continue;
    const command = parsed(line);
    if (typeof command !== "string")
      return refuse(
        caller,
        `line ${number} of stdin is not a JSON string`,
        'Give one JSON string per line, for example "git status" in double quotes.',
      );
    caller.print(1, `${JSON.stringify({ command, ...judgeCommand(command, { ...context, limited: timeLimit(JUDGE_MS) }) })}\n`);
    judged++;
  }
  return judged > 0 ? ALLOWED : refuse(caller, "stdin has no line to judge", "Give one JSON string per line.");
}

/** Characters of a line of stdin. */
const LONGEST_LINE = 4_000_000;

async function* linesOf(input: NodeJS.ReadStream): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of input.setEncoding("utf8")) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    // No command line is as long: it is judged as it is, which blocks it.
    if (rest.length > LONGEST_LINE) break;
  }
  yield rest;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function refuse({ print }: Caller, what: string, todo: string): number {
  print(2, `loopdash: ${what}\n  do:  ${todo}\n`);
  return BLOCKED;
}
