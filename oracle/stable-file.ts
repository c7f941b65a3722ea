import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { CannotJudge } from "./shape.ts";

/** The state of a file when it was read. */
export interface FileRead {
  readonly path: string;
  readonly text: string;
  /** Changes whenever the file is written or replaced. */
  readonly stamp: string;
  /** True if the last write is so recent that it may still go on, or that another one could leave the same times on the file. */
  readonly racy: boolean;
}

/** Kernels stamp files by a clock that ticks every 1 to 10 ms (CONFIG_HZ); twice that is certain to be another tick. */
const TICK_MS = 20;

/**
 * A write sets a file's time before its bytes, so a reader meanwhile sees a part of them (ext4). This is the time that a write
 * may take: 24 MB took 133 ms on a machine with eleven times the work that it can do; this is a tenth of that speed. Bytes per
 * millisecond.
 */
const SLOWEST_WRITE = 16 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a whole regular file. Refuses links, pipes and devices, files above `maxBytes`, and text that is not UTF-8. */
export function readWhole(path: string, maxBytes: number): FileRead {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (!stats.isFile()) throw new CannotJudge(`${quotedPath(path)} is not a regular file`);
    if (stats.size > BigInt(maxBytes)) throw new CannotJudge(`${quotedPath(path)} is larger than ${maxBytes} bytes`);
    const now = Date.now();
    const size = Number(stats.size);
    const bytes = readUpTo(fd, size + 1);
    // Longer or shorter than its stated size: somebody writes to it, or it is no file with a size. This stamp equals no other.
    if (bytes.length !== size) return { path, text: "", stamp: "", racy: true };
    const racy = Math.abs(now - Number(stats.ctimeMs)) < TICK_MS + Math.floor(size / SLOWEST_WRITE);
    return { path, text: decode(bytes, path), stamp: stampOf(stats), racy };
  } finally {
    closeSync(fd);
  }
}

/** Never reads more than requested, however fast the file grows. */
function readUpTo(fd: number, most: number): Uint8Array {
  const bytes = new Uint8Array(most);
  let length = 0;
  for (let got = -1; got !== 0 && length < most; length += got) got = readSync(fd, bytes, length, most - length, null);
  return bytes.subarray(0, length);
}

/** True if the file is still the one that was read, and unwritten since. */
export function isUnchanged(read: FileRead): boolean {
  const stats = lstatSync(read.path, { bigint: true, throwIfNoEntry: false });
  return stats !== undefined && stampOf(stats) === read.stamp && !read.racy;
}

function stampOf(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new CannotJudge(`${quotedPath(path)} is not UTF-8 text`, { cause });
  }
}

/** A path for a message: quoted, without control characters. */
export function quotedPath(path: string): string {
  return JSON.stringify(path);
}
