import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { type GitCall, GitMissing, type GitResult, gitEnvironment } from "./git-call.ts";

/**
 * Age up to which a session takes questions. Git keeps what it read at its start: its settings, and the time for reflogs (ident.c
 * asks the clock once per process), which is late by at most this much. Milliseconds.
 */
const LIFE_MS = 5_000;

/** Time that a session may take for one question before it counts as stuck. Milliseconds. */
const STUCK_MS = 60_000;

/** A complete answer: one line, or the whole output of a transaction of `git update-ref --stdin` (git-update-ref(1)). */
const WHOLE: Readonly<Record<NonNullable<GitCall["session"]>, RegExp>> = {
  line: /^[^\n]*\n/,
  transaction: /^(?:[^\n]*\n)*?commit: ok\n/,
};

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * A long-lived git process that answers one question after another (`cat-file --batch-check`, `update-ref --stdin`, `hash-object
 * --stdin-paths`). Starting git costs more than its answer: measured on two busy cores, a question to a session takes 0.3 ms, and
 * one to a new process 4 to 8 ms. A session holds no lock between two questions. It ends when its stdin is closed, so also if
 * loopdash is killed.
 */
export class GitSession {
  readonly #child: Child;
  readonly #whole: RegExp;
  readonly #gone: Promise<void>;
  /** Called when an answer is complete, and at the end. Undefined while no question is open. */
  #heard: (() => void) | undefined;
  #problem: Error | undefined;
  #status: number | null = null;
  #over = false;
  #retired = false;
  #asked = false;
  #out = "";
  #err = "";

  /** Starts it. `ended` is called once, after it has ended. */
  constructor(cwd: string, call: GitCall, protocol: NonNullable<GitCall["session"]>, ended: () => void) {
    this.#whole = WHOLE[protocol];
    this.#child = spawn("git", [...call.args], { cwd, env: gitEnvironment(call), stdio: ["pipe", "pipe", "pipe"] });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gone = promise;
    const life = setTimeout(() => this.#retire(), LIFE_MS).unref();
    const end = (status: number | null): void => {
      if (this.#over) return;
      clearTimeout(life);
      this.#over = true;
      this.#status = status;
      this.#heard?.();
      resolve();
      ended();
    };
    this.#child.once("close", (status) => end(status));
    this.#child.on("error", (error) => {
      this.#problem = error;
      end(null);
    });
    // A process that could not start may lack pipes (if no file can be opened any more).
    if (this.#child.pid !== undefined) this.#listen();
  }

  /** True if it takes another question. */
  get open(): boolean {
    return !this.#over && !this.#retired;
  }

  /**
   * Asks one question; not while another is open. A session that ends instead of answering returns its exit code, or null if a
   * signal ended it. If stdout is also empty, the question had no effect and may be put to another session.
   */
  async ask(input: string): Promise<GitResult> {
    // Output of the previous answer may still arrive on stderr in this turn.
    if (this.#asked) await turn();
    this.#asked = true;
    this.#out = "";
    this.#err = "";
    // SIGTERM first, so that it can remove its locks, then SIGKILL. This timer also keeps this process alive until then.
    const signals: NodeJS.Signals[] = ["SIGTERM"];
    const stuck = setInterval(() => this.#child.kill(signals.pop() ?? "SIGKILL"), STUCK_MS);
    if (this.open) await this.#hear(input);
    const answered = this.#whole.exec(this.#out)?.[0] === this.#out;
    // A session that says more than was asked is out of step.
    if (!answered) await this.#end();
    clearInterval(stuck);
    if (this.#problem !== undefined && "code" in this.#problem && this.#problem.code === "ENOENT") {
      throw new GitMissing("no git program was found");
    }
    // A session that exits with 0 instead of answering has not answered.
    const status = answered ? 0 : this.#status || null;
    return { status, stdout: this.#out, stderr: this.#problem?.message ?? this.#err, stopped: false };
  }

  /** Waits until the answer is complete, or the session has ended. */
  async #hear(input: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#heard = resolve;
    if (this.#child.pid !== undefined) this.#child.stdin.write(input);
    await promise;
    this.#heard = undefined;
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    // Writing to an ended process: its end, which follows, is the answer.
    stdin.on("error", () => undefined);
    stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#out += text;
      if (this.#heard === undefined) this.#child.kill("SIGKILL");
      else if (this.#whole.test(this.#out)) this.#heard();
    });
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#err += text;
    });
    // An idle session keeps no process alive.
    for (const handle of [this.#child, stdin, stdout, stderr] as { unref(): void }[]) handle.unref();
  }

  /** Closes the session; it still answers questions that it was asked before. */
  #retire(): void {
    this.#retired = true;
    this.#child.stdin.end();
  }

  async #end(): Promise<void> {
    if (!this.#over) this.#child.kill("SIGKILL");
    await this.#gone;
  }
}
