import { spawn } from "node:child_process";
import { runInShell } from "./bounded-shell.ts";
import type { BoundedStart, GitCall, GitResult } from "./git-call.ts";
import { killGroup, MAX_OUTPUT, MAX_STDERR, running, startError } from "./process-groups.ts";

/**
 * Runs a process that reads a worker's leftovers. It has its own process group, which is killed as soon as `signal` is aborted or
 * its output is too long. It gets SIGKILL at once: a process that waits for a pipe ignores gentler signals.
 */
export function runBounded(
  boundedStart: BoundedStart & Pick<GitCall, "input" | "onOutput">,
  signal: AbortSignal | undefined,
): Promise<GitResult> {
  const [program = "", ...args] = boundedStart.argv;
  if (boundedStart.shell !== undefined) return runInShell(boundedStart.shell, boundedStart, signal);
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
    child.once("error", (error) => over(() => reject(startError(error))));
    child.once("close", (status) => over(() => settle({ status, ...said() })));
  });
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
