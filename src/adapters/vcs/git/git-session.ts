import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { type GitCall, GitMissing, type GitResult, gitEnvironment } from "./git-call.ts";

/**
 * Age up to which a session takes questions. Git keeps what it read at its start: one that writes refs keeps the time for reflogs (ident.c
 * asks the clock once per process), which is late by at most this much. Objects never change. Milliseconds.
 */
const LIFE_MS: Readonly<Record<Protocol, number>> = { transaction: 5_000, line: 30_000, echo: 30_000, merges: 30_000 };

/** Time that a session may take for one question before it counts as stuck. Milliseconds. */
const STUCK_MS = 60_000;

/** The same for a binary answer: a process of its own then finds it, and holds up no other question. Milliseconds. */
const SLOW_MS = 2_000;

/** A binary answer of more than this is no answer. Bytes. */
const MAX_ANSWER = 4 * 1024 * 1024;

type Protocol = NonNullable<GitCall["session"]>;

/**
 * The end of the answer in an output, if it is there: of one line; of the whole output of a transaction of `git update-ref --stdin`
 * (git-update-ref(1)); of the echo, which git-diff-tree(1) repeats and git-cat-file(1) repeats with a word; of the results of two merges.
 */
const ENDS: Readonly<Record<Protocol, (output: string, echo: string) => number | undefined>> = {
  line: (output) => /^[^\n]*\n/.exec(output)?.[0].length,
  transaction: (output) => /^(?:[^\n]*\n)*?commit: ok\n/.exec(output)?.[0].length,
  echo: (output, echo) => (output.endsWith(`${echo}\n`) || output.endsWith(`${echo} missing\n`) ? output.length : undefined),
  merges: endOfMerges,
};

/**
 * The end of two results of `merge-tree --stdin -z --name-only --messages`, of which the second is clean. All fields are followed by a
 * zero byte: status, tree, the conflicted paths, an empty field, messages as `count, path…, kind, text`, an empty field
 * (git-merge-tree(1)). Git prints the last byte of a result together with the next one.
 */
function endOfMerges(output: string): number | undefined {
  let at = output.startsWith("\0") ? 1 : 0;
  const field = (): string | undefined => {
    const end = output.indexOf("\0", at);
    if (end < 0) return undefined;
    const text = output.slice(at, end);
    at = end + 1;
    return text;
  };
  for (let text = field(); text !== ""; text = field()) if (text === undefined) return undefined;
  for (let count = field(); count !== ""; count = field()) {
    if (count === undefined) return undefined;
    for (let fields = Number(count) + 2; fields > 0; fields -= 1) if (field() === undefined) return undefined;
  }
  const second = /^1\0[0-9a-f]+\0\0/.exec(output.slice(at))?.[0];
  return second === undefined ? undefined : at + second.length;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * A long-lived git process that answers one question after another (`cat-file --batch-check`, `update-ref --stdin`, `hash-object
 * --stdin-paths`). Starting git costs more than its answer: measured on two busy cores, a question to a session takes 0.3 ms, and
 * one to a new process 4 to 8 ms. A session holds no lock between two questions. It ends when its stdin is closed, so also if
 * loopdash is killed.
 */
export class GitSession {
  readonly #child: Child;
  readonly #protocol: Protocol;
  /** The line after the question, which git echoes: that no object has this name is all that it can say. */
  #echo = "";
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
  constructor(cwd: string, call: GitCall, protocol: Protocol, ended: () => void) {
    this.#protocol = protocol;
    const [program = "git", ...args] = call.bounded?.argv ?? ["git", ...call.args];
    this.#child = spawn(program, args, { cwd, env: gitEnvironment(call), stdio: ["pipe", "pipe", "pipe"] });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gone = promise;
    const life = setTimeout(() => this.#retire(), LIFE_MS[protocol]).unref();
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
    this.#echo = randomUUID();
    const stuck = setInterval(() => this.#child.kill(signals.pop() ?? "SIGKILL"), this.#isBinary ? SLOW_MS : STUCK_MS);
    if (this.open) await this.#hear(this.#protocol === "echo" ? `${input}${this.#echo}\n` : input);
    const answered = this.#end() === this.#out.length;
    // A session that says more than was asked is out of step.
    if (!answered) await this.#kill();
    clearInterval(stuck);
    if (this.#problem !== undefined && "code" in this.#problem && this.#problem.code === "ENOENT") {
      throw new GitMissing("no git program was found");
    }
    // A session that exits with 0 instead of answering has not answered.
    const status = answered ? 0 : this.#status || null;
    const stdout = answered && this.#protocol === "echo" ? this.#out.slice(0, this.#out.lastIndexOf(this.#echo)) : this.#out;
    return { status, stdout, stderr: this.#problem?.message ?? this.#err, stopped: false };
  }

  get #isBinary(): boolean {
    return this.#protocol === "echo" || this.#protocol === "merges";
  }

  /** The end of the answer in what has been heard. */
  #end(): number | undefined {
    return ENDS[this.#protocol](this.#out, this.#echo);
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
    stdout.setEncoding(this.#isBinary ? "latin1" : "utf8").on("data", (text: string) => {
      this.#out += text;
      const isTooLong = this.#isBinary && this.#out.length > MAX_ANSWER;
      if (this.#heard === undefined || isTooLong) this.#child.kill("SIGKILL");
      else if (this.#end() !== undefined) this.#heard();
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

  async #kill(): Promise<void> {
    if (!this.#over) this.#child.kill("SIGKILL");
    await this.#gone;
  }
}
