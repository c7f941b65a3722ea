import { fork } from "node:child_process";
import { type GitCall, GitMissing, type GitResult } from "./git-call.ts";
import { runGit } from "./run-git.ts";

/** Runs git, in this process or in a helper. The answers and errors are the same. */
export type RunGit = (cwd: string, call: GitCall, signal?: AbortSignal) => Promise<GitResult>;

/** A request to the helper; `call` has no `onOutput`, which cannot cross a process. */
export interface GitRequest {
  readonly id: number;
  readonly cwd: string;
  readonly call: GitCall;
}

/** Kills the bounded process of this request. */
export interface GitCancel {
  readonly cancel: number;
}

/** The helper's answer to the request with this id. Its first message, sent once, says that it takes requests. */
export type GitAnswer =
  | { readonly ready: true }
  | { readonly id: number; readonly result: GitResult }
  | { readonly id: number; readonly error: { readonly missing: boolean; readonly message: string } };

/** A small process that runs git for the engine. */
export interface GitHelper {
  readonly run: RunGit;
  /** Settles when the helper runs git, or has ended. */
  readonly ready: Promise<void>;
  /** Ends the helper, and settles when it has ended. */
  close(): Promise<void>;
}

/**
 * Starts the helper. Node starts a process by fork(2), which copies the page tables of the calling process. Measured on two busy
 * cores, a spawn takes 4 ms from a process of 49 MB and 44 ms from one of 109 MB, while the event loop stands still; the engine
 * starts some ten git processes per ticket. The helper runs in its own session, so Ctrl-C at the terminal ends neither it nor a
 * running git. It ends when the engine ends, for whatever reason. If it ends earlier, the engine runs git itself; it also does so
 * until the helper has started, while the engine is still small.
 */
export function startGitHelper({
  program,
  args,
  env,
}: {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}): GitHelper {
  const child = fork(program, [...args], {
    detached: true,
    env: { ...env },
    execArgv: ["--max-semi-space-size=1"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const waiting = new Map<number, { settle: (result: GitResult) => void; reject: (error: Error) => void }>();
  /** Shells that run, and whether in this process. */
  const shells = new Map<string, boolean>();
  let asked = 0;
  let isReady = false;
  const ready = Promise.withResolvers<void>();
  const gone = new Promise<void>((settle) => {
    const end = (): void => {
      for (const { reject } of waiting.values()) reject(new Error("the process that runs git for the engine is gone"));
      waiting.clear();
      ready.resolve();
      settle();
    };
    child.once("exit", end);
    child.once("error", end);
  });
  child.on("message", (answer: GitAnswer) => {
    if ("ready" in answer) {
      isReady = true;
      return ready.resolve();
    }
    const asker = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ("result" in answer) asker?.settle(answer.result);
    else asker?.reject(answer.error.missing ? new GitMissing(answer.error.message) : new Error(answer.error.message));
  });
  return {
    ready: ready.promise,
    run: (cwd, call, signal) => {
      const here = isHere(call, { shells, isReady, isConnected: child.connected });
      if (here) return runGit(cwd, call, signal);
      asked += 1;
      const request: GitRequest = { id: asked, cwd, call };
      const cancel = (): void => void (child.connected && child.send({ cancel: request.id } satisfies GitCancel));
      const answer = new Promise<GitResult>((settle, reject) => {
        waiting.set(request.id, { settle, reject });
        child.send(request, (error) => {
          if (error === null || !waiting.delete(request.id)) return;
          reject(error);
        });
      });
      if (signal === undefined) return answer;
      if (signal.aborted) cancel();
      signal.addEventListener("abort", cancel, { once: true });
      return answer.finally(() => signal.removeEventListener("abort", cancel));
    },
    close: () => {
      if (child.connected) child.disconnect();
      return gone;
    },
  };
}

/** True if a call runs in this process. A session stays with the process that began it, and so does a shell. */
function isHere(
  { bounded, input, onOutput, session }: GitCall,
  options: { readonly shells: Map<string, boolean>; readonly isReady: boolean; readonly isConnected: boolean },
): boolean {
  const { shells, isReady, isConnected } = options;
  // Open files cannot be passed on by another process.
  const isOwn = onOutput !== undefined || bounded?.files !== undefined || !isConnected;
  const here = isOwn || (!isReady && session === undefined);
  if (bounded?.shell === undefined) return here;
  const began = shells.get(bounded.shell) ?? here;
  if (input === undefined) shells.delete(bounded.shell);
  else shells.set(bounded.shell, began);
  return began;
}
