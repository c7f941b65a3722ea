import { execFile } from "node:child_process";
import { delimiter, dirname } from "node:path";

/** What a git command may take. */
const TIMEOUT_MS = 60_000;
const MOST_OUTPUT = 32_000_000;

/** The environment of every process that the stand-in starts: nothing of the tests' own, so no credentials either. */
export const CLEAN_ENV: Readonly<Record<string, string>> = {
  PATH: [dirname(process.execPath), process.env["PATH"] ?? "/usr/bin:/bin"].join(delimiter),
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
};

export interface GitOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** How a git command ended. */
export interface GitResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs git in a repository and waits for it; any exit code is an answer. */
export function tryGit(folder: string, args: readonly string[], { input, env }: GitOptions = {}): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: { ...CLEAN_ENV, ...env }, timeout: TIMEOUT_MS, maxBuffer: MOST_OUTPUT };
    const child = execFile("git", args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, stdout, stderr });
      else if (typeof error.code === "number") resolve({ code: error.code, stdout, stderr });
      else reject(error);
    });
    // A command that ends without reading its input breaks the pipe; its exit code says why.
    child.stdin?.on("error", () => child.stdin?.destroy());
    child.stdin?.end(input ?? "");
  });
}

/** What a git command prints, without the last line's end; throws if it fails. */
export async function git(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await tryGit(folder, args, options);
  if (code !== 0) throw new Error(`git ${args[0]} failed (${code}): ${stderr.trim()}`);
  return stdout.replace(/\n$/, "");
}

/** The commit that a name stands for; undefined if there is none. */
export async function commitOf(folder: string, name: string): Promise<string | undefined> {
  const { code, stdout } = await tryGit(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  return code === 0 ? stdout.trim() : undefined;
}

export function branchTip(folder: string, branch: string): Promise<string | undefined> {
  return commitOf(folder, `refs/heads/${branch}`);
}

/** Every branch with its tip. */
export async function branches(folder: string): Promise<ReadonlyMap<string, string>> {
  const text = await git(folder, ["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads"]);
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))]));
}

export async function isAncestor(folder: string, ancestor: string, of: string): Promise<boolean> {
  return (await tryGit(folder, ["merge-base", "--is-ancestor", ancestor, of])).code === 0;
}
