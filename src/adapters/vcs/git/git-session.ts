import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { type GitCall, GitMissing, type GitResult, gitEnvironment } from "./git-call.ts";

/**
 * A session takes questions this long. Not longer, since git goes by what it read at first: its settings, and the time it
 * notes in reflogs (ident.c asks the clock once a process), which is early by so much at most. Milliseconds.
 */
const LIFE_MS = 5_000;

/** A session may think this long about one question before it is taken for stuck. Milliseconds. */
const STUCK_MS = 60_000;

/** A whole answer: one line, or all that a transaction of `git update-ref --stdin` says (git-update-ref(1)). */
const WHOLE: Readonly<Record<NonNullable<GitCall["session"]>, RegExp>> = {
  line: /^[^\n]*\n/,
  transaction: /^(?:[^\n]*\n)*?commit: ok\n/,
};

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * A git process that stays and answers one question after another (`cat-file --batch-check`, `update-ref --stdin`,
 * `hash-object --stdin-paths`). Why: starting git costs more than what it is asked for. Measured on two busy cores, a
 * question to a session takes 0.3 ms and one to a process of its own 4 to 8 ms. It holds no lock between two questions, and
 * it ends when its stdin does, so also when we are killed.
 */
export class GitSession {
  readonly #child: Child;
  readonly #whole: RegExp;
  readonly #gone: Promise<void>;
  /** Told where an answer is whole, and at the end. Undefined while no question is open. */
  #heard: (() => void) | undefined;
  #problem: Error | undefined;
  #status: number | null = null;
  #over = false;
  #retired = false;
  #asked = false;
  #out = "";
  #err = "";

  /** Starts it. `ended` is called once, when it is gone. */
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
    // One that could not be started may be without pipes (where no file can be opened any more).
    if (this.#child.pid !== undefined) this.#listen();
  }

  /** Whether it takes another question. */
  get open(): boolean {
    return !this.#over && !this.#retired;
  }

  /**
   * Asks one question; not while another is open. A session that ends instead of answering gives its exit code, or null
   * where it was ended; where stdout is empty as well, the question had no effect, and may be put to another session.
   */
  async ask(input: string): Promise<GitResult> {
    // What belongs to the answer before may still come on stderr in this turn.
    if (this.#asked) await turn();
    this.#asked = true;
    this.#out = "";
    this.#err = "";
    // At first so that it can remove its locks, then so that it ends. This timer also keeps this process alive till then.
    const signals: NodeJS.Signals[] = ["SIGTERM"];
    const stuck = setInterval(() => this.#child.kill(signals.pop() ?? "SIGKILL"), STUCK_MS);
    if (this.open) await this.#hear(input);
    const answered = this.#whole.exec(this.#out)?.[0] === this.#out;
    // One that says more than was asked is out of step.
    if (!answered) await this.#end();
    clearInterval(stuck);
    if (this.#problem !== undefined && "code" in this.#problem && this.#problem.code === "ENOENT") {
      throw new GitMissing("no git program was found");
    }
    // One that ended well instead of answering has not answered.
    const status = answered ? 0 : this.#status || null;
    return { status, stdout: this.#out, stderr: this.#problem?.message ?? this.#err, stopped: false };
  }

  /** Until the answer is whole, or the session over. */
  async #hear(input: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#heard = resolve;
    if (this.#child.pid !== undefined) this.#child.stdin.write(input);
    await promise;
    this.#heard = undefined;
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    // Writing to a process that is gone: its end, which follows, is the answer.
    stdin.on("error", () => undefined);
    stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#out += text;
      if (this.#heard === undefined) this.#child.kill("SIGKILL");
      else if (this.#whole.test(this.#out)) this.#heard();
    });
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#err += text;
    });
    // An idle session keeps nobody alive.
    for (const handle of [this.#child, stdin, stdout, stderr] as { unref(): void }[]) handle.unref();
  }

  /** Lets it go; what it was asked before, it still answers. */
  #retire(): void {
    this.#retired = true;
    this.#child.stdin.end();
  }

  async #end(): Promise<void> {
    if (!this.#over) this.#child.kill("SIGKILL");
    await this.#gone;
  }
}
