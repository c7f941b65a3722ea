import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { isObject, type JsonObject } from "@loopdash/values";
import { errorCode, plainText } from "../../domain/values/text.ts";

/** Characters of one line, at most: sessions contain pictures. */
const LINE_CHARS = 64 * 1024 * 1024;

/** A log, or a folder of logs, that cannot be read: its content is unknown. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
  /** True if it may be readable in a moment: a program is writing it, or has moved it. */
  readonly passes: boolean;

  constructor(path: string, why: string, { passes = false }: { readonly passes?: boolean } = {}) {
    super(`${plainText(path, 300)}: ${plainText(why, 200)}`);
    this.passes = passes;
  }
}

/** The error of a failed look at a file. A missing file existed a moment before. */
export function unreadableLog(path: string, cause: unknown): Unreadable {
  if (cause instanceof Unreadable) return cause;
  const code = errorCode(cause) ?? "";
  const why = code === "" ? String(cause) : `it cannot be opened (${code})`;
  return new Unreadable(path, why, { passes: code === "ENOENT" });
}

/**
 * Reads a log of JSON objects, one in each line, and never holds more of it than a line. An incomplete last line is being
 * written: the error passes. Any other line that is no object throws Unreadable, with its line number.
 */
export async function readObjects(path: string, onObject: (object: JsonObject, line: number) => void): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    // Opening a pipe in a log's place would wait without end.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { size, isFile } = await handle.stat().then((stats) => ({ size: stats.size, isFile: stats.isFile() }));
    if (!isFile) throw new Unreadable(path, "it is not a file");
    if (size > 0) await readTo(handle, { path, size, onObject });
  } catch (error) {
    throw unreadableLog(path, error);
  } finally {
    await handle?.close();
  }
}

interface ReadOptions {
  readonly path: string;
  /** Bytes: later writes are for the next reading. */
  readonly size: number;
  readonly onObject: (object: JsonObject, line: number) => void;
}

async function readTo(handle: FileHandle, { path, size, onObject }: ReadOptions): Promise<void> {
  const stream = handle.createReadStream({ encoding: "utf8", end: size - 1, highWaterMark: 1024 * 1024, autoClose: false });
  let line = 1;
  let parts: string[] = [];
  let chars = 0;
  const add = (part: string): void => {
    chars += part.length;
    if (chars > LINE_CHARS) throw new Unreadable(path, `line ${line} is too long`);
    parts.push(part);
  };
  const take = (isLast: boolean): void => {
    const text = parts.join("");
    if (text.trim() !== "") onObject(parsedLine(text, { path, line, passes: isLast }), line);
    parts = [];
    chars = 0;
    line += 1;
  };
  for await (const chunk of stream as AsyncIterable<string>) {
    const pieces = chunk.split("\n");
    for (const [i, piece] of pieces.entries()) {
      add(piece);
      if (i < pieces.length - 1) take(false);
    }
  }
  take(true);
}

function parsedLine(
  text: string,
  { passes, line, path }: { readonly path: string; readonly line: number; readonly passes: boolean },
): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const why = passes ? `line ${line} is not whole` : `line ${line} is not JSON`;
    throw new Unreadable(path, why, { passes });
  }
  if (isObject(value)) return value;
  throw new Unreadable(path, `line ${line} is not an object`);
}
