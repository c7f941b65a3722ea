import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { serialQueue } from "../../../domain/values/serial-queue.ts";
import { withFiles } from "../../executor/passed-files.ts";
import type { BoundedStart, GitCall, GitResult } from "./git-call.ts";
import { killGroup, MAX_OUTPUT, MAX_STDERR, running, startError } from "./process-groups.ts";

/** The mark after a command: a line break, a random word, its exit code in three digits, a line break. Bytes. */
const MARK_BYTES = 42;

interface Listener {
  readonly onOutput: ((chunk: Buffer) => "more" | "stop") | undefined;
  readonly word: string;
  readonly settle: (result: GitResult) => void;
  readonly out: Buffer[];
  /** Output that may be the mark. */
  held: Buffer;
  err: string;
  seen: number;
  stopped: boolean;
}

/**
 * A shell in its own process group that runs commands one after another: a sandbox and its programs are started once for all of
 * them. Commands that nobody may trust print the mark of their end only by guessing a random word.
 */
class BoundedShell {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #queue = serialQueue();
  readonly #gone: Promise<number | null>;
  #problem: Error | undefined;
  #listener: Listener | undefined;
  #over = false;

  /** Starts it. `ended` is called once, after it has ended. */
  constructor({ argv, cwd, env, files = [] }: BoundedStart, ended: () => void) {
    const [program = "", ...args] = argv;
    this.#child = withFiles(files, (passed) =>
      // Node's types know three streams at most where further files are passed on.
      spawn(program, args, { cwd, env: { ...env }, detached: true, stdio: ["pipe", "pipe", "pipe", ...passed] }),
    ) as ChildProcessByStdio<Writable, Readable, Readable>;
    const { pid, stdin, stdout, stderr } = this.#child;
    if (pid !== undefined) running.add(pid);
    this.#gone = new Promise((settle) => {
      const end = (status: number | null): void => {
        if (pid !== undefined) running.delete(pid);
        this.#over = true;
        ended();
        this.#finish(status);
        settle(status);
      };
      this.#child.once("error", (error) => {
        this.#problem = error;
        end(null);
      });
      this.#child.once("close", end);
    });
    if (pid === undefined) return;
    stdin.on("error", () => undefined);
    stdout.on("data", (chunk: Buffer) => this.#hear(chunk));
    stderr.on("data", (chunk: Buffer) => this.#hearError(chunk));
  }

  /** Runs a command: the text of a subshell. Status null: the shell has been killed. Throws if the shell cannot be started. */
  run(code: string, onOutput: Listener["onOutput"]): Promise<GitResult> {
    return this.#queue(async () => {
      const word = randomUUID();
      const result = await new Promise<GitResult>((settle) => {
        this.#listener = { onOutput, word, settle, out: [], held: Buffer.alloc(0), err: "", seen: 0, stopped: false };
        if (this.#over) return this.#finish(null);
        const marks = `printf '\\n%s\\n' ${word} >&2; printf '\\n%s %03d\\n' ${word} $status`;
        this.#child.stdin.write(`(${code}\n) </dev/null; status=$?; ${marks}\n`);
      });
      if (this.#problem !== undefined) throw startError(this.#problem);
      return result;
    });
  }

  /** Kills it and everything in its group, and waits for its end. */
  async kill(): Promise<void> {
    if (!this.#over && this.#child.pid !== undefined) killGroup(this.#child.pid);
    await this.#gone;
  }

  #hear(chunk: Buffer): void {
    const listener = this.#listener;
    if (listener === undefined || listener.stopped) return;
    const all = Buffer.concat([listener.held, chunk]);
    const at = Math.max(0, all.length - MARK_BYTES);
    listener.held = all.subarray(at);
    if (at > 0) this.#take(listener, all.subarray(0, at));
    this.#compare(listener);
  }

  #hearError(chunk: Buffer): void {
    const listener = this.#listener;
    if (listener === undefined) return;
    const text = listener.err + chunk.toString("utf8");
    // The beginning tells what is wrong; the mark is at the end.
    listener.err = text.length > 2 * MAX_STDERR ? text.slice(0, MAX_STDERR) + text.slice(-MARK_BYTES) : text;
    this.#compare(listener);
  }

  #take(listener: Listener, output: Buffer): void {
    listener.seen += output.length;
    if (listener.onOutput === undefined) listener.out.push(output);
    const tooMuch = listener.seen > MAX_OUTPUT;
    if (listener.onOutput?.(output) !== "stop" && !tooMuch) return;
    listener.stopped = true;
    if (tooMuch && listener.onOutput === undefined) listener.err += `its output is longer than ${MAX_OUTPUT} bytes`;
    if (this.#child.pid !== undefined) killGroup(this.#child.pid);
  }

  #compare(listener: Listener): void {
    if (listener.held.length < MARK_BYTES || !listener.err.endsWith(`\n${listener.word}\n`)) return;
    const [, status] = new RegExp(`^\\n${listener.word} (\\d{3})\\n$`).exec(listener.held.toString("latin1")) ?? [];
    if (status === undefined) return;
    listener.held = Buffer.alloc(0);
    listener.err = listener.err.slice(0, -listener.word.length - 2);
    this.#finish(Number(status));
  }

  #finish(status: number | null): void {
    const listener = this.#listener;
    if (listener === undefined) return;
    this.#listener = undefined;
    const stdout = Buffer.concat([...listener.out, listener.held]).toString("utf8");
    const { err, stopped, settle } = listener;
    settle({ status, stdout, stderr: err.slice(0, MAX_STDERR), stopped });
  }
}

const shells = new Map<string, BoundedShell>();

/**
 * Runs a command in the shell with this name in this process, and starts the shell if there is none. Without a command, ends the
 * shell.
 */
export async function runInShell(
  name: string,
  start: BoundedStart & Pick<GitCall, "input" | "onOutput">,
  signal: AbortSignal | undefined,
): Promise<GitResult> {
  const found = shells.get(name);
  if (start.input === undefined || signal?.aborted === true) {
    await found?.kill();
    return { status: null, stdout: "", stderr: "", stopped: false };
  }
  const shell = found ?? new BoundedShell(start, () => shells.delete(name));
  shells.set(name, shell);
  const kill = (): void => void shell.kill();
  signal?.addEventListener("abort", kill, { once: true });
  try {
    return await shell.run(start.input, start.onOutput);
  } finally {
    signal?.removeEventListener("abort", kill);
  }
}
