import { read, readlinkSync, writeSync } from "node:fs";
import { errorCode } from "@loopdash/values";

/** The process that asks the guard: this very one, or the client of a guard server. */
export interface Caller {
  readonly cwd: string;
  /** `HOME` and `TMPDIR` are looked at. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its stdin to the end, as text. Rejects with `LatePayload` if the end does not come in time. */
  input(): Promise<string>;
  /** Prints all of the text on its stdout (1) or stderr (2). */
  print(fd: 1 | 2, text: string): void;
}

/** Milliseconds until the payload must be there. The programs stop waiting for a hook after a minute, and then let the tool pass. */
const PATIENCE_MS = 10_000;
/** Bytes of a payload; a tool that writes a file has its content in it. */
const LONGEST = 64 * 1024 * 1024;

export class LatePayload extends Error {
  override readonly name = "LatePayload";
}

export function thisProcess(): Caller {
  return { cwd: currentFolder(), env: process.env, input: () => textOf(0, PATIENCE_MS), print };
}

/** The working folder. Of one that was deleted the kernel still tells the path (proc_pid_cwd(5)): what is denied there stays denied. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.platform === "linux" ? readlinkSync("/proc/self/cwd").replace(/ \(deleted\)$/, "") : "/";
  }
}

/** Writes all of the text; a reader that has gone is no error. */
function print(fd: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") continue;
      return;
    }
  }
}

/**
 * All text of an open file. Rejects if its end does not come in time, or if it is too long. Node's stream of stdin would take 10 ms
 * to load.
 */
async function textOf(fd: number, patienceMs: number): Promise<string> {
  const late = Promise.withResolvers<never>();
  const words = `the agent's program did not finish what it sends within ${patienceMs / 1000} s`;
  const timer = setTimeout(() => late.reject(new LatePayload(words)), patienceMs);
  try {
    const chunks: Buffer[] = [];
    for (let length = 0; ; ) {
      const chunk = await Promise.race([nextChunk(fd), late.promise]);
      if (chunk.length === 0) return Buffer.concat(chunks).toString("utf8");
      length += chunk.length;
      if (length > LONGEST) throw new Error(`the agent's program sends more than ${LONGEST} bytes`);
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The next bytes; none at the end. Waits for them also if the descriptor does not block. */
async function nextChunk(fd: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(65_536);
  for (;;) {
    try {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      read(fd, buffer, 0, buffer.length, null, (error, length) => (error === null ? resolve(length) : reject(error)));
      return buffer.subarray(0, await promise);
    } catch (error) {
      if (errorCode(error) === "EOF") return buffer.subarray(0, 0);
      if (errorCode(error) !== "EAGAIN") throw error;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}
