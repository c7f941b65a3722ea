import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { plainLines, plainText } from "../domain/values/text.ts";

/** What the engine tells the reminder at a stop (see StopGuardTask). */
interface StopSpec {
  readonly times: number;
  readonly baseSha: string;
  readonly worktree: string;
  readonly outbox?: string;
  readonly checks: readonly { readonly name: string; readonly command: readonly string[] }[];
}

/** What is unmet: `short` for the feed, `long` for the agent. */
interface Unmet {
  readonly short: string;
  readonly long: string;
}

/** The reminder of an agent that stops. `n` of `of`: how many times it was told, this one included. */
export interface StopReminder {
  readonly reason: string;
  readonly unmet: string;
  readonly n: number;
  readonly of: number;
}

/** Milliseconds for all checks together: the vendors' programs give a hook a minute. A check that takes longer says nothing. */
const CHECKS_MS = 45_000;
const GIT_MS = 10_000;
const OUTPUT_BYTES = 4 * 2 ** 20;
const QUOTED = { maxLines: 8, maxLength: 160 } as const;
const MOST_FILES = 50;
const FILE_BYTES = 1_000_000;

/**
 * Looks which items of the finish line are unmet when an agent stops; undefined if none is known, or if it was told often enough. Decides
 * nothing: the finish line judges afterwards. `told`: the times that it was told before. Throws if the file of the engine cannot be read.
 */
export function stopReminder(file: string, told: number): StopReminder | undefined {
  const spec = JSON.parse(readFileSync(file, "utf8")) as StopSpec;
  if (told >= spec.times) return undefined;
  const unmet = [...unchanged(spec), ...unreadable(spec)];
  if (unmet.length === 0) unmet.push(...failedChecks(spec));
  if (unmet.length === 0) return undefined;
  const n = told + 1;
  const lines = unmet.map(({ long }) => `- ${long}`).join("\n");
  const reason = `loopdash: you stop, and this is unmet (told ${n} of ${spec.times}):\n${lines}\n${ADVICE}`;
  return { reason, unmet: unmet.map(({ short }) => short).join("; "), n, of: spec.times };
}

const ADVICE =
  "Go on if you can meet it. If something outside the code stops you, put a blocker into the outbox; if it is other work, a discovery. Then stop. The finish line is judged afterwards in any case.";

/** Uncommitted work is fine: the engine commits it. Without an answer of git, nothing is said. */
function unchanged({ worktree, baseSha, outbox }: StopSpec): readonly Unmet[] {
  const status = git(worktree, ["status", "--porcelain", "--untracked-files=normal"]);
  const head = git(worktree, ["rev-parse", "HEAD"]);
  if (status === undefined || head === undefined || status !== "" || head !== baseSha) return [];
  if (outboxFiles(outbox).length > 0) return [];
  const long = "Nothing is changed in the worktree, and the outbox has neither a blocker nor a discovery.";
  return [{ short: "nothing changed", long }];
}

function git(worktree: string, args: readonly string[]): string | undefined {
  const careful = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  const options = { cwd: worktree, encoding: "utf8", timeout: GIT_MS, maxBuffer: OUTPUT_BYTES } as const;
  const { status, stdout } = spawnSync("git", [...careful, ...args], options);
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
    const text = readFileSync(file, "utf8");
    const value: unknown = text.length > FILE_BYTES ? undefined : JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The checks that fail now, in the worktree as it is. */
function failedChecks({ worktree, checks }: StopSpec): readonly Unmet[] {
  const until = Date.now() + CHECKS_MS;
  return checks.flatMap(({ name, command: [program = "", ...args] }) => {
    const timeout = until - Date.now();
    if (timeout <= 0) return [];
    const options = { cwd: worktree, encoding: "utf8", timeout, killSignal: "SIGKILL", maxBuffer: OUTPUT_BYTES } as const;
    const { status, stdout, stderr, error } = spawnSync(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    if (error !== undefined || status === 0 || status === null) return [];
    const told = plainText(name, 60);
    const last = plainLines(`${stdout}${stderr}`.slice(-4_000), { maxLines: 1_000, maxLength: QUOTED.maxLength });
    const quoted = last.slice(-QUOTED.maxLines).map((line) => `  | ${line}`);
    return [
      { short: `${told} fails`, long: [`The check "${told}" fails (exit ${status}). Its last lines:`, ...quoted].join("\n") },
    ];
  });
}
