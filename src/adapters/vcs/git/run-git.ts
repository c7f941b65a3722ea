import { GitPluginError, type SimpleGitOptions, simpleGit } from "simple-git";
import { runBounded } from "./bounded-process.ts";
import { type GitCall, GitFailure, GitMissing, type GitResult, gitEnvironment } from "./git-call.ts";
import { runInSession } from "./git-session-pool.ts";

/** Time without output after which a git process counts as stuck. Milliseconds. */
const SILENCE_MS = 10 * 60_000;

/** The limit of output kept in memory, per process. Bytes. */
const MAX_OUTPUT = 64 * 1024 * 1024;

/** simple-git refuses settings that can start programs, even if they switch that off, as all of these do. */
const SWITCHED_OFF: NonNullable<SimpleGitOptions["unsafe"]> = {
  allowUnsafeHooksPath: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeProtocolOverride: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeConfigEnvCount: true,
  allowUnsafeFilter: true,
};

/** What asking a remote takes beyond: the user's own ssh, and the user's own helpers for credentials. */
const FOR_REMOTES: NonNullable<SimpleGitOptions["unsafe"]> = {
  ...SWITCHED_OFF,
  allowUnsafeSshCommand: true,
  allowUnsafeCredentialHelper: true,
  allowUnsafeAskPass: true,
};

/**
 * Runs git in `cwd`, which must be a folder that no worker can write, and returns how it ended. Throws if git cannot run.
 * `signal` kills a bounded process.
 */
export function runGit(cwd: string, call: GitCall, signal?: AbortSignal): Promise<GitResult> {
  if (call.session !== undefined) return runInSession(cwd, call, call.session);
  return call.bounded === undefined ? runOnce(cwd, call) : runBounded({ ...call.bounded, ...streams(call) }, signal);
}

function streams({ input, onOutput }: GitCall): Pick<GitCall, "input" | "onOutput"> {
  return { input, onOutput };
}

async function runOnce(cwd: string, call: GitCall): Promise<GitResult> {
  const stop = new AbortController();
  let status: number | null = null;
  let stderr = "";
  let stopped = false;
  const env = gitEnvironment(call);
  const git = simpleGit({
    baseDir: cwd,
    allowEnvironment: Object.keys(env),
    unsafe: call.remote === undefined ? SWITCHED_OFF : FOR_REMOTES,
    abort: stop.signal,
    timeout: { block: call.silenceMs ?? SILENCE_MS },
    completion: { onClose: true, onExit: false },
    ...(call.input === undefined ? {} : { input: () => call.input }),
    // An exit code is an answer here (merge-tree reports a conflict by 1), so only a process that was cut short is an error.
    errors: (error, result) => {
      status = result.exitCode;
      stderr = Buffer.concat(result.stdErr).toString("utf8");
      return error instanceof GitPluginError ? error : undefined;
    },
  });
  let seen = 0;
  git.outputHandler((_command, stdout) => {
    stdout.on("data", (chunk: Buffer) => {
      seen += chunk.length;
      if (stopped || (call.onOutput?.(chunk) !== "stop" && seen <= MAX_OUTPUT)) return;
      stopped = true;
      stop.abort();
    });
    // simple-git waits 50 ms for late output after a process that printed nothing. All output has come once stdout
    // ends, so an empty chunk there ends that wait.
    stdout.once("end", () => stdout.emit("data", Buffer.alloc(0)));
  });
  let stdout = "";
  try {
    stdout = await git.env(env).raw([...call.args]);
  } catch (error) {
    if (error instanceof GitPluginError && error.plugin === "timeout")
      throw new GitFailure(call.args, { status: null, stdout: "", stderr: "it waits for something", stopped });
    if (!stopped) throw error;
  }
  if (status === -2 && stderr.includes("ENOENT")) throw new GitMissing("no git program was found");
  const result = { status, stdout, stderr, stopped };
  if (seen > MAX_OUTPUT) throw new GitFailure(call.args, { ...result, stderr: `its output is longer than ${MAX_OUTPUT} bytes` });
  return result;
}

/** Like `runGit`, for a process that must succeed: returns its stdout, or throws a GitFailure. */
export async function mustGit(cwd: string, call: GitCall): Promise<string> {
  const result = await runGit(cwd, call);
  if (result.status !== 0) throw new GitFailure(call.args, result);
  return result.stdout;
}
