import { lstat, opendir } from "node:fs/promises";
import { errorCode } from "../../domain/values/text.ts";

/** Limits of a folder's content. */
export interface DiskBounds {
  /** Allocated on the disk: a file with holes counts by what is in it. */
  readonly bytes: number;
  readonly entries: number;
}

/** The content of a folder; counting stops at the first exceeded limit. */
export interface DiskUse {
  readonly bytes: number;
  readonly entries: number;
  /** The exceeded limit in words: "more than 64 MiB". */
  readonly over?: string;
  /** True if some folders could not be read. */
  readonly hidden: boolean;
}

/** Entries that are read in parallel. */
const AT_ONCE = 32;
/** Blocks of stat(2) have this size, whatever the file system's block size is. */
const BLOCK = 512;

/**
 * Sums up a folder that a program may be writing at this moment. Iterates, so that memory does not grow with the number of
 * entries; follows no link. Files that disappear meanwhile do not count. Ends early if the signal is aborted.
 */
export async function diskUse(folder: string, bounds: DiskBounds, signal?: AbortSignal): Promise<DiskUse> {
  const sum = new Sum(bounds, signal);
  sum.folders.push(Buffer.from(folder));
  for (let next = sum.folders.pop(); !sum.isEnough() && next !== undefined; next = sum.folders.pop()) await sum.addAll(next);
  const { bytes, entries, hidden, over } = sum;
  return { bytes, entries, hidden, over };
}

class Sum {
  readonly folders: Buffer[] = [];
  readonly #bounds: DiskBounds;
  readonly #signal: AbortSignal | undefined;
  bytes = 0;
  entries = 0;
  hidden = false;
  over: string | undefined;

  constructor(bounds: DiskBounds, signal: AbortSignal | undefined) {
    this.#bounds = bounds;
    this.#signal = signal;
  }

  isEnough(): boolean {
    this.over ??= exceededBound(this, this.#bounds);
    return this.over !== undefined || this.#signal?.aborted === true;
  }

  /** Adds the entries of a folder; its subfolders are queued. */
  async addAll(folder: Buffer): Promise<void> {
    let waiting: Promise<void>[] = [];
    try {
      for await (const { name } of await opendir(folder, { encoding: "buffer" as BufferEncoding, bufferSize: AT_ONCE })) {
        this.entries += 1;
        waiting.push(this.#add(Buffer.concat([folder, Buffer.from("/"), name as unknown as Buffer])));
        if (waiting.length < AT_ONCE) continue;
        await Promise.all(waiting);
        waiting = [];
        if (this.isEnough()) return;
      }
    } catch (error) {
      this.#failed(error);
    }
    await Promise.all(waiting);
  }

  async #add(path: Buffer): Promise<void> {
    const found = await lstat(path).catch((error: unknown) => this.#failed(error));
    if (found === undefined) return;
    this.bytes += found.blocks * BLOCK;
    if (found.isDirectory()) this.folders.push(path);
  }

  #failed(error: unknown): undefined {
    const code = errorCode(error);
    if (code === undefined) throw error;
    if (code === "ENAMETOOLONG") this.over = DEEP;
    else if (code !== "ENOENT" && code !== "ENOTDIR") this.hidden = true;
    return undefined;
  }
}

/** No path can reach those. */
const DEEP = "folders within folders beyond the length of a path";

function exceededBound(
  use: { readonly bytes: number; readonly entries: number },
  { bytes, entries }: DiskBounds,
): string | undefined {
  if (use.bytes > bytes) return `more than ${sizeInWords(bytes)}`;
  return use.entries > entries ? `more than ${entries} files and folders` : undefined;
}

/** A number of bytes for people. */
export function sizeInWords(bytes: number): string {
  const [unit, size] = bytes >= 2 ** 30 ? ["GiB", 2 ** 30] : ["MiB", 2 ** 20];
  return `${Number((bytes / size).toFixed(1))} ${unit}`;
}
