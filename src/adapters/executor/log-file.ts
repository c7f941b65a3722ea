import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { errorMessage, hasErrorCode } from "../../domain/values/text.ts";
import { isFulfilledWithin } from "./timers.ts";

/** The limit of a log file, with its mark. */
export const LOG_MAX_BYTES = 20 * 1024 * 1024;
/** The last line of a log that was cut. */
export const LOG_CUT_MARK = "\n[loopdash: the log is cut here: it reached 20 MB]\n";
/** The time that the disk may take for pending writes after the program is gone. */
export const LOG_CLOSE_MS = 5_000;

const ROOM = LOG_MAX_BYTES - Buffer.byteLength(LOG_CUT_MARK);

/** A bounded log. It never throws and never stops a program; `problem` reports failures. */
export interface LogFile {
  /** False if the disk lags behind: write no more until `onDrain`. */
  write(chunk: Buffer): boolean;
  /** The reason why the log is incomplete (a full disk, for example), in words. */
  problem(): string | undefined;
  /** Writes the rest. Settles in bounded time; safe to repeat. */
  close(): Promise<void>;
}

/** Opens a log for appending and makes its folders. `onDrain` is called when it accepts more, also if it gave up. */
export async function openLogFile(path: string, onDrain: () => void): Promise<LogFile> {
  let handle: FileHandle;
  let used: number;
  try {
    handle = await openAppending(path);
    used = (await handle.stat()).size;
  } catch (error) {
    const problem = `the log could not be opened: ${errorMessage(error)}`;
    return { write: () => true, problem: () => problem, close: () => Promise.resolve() };
  }
  const stream = handle.createWriteStream();
  const closed = new Promise<void>((resolve) => stream.once("close", resolve));
  let problem: string | undefined;
  // Only a log that was cut before is longer than its limit.
  let cut = used > ROOM;
  stream.on("drain", onDrain);
  stream.on("error", (error) => {
    problem ??= `the log could not be written: ${errorMessage(error)}`;
    onDrain();
  });
  let closing: Promise<void> | undefined;
  const close = async () => {
    stream.end();
    if (await isFulfilledWithin(closed, LOG_CLOSE_MS)) return;
    problem ??= `the log was not written within ${LOG_CLOSE_MS / 1000} s of the end`;
    stream.destroy();
  };
  return {
    write(chunk) {
      if (problem !== undefined || cut) return true;
      const room = ROOM - used;
      used += chunk.length;
      if (chunk.length <= room) return stream.write(chunk);
      cut = true;
      stream.write(chunk.subarray(0, room));
      return stream.write(LOG_CUT_MARK);
    },
    problem: () => problem,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

async function openAppending(path: string): Promise<FileHandle> {
  try {
    return await open(path, "a");
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
    await mkdir(dirname(path), { recursive: true });
    return await open(path, "a");
  }
}
