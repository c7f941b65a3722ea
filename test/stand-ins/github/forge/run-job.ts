import { spawn } from "node:child_process";
import { lstatSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLEAN_ENV, git } from "./git.ts";
import type { Annotation } from "./model.ts";

const TIMEOUT_MS = 60_000;
const MOST_LOG = 1_000_000;
const MOST_REPORTS = 20;
const MOST_REPORT = 2_000_000;

/** What a job's command did in a checkout of a commit. */
export interface JobResult {
  /** Null if it was ended: by a signal, or by the time limit. */
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
  readonly log: readonly string[];
  readonly annotations: readonly Annotation[];
  /** JUnit files that it wrote, by path. */
  readonly reports: Readonly<Record<string, Buffer>>;
}

export interface JobOptions {
  /** The bare repository. */
  readonly repository: string;
  readonly sha: string;
  readonly command: readonly string[];
  readonly timeoutMs?: number | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Runs a command in a checkout of its own, which is gone afterwards. */
export async function runJob(options: JobOptions): Promise<JobResult> {
  const { repository, sha, signal } = options;
  const folder = await mkdtemp(join(tmpdir(), "loopdash-forge-job-"));
  try {
    const checkout = join(folder, "work");
    await git(folder, ["clone", "--quiet", "--shared", "--no-checkout", repository, checkout]);
    await git(checkout, ["checkout", "--quiet", "--detach", sha]);
    signal.throwIfAborted();
    const { exitCode, isTimedOut, output } = await runCommand(checkout, { ...options, env: { ...options.env, HOME: folder } });
    const lines = output.split(/\r?\n/);
    if (lines.at(-1) === "") lines.pop();
    return {
      exitCode,
      isTimedOut,
      log: lines.map((line) => line.replace(/^::(error|warning|notice)(?: .*?)?::/, "##[$1]")),
      annotations: lines.flatMap(annotationsIn),
      reports: await reportsIn(checkout),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runCommand(
  cwd: string,
  { command, timeoutMs = TIMEOUT_MS, env, signal }: JobOptions,
): Promise<{ readonly exitCode: number | null; readonly isTimedOut: boolean; readonly output: string }> {
  const [program = "false", ...args] = command;
  return new Promise((resolve) => {
    // A group of its own, so that what the command started ends with it.
    const child = spawn(program, args, { cwd, env: { ...CLEAN_ENV, ...env }, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let output = "";
    let isTimedOut = false;
    const keep = (chunk: string) => {
      if (output.length < MOST_LOG) output += chunk;
    };
    const end = () => endGroup(child.pid);
    const timer = setTimeout(() => {
      isTimedOut = true;
      end();
    }, timeoutMs);
    signal.addEventListener("abort", end, { once: true });
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    const settle = (exitCode: number | null) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve({ exitCode, isTimedOut, output });
    };
    child.on("error", (error) => {
      keep(`${error.message}\n`);
      settle(127);
    });
    child.on("exit", end);
    child.on("close", settle);
  });
}

/** Ends a process and all of its group; they may be gone already. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** GitHub's workflow commands that make annotations: `::error file=a.ts,line=3::message`. */
function annotationsIn(line: string): readonly Annotation[] {
  const [, level, properties = "", message = ""] = /^::(error|warning|notice)(?: (.*?))?::(.*)$/.exec(line) ?? [];
  if (level === undefined) return [];
  const values = new Map(
    properties.split(",").map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]),
  );
  const at = Number(values.get("line") ?? 1);
  return [
    {
      path: unescaped(values.get("file") ?? ".github"),
      line: at,
      endLine: Number(values.get("endLine") ?? at),
      level: level === "error" ? "failure" : (level as "warning" | "notice"),
      title: values.has("title") ? unescaped(values.get("title") ?? "") : null,
      message: unescaped(message),
    },
  ];
}

function unescaped(text: string): string {
  return text.replace(/%0D/gi, "\r").replace(/%0A/gi, "\n").replace(/%3A/gi, ":").replace(/%2C/gi, ",").replace(/%25/g, "%");
}

async function reportsIn(checkout: string): Promise<Readonly<Record<string, Buffer>>> {
  const names = (await git(checkout, ["ls-files", "--others", "-z", "--", "*.xml"])).split("\0").filter((name) => name !== "");
  const files = names.slice(0, MOST_REPORTS).filter((name) => {
    const found = lstatSync(join(checkout, name));
    return found.isFile() && found.size <= MOST_REPORT;
  });
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(checkout, name))]));
}
