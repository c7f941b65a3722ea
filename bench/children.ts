import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The repository this benchmark belongs to. */
export const ROOT = resolve(import.meta.dirname, "..");

/** A folder that is removed afterwards. */
export interface Scratch extends AsyncDisposable {
  readonly path: string;
}

/** Makes a scratch folder under the system's temporary folder, with an empty home in it. */
export async function scratchFolder(name: string): Promise<Scratch> {
  const path = await mkdtemp(join(tmpdir(), `loopdash-bench-${name}-`));
  await mkdir(join(path, "home"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }) };
}

/**
 * The whole environment of a child: the search path with this repository's Node first, an empty home, no configuration
 * of the user's, and `extra`.
 */
export function childEnvironment(scratch: string, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: `${join(ROOT, "node_modules", ".bin")}:${process.env.PATH ?? "/usr/bin:/bin"}`,
    HOME: join(scratch, "home"),
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    ...extra,
  };
}

export interface RunRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Called once there is a process. */
  readonly onStart?: (child: ChildProcess) => void;
}

export interface RunResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** Runs a program to its end and measures it from spawn to close. A failure is a result. */
export function run(request: RunRequest): Promise<RunResult> {
  const [program, ...args] = request.argv;
  return new Promise((done, failed) => {
    const startedAt = performance.now();
    const child = spawn(program, args, { cwd: request.cwd, env: request.env, stdio: ["ignore", "pipe", "pipe"] });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.once("error", failed);
    child.once("close", (code) => {
      const ms = performance.now() - startedAt;
      done({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString(), ms });
    });
    request.onStart?.(child);
  });
}

/** The same, but any exit code other than 0 throws with the program's output. Returns its stdout without the last newline. */
export async function mustRun(request: RunRequest): Promise<string> {
  const { code, stdout, stderr } = await run(request);
  if (code !== 0) throw new Error(`${request.argv.join(" ")} ended with ${code}: ${stderr.trim() || stdout.trim()}`);
  return stdout.trimEnd();
}
