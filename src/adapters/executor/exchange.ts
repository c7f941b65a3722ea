import { execa } from "execa";
import { nameWait } from "./long-waits.ts";
import { startFailure } from "./start-failure.ts";
import { killGroup } from "./sweep.ts";
import { createTail } from "./tail.ts";

/** A program that is asked once: text in, bounded text out. */
export interface ExchangeRequest {
  /** Program and arguments; no shell. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Its stdin, which is then closed. A program need not read it. */
  readonly input: string;
  readonly timeoutMs: number;
  /** What waits for the answer, in words, for people who wait with it. */
  readonly purpose?: string;
  /** The largest stdout. A program that prints more is ended. Bytes. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** How the program ended. `stderr` is its last 64 KiB, raw. */
export type ExchangeEnding =
  | { readonly how: "exited"; readonly exitCode: number; readonly stdout: Buffer; readonly stderr: string }
  | { readonly how: "signalled"; readonly signal: string; readonly stderr: string }
  | { readonly how: "out-of-time" | "too-long"; readonly stderr: string }
  /** `why` is in words for people. */
  | { readonly how: "failed-to-start"; readonly why: string };

/** Time in which the output must end after the program: a process that left its group may hold it open. Milliseconds. */
const DRAIN_MS = 1_000;

/**
 * Asks a program once. It has a process group of its own, which is ended with it, so that nothing that it leaves behind holds the
 * answer up. Never throws for what the program does.
 */
export async function exchange(request: ExchangeRequest): Promise<ExchangeEnding> {
  const [program = "", ...args] = request.argv;
  const child = execa(program, args, {
    cwd: request.cwd,
    env: request.env,
    extendEnv: false,
    preferLocal: false,
    input: request.input,
    stdout: "pipe",
    stderr: "pipe",
    buffer: false,
    reject: false,
    timeout: request.timeoutMs,
    killSignal: "SIGKILL",
    detached: true,
    cancelSignal: request.signal,
  });
  const { pid } = child;
  const named = nameWait(`${request.purpose ?? "loopdash"} waits for ${program} (pid ${pid})`, request.timeoutMs);
  const end = (): void => {
    if (pid !== undefined) killGroup(pid);
  };
  const stdout = new BoundedOutput(request.maxBytes, end);
  const stderr = createTail();
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  let drain: NodeJS.Timeout | undefined;
  child.nodeChildProcess.once("exit", () => {
    end();
    drain = setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, DRAIN_MS);
  });
  process.once("exit", end);
  const result = await child;
  named();
  process.off("exit", end);
  clearTimeout(drain);
  if (stdout.isTooLong) return { how: "too-long", stderr: stderr.text() };
  if (result.timedOut) return { how: "out-of-time", stderr: stderr.text() };
  if (result.isCanceled) return { how: "signalled", signal: "a stop", stderr: stderr.text() };
  if (result.signal !== undefined) return { how: "signalled", signal: result.signal, stderr: stderr.text() };
  if (result.exitCode === undefined) return { how: "failed-to-start", why: await startFailure(request, result) };
  return { how: "exited", exitCode: result.exitCode, stdout: stdout.bytes(), stderr: stderr.text() };
}

/** Keeps an output up to a size, and calls `onTooLong` once if there is more. */
class BoundedOutput {
  readonly #maxBytes: number;
  readonly #onTooLong: () => void;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number, onTooLong: () => void) {
    this.#maxBytes = maxBytes;
    this.#onTooLong = onTooLong;
  }

  get isTooLong(): boolean {
    return this.#size > this.#maxBytes;
  }

  push(chunk: Buffer): void {
    if (this.isTooLong) return;
    this.#size += chunk.length;
    if (!this.isTooLong) return void this.#chunks.push(chunk);
    this.#chunks = [];
    this.#onTooLong();
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
