import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { CannotJudge } from "./cannot-judge.ts";

/** What a file was when it was read. */
export interface FileRead {
  readonly path: string;
  readonly text: string;
  /** Changes whenever the file is written or replaced. */
  readonly stamp: string;
  /** The file was written so shortly before that the write may go on, or one more could leave the same times on it. */
  readonly racy: boolean;
}

/** Kernels stamp files by a clock that ticks every 1 to 10 ms (CONFIG_HZ); twice that is certain to be another tick. */
const TICK_MS = 20;

/**
 * A write leaves its time on a file before its bytes, and who reads meanwhile sees a part of them (ext4). So long the write may take.
 * 24 MB took 133 ms where a machine had eleven times the work that it can do; this is a tenth of that speed. Bytes per millisecond.
 */
const SLOWEST_WRITE = 16 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a regular file whole. Links, pipes and devices, files above `maxBytes` and text that is not UTF-8 are refused. */
export function readWhole(path: string, maxBytes: number): FileRead {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (!stats.isFile()) throw new CannotJudge(`${shown(path)} is not a regular file`);
    if (stats.size > BigInt(maxBytes)) throw new CannotJudge(`${shown(path)} is larger than ${maxBytes} bytes`);
    const now = Date.now();
    const size = Number(stats.size);
    const bytes = readUpTo(fd, size + 1);
    // Longer or shorter than it said: somebody writes to it, or it is no file that has a size. No stamp is like this one.
    if (bytes.length !== size) return { path, text: "", stamp: "", racy: true };
    const racy = Math.abs(now - Number(stats.ctimeMs)) < TICK_MS + Math.floor(size / SLOWEST_WRITE);
    return { path, text: decode(bytes, path), stamp: stampOf(stats), racy };
  } finally {
    closeSync(fd);
  }
}

/** Never more than was asked for, however fast the file grows. */
function readUpTo(fd: number, most: number): Uint8Array {
  const bytes = new Uint8Array(most);
  let length = 0;
  for (let got = -1; got !== 0 && length < most; length += got) got = readSync(fd, bytes, length, most - length, null);
  return bytes.subarray(0, length);
}

/** Whether the file is still the one that was read, unwritten since. */
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
    throw new CannotJudge(`${shown(path)} is not UTF-8 text`, { cause });
  }
}

/** A path as it may be put in a message: quoted, without control characters. */
export function shown(path: string): string {
  return JSON.stringify(path);
}
