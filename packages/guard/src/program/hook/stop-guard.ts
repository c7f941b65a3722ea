import type { ChildProcessByStdio, SpawnSyncOptionsWithStringEncoding, SpawnSyncReturns } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { errorCode, isObject, plainLines, plainText } from "@loopdash/values";
import type { StopTask } from "../../stop-task.ts";
import { reportLines } from "./hook-report.ts";
import { CHECKS_MS, lookOf, type StopChecks, type StopLook, type Unmet } from "./stop-look.ts";

/** The file of a run at a stop. */
interface StopSpec extends StopTask {
  readonly outbox?: string;
  /** Milliseconds for all checks together, if less than usual. */
  readonly checksMs?: number;
}

const GIT_MS = 10_000;
const OUTPUT_BYTES = 4 * 2 ** 20;
/** The end of a check's output that is looked at. */
const OUTPUT_CHARACTERS = 4_000;
const QUOTED = { maxLines: 8, maxLength: 160 } as const;
const MOST_FILES = 50;
const FILE_BYTES = 1_000_000;

/** Runs a program to its end. */
type Run = (program: string, args: readonly string[], options: SpawnSyncOptionsWithStringEncoding) => SpawnSyncReturns<string>;

/** A check that runs. */
type Running = ChildProcessByStdio<null, Readable, Readable>;

/** Starts a program as the leader of a process group of its own, without input. */
type Start = (
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly detached: true; readonly stdio: ["ignore", "pipe", "pipe"] },
) => Running;

/** Where the reminder looks, and by what. */
interface Look extends StopSpec {
  readonly worktree: string;
  readonly run: Run;
  readonly start: Start;
}

/**
 * Looks which items of the finish line are unmet when an agent stops. The agent is told nothing if none is known, or if it was told often enough.
 * Decides nothing: the finish line judges afterwards. `report`: the report of this attempt, which tells how often that was. A check that takes too
 * long is killed with what it has started, and keeps no agent. Throws if the file of the engine cannot be read.
 */
export async function stopReminder({
  file,
  report,
  worktree,
}: {
  readonly file: string;
  readonly report: string | undefined;
  readonly worktree: string;
}): Promise<StopLook> {
  const spec = JSON.parse(readFileSync(file, "utf8")) as StopSpec;
  const told = Math.max(timesSeen(spec.toldFile), report === undefined ? 0 : timesTold(report));
  if (told >= spec.times) return {};
  // Loaded here: the other hooks start no program, and it takes 3 ms.
  const { spawn, spawnSync } = await import("node:child_process");
  const look: Look = { ...spec, worktree, run: spawnSync, start: spawn };
  const unmet = [...unchanged(look), ...unreadable(spec)];
  const checksMs = Math.min(spec.checksMs ?? CHECKS_MS, CHECKS_MS);
  const checked = unmet.length === 0 ? await checkAll(look, checksMs) : { failed: unmet, late: [] };
  return lookOf(checked, { n: told + 1, of: spec.times, advice: ADVICE, checksMs });
}

/** Runs checks in a worktree. */
export async function checkedNow(checks: Look["checks"], worktree: string): Promise<StopChecks> {
  const { spawn } = await import("node:child_process");
  return checkAll({ checks, worktree, start: spawn }, CHECKS_MS);
}

const ADVICE =
  "Go on if you can meet it. If something outside the code stops you, put a blocker into the outbox; if it is other work, a discovery. Then stop. The finish line is judged afterwards in any case.";

/**
 * How often the engine has seen that an agent was told. It reads the report four times a second and keeps the number where the agent cannot
 * write, so that an agent which empties or rewrites its report is not told for ever.
 */
function timesSeen(file: string): number {
  try {
    const times = Number(readFileSync(file, "utf8"));
    return Number.isSafeInteger(times) ? times : 0;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return 0;
    throw error;
  }
}

/** How often an agent was told, by the report. An agent that writes there is told less often; the engine tells that to the feed. */
function timesTold(report: string): number {
  const isTold = (line: string): boolean => {
    if (!line.includes('"event":"stop"')) return false;
    try {
      return typeof JSON.parse(line).unmet === "string";
    } catch {
      return false;
    }
  };
  return reportLines(report).filter(isTold).length;
}

/** Uncommitted work is fine: the engine commits it. Without an answer of git, nothing is said. */
function unchanged({ worktree, baseSha, outbox, run }: Look): readonly Unmet[] {
  const status = git(run, worktree, ["status", "--porcelain", "--untracked-files=normal"]);
  const head = git(run, worktree, ["rev-parse", "HEAD"]);
  if (status === undefined || head === undefined || status !== "" || head !== baseSha) return [];
  if (outboxFiles(outbox).length > 0) return [];
  const long = "Nothing is changed in the worktree, and the outbox has neither a blocker nor a discovery.";
  return [{ short: "nothing changed", long }];
}

function git(run: Run, worktree: string, args: readonly string[]): string | undefined {
  const careful = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  const options = { cwd: worktree, encoding: "utf8", timeout: GIT_MS, maxBuffer: OUTPUT_BYTES } as const;
  const { status, stdout } = run("git", [...careful, ...args], options);
  return status === 0 ? stdout.trim() : undefined;
}

/** The files of the outbox that the engine is going to read as JSON, by their paths in it. */
function outboxFiles(outbox: string | undefined): readonly string[] {
  if (outbox === undefined) return [];
  const discovered = namesIn(join(outbox, "discovered")).map((name) => `discovered/${name}`);
  const top = namesIn(outbox).filter((name) => name === "blocker.json");
  return [...top, ...discovered].filter((path) => path.endsWith(".json")).slice(0, MOST_FILES);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It is not there, or it is no folder: the engine says so when it reads the outbox.
    return [];
  }
}

function unreadable({ outbox = "" }: StopSpec): readonly Unmet[] {
  const bad = outboxFiles(outbox === "" ? undefined : outbox).filter((path) => !isJsonObject(join(outbox, path)));
  if (bad.length === 0) return [];
  const names = plainText(bad.join(", "), 300);
  return [{ short: `unreadable in the outbox: ${names}`, long: `These files of the outbox are no JSON objects: ${names}` }];
}

function isJsonObject(file: string): boolean {
  try {
    const stat = statSync(file);
    const value: unknown = stat.isFile() && stat.size <= FILE_BYTES ? JSON.parse(readFileSync(file, "utf8")) : undefined;
    return isObject(value);
  } catch {
    return false;
  }
}

/** The checks that fail now, in the worktree as it is. */
async function checkAll(
  { worktree, checks, start }: Pick<Look, "worktree" | "checks" | "start">,
  checksMs: number,
): Promise<StopChecks> {
  const until = Date.now() + checksMs;
  const failed: Unmet[] = [];
  const late: string[] = [];
  for (const { name, command } of checks) {
    const result = await checkOnce(command, { worktree, start, timeout: until - Date.now() });
    const shown = plainText(name, 60);
    if (result === "late") late.push(shown);
    else if (result !== undefined) failed.push(failedCheck(shown, result));
  }
  return { failed, late };
}

/** The exit of a check, and the end of its output. */
interface CheckResult {
  readonly status: number;
  readonly output: string;
}

/**
 * The result of a check that fails; undefined if it passes, or cannot run. What the check leaves running is ended with it; if this
 * process is ended, the check is as well.
 */
async function checkOnce(
  [program = "", ...args]: readonly string[],
  { worktree, start, timeout }: Pick<Look, "worktree" | "start"> & { readonly timeout: number },
): Promise<CheckResult | "late" | undefined> {
  if (timeout <= 0) return "late";
  let child: Running | undefined;
  const endBoth = (signal: NodeJS.Signals): void => {
    endGroup(child?.pid);
    // Its listener is gone, so this is the end.
    process.kill(process.pid, signal);
  };
  // Added before the check starts: a signal may come as soon as it runs.
  for (const signal of ENDINGS) process.once(signal, endBoth);
  try {
    child = startOrNot(() => start(program, args, { cwd: worktree, detached: true, stdio: ["ignore", "pipe", "pipe"] }));
    return child === undefined ? undefined : await resultOf(child, timeout);
  } finally {
    endGroup(child?.pid);
    for (const signal of ENDINGS) process.off(signal, endBoth);
    // A process that has left the group may still hold them, and the agent does not wait for it.
    child?.stdout.destroy();
    child?.stderr.destroy();
  }
}

/** Node reports some failed starts by an event, and throws others: E2BIG is one. */
function startOrNot(start: () => Running): Running | undefined {
  try {
    return start();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return undefined;
    throw error;
  }
}

/** The signals by which an agent's program ends its hooks. A check has a group of its own, so they do not reach it. */
const ENDINGS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/** Milliseconds for the rest of the output of a check that has ended: a process outside its group may hold the pipes for ever. */
const REST_MS = 1_000;

/**
 * Waits for the end of a check, but no longer than `timeout` milliseconds. What it leaves running is ended then, and only the rest of its
 * output is waited for.
 */
function resultOf(child: Running, timeout: number): Promise<CheckResult | "late" | undefined> {
  const tailOf = (stream: Readable): (() => string) => {
    let tail = "";
    stream.setEncoding("utf8").on("data", (text: string) => {
      tail = `${tail}${text}`.slice(-OUTPUT_CHARACTERS);
    });
    return () => tail;
  };
  const [stdout, stderr] = [tailOf(child.stdout), tailOf(child.stderr)];
  return new Promise((settle) => {
    let timer = setTimeout(() => settle("late"), timeout);
    const settled = (result: CheckResult | undefined): void => {
      clearTimeout(timer);
      settle(result);
    };
    const ended = (status: number | null): void =>
      settled(status === 0 || status === null ? undefined : { status, output: `${stdout()}${stderr()}` });
    child.once("error", () => settled(undefined));
    child.once("exit", (status) => {
      clearTimeout(timer);
      endGroup(child.pid);
      timer = setTimeout(ended, REST_MS, status);
    });
    child.once("close", ended);
  });
}

/** Ends the group that a check leads; it may be gone. A check that could not start has none. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    // Some systems report EPERM for a group of zombies.
    if (errorCode(error) !== "ESRCH" && errorCode(error) !== "EPERM") throw error;
  }
}

function failedCheck(name: string, { status, output }: { readonly status: number; readonly output: string }): Unmet {
  const last = plainLines(output.slice(-OUTPUT_CHARACTERS), { maxLines: 1_000, maxLength: QUOTED.maxLength });
  const quoted = last.slice(-QUOTED.maxLines).map((line) => `  | ${line}`);
  const long = [`The check "${name}" fails (exit ${status}). Its last lines:`, ...quoted].join("\n");
  return { short: `check ${name} fails`, long };
}
