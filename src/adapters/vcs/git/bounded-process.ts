import { spawn } from "node:child_process";
import { hasErrorCode } from "../../../domain/values/error-text.ts";
import type { BoundedStart, GitCall, GitResult } from "./git-call.ts";
import { GitMissing } from "./git-call.ts";

/** Output that is kept, per stream. Bytes. */
const MAX_OUTPUT = 64 * 1024 * 1024;
const MAX_STDERR = 64 * 1024;

/** Process groups that have not ended. */
const running = new Set<number>();

/**
 * Runs a process that reads a worker's leftovers. It has its own process group, which is killed as soon as `signal` is aborted or
 * its output is too long. It gets SIGKILL at once: a process that waits for a pipe ignores gentler signals.
 */
export function runBounded(
  boundedStart: BoundedStart & Pick<GitCall, "input" | "onOutput">,
  signal: AbortSignal | undefined,
): Promise<GitResult> {
  const [program = "", ...args] = boundedStart.argv;
  if (signal?.aborted === true) return Promise.resolve({ status: null, stdout: "", stderr: "", stopped: false });
  const child = spawn(program, args, {
    cwd: boundedStart.cwd,
    env: { ...boundedStart.env },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const { pid } = child;
  const kill = (): void => {
    if (pid !== undefined && running.has(pid)) killGroup(pid);
  };
  if (pid !== undefined) running.add(pid);
  signal?.addEventListener("abort", kill, { once: true });
  const said = gather(child, boundedStart.onOutput, kill);
  child.stdin.on("error", () => undefined);
  child.stdin.end(boundedStart.input ?? "");
  return new Promise((settle, reject) => {
    const over = (end: () => void): void => {
      if (pid !== undefined) running.delete(pid);
      signal?.removeEventListener("abort", kill);
      end();
    };
    child.once("error", (error) => over(() => reject(problemOf(error))));
    child.once("close", (status) => over(() => settle({ status, ...said() })));
  });
}

/** Kills every running process that `runBounded` started in this process. */
export function killBounded(): void {
  for (const pid of running) killGroup(pid);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // It has ended since.
    if (!hasErrorCode(error, "ESRCH")) throw error;
  }
}

function gather(
  { stdout, stderr }: { readonly stdout: NodeJS.ReadableStream; readonly stderr: NodeJS.ReadableStream },
  onOutput: GitCall["onOutput"],
  kill: () => void,
): () => Pick<GitResult, "stdout" | "stderr" | "stopped"> {
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  let [seen, errors, stopped] = [0, 0, false];
  stdout.on("data", (chunk: Buffer) => {
    seen += chunk.length;
    if (stopped) return;
    if (onOutput === undefined) out.push(chunk);
    if (onOutput?.(chunk) !== "stop" && seen <= MAX_OUTPUT) return;
    stopped = true;
    kill();
  });
  stderr.on("data", (chunk: Buffer) => {
    errors += chunk.length;
    if (errors <= MAX_STDERR) err.push(chunk);
  });
  return () => {
    if (seen > MAX_OUTPUT && onOutput === undefined) err.push(Buffer.from(`its output is longer than ${MAX_OUTPUT} bytes`));
    return { stdout: Buffer.concat(out).toString("utf8"), stderr: Buffer.concat(err).toString("utf8"), stopped };
  };
}

function problemOf(error: Error): Error {
  return "code" in error && error.code === "ENOENT" ? new GitMissing(`${error.message}: the program was not found`) : error;
}
