import { Worker } from "node:worker_threads";
import { afterRunning } from "./executor/run-time.ts";

/** A thread's program, and its bounds. */
export interface ThreadOptions {
  /** A file of this program, and the arguments that select its task. */
  readonly program: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly memoryMib: number;
}

/** The answer of a thread, or the reason that there is none, in plain words. */
export type ThreadAnswer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/**
 * Runs a task in a thread of its own, with a bound on time and memory: whatever its input, it costs the event loop only the
 * copying. The thread takes the task from `workerData` and posts one answer. It is gone when the promise settles or soon after.
 */
export function inThread<T>(options: ThreadOptions, task: unknown): Promise<ThreadAnswer<T>> {
  return new Promise((settle) => {
    const worker = new Worker(options.program, {
      argv: [...options.args],
      env: {},
      execArgv: [],
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMib },
    });
    const end = (answer: ThreadAnswer<T>): void => {
      stopTimer();
      settle(answer);
      void worker.terminate();
    };
    const failed = (problem: string) => end({ ok: false, problem });
    const stopTimer = afterRunning(options.timeoutMs, () => failed(`took longer than ${options.timeoutMs / 1000} s`));
    worker.once("message", (value: T) => end({ ok: true, value }));
    worker.once("error", (error) => failed(`failed: ${error.message}`));
    worker.once("exit", () => failed("ended without a word"));
  });
}
