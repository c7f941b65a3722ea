import type { BigIntStats } from "node:fs";
import { type FileHandle, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { errorCode } from "../../domain/values/error-text.ts";
import { openNoLink } from "../plain-file.ts";

/** Bytes at the end of a file that are read when it is begun, or when it has grown by more than that between two looks. */
export const FOLLOWED_BYTES = 4_000_000;
/** Milliseconds from one look at the file to the next: while it grows, and while it does not. */
const BUSY_MS = 100;
const IDLE_MS = 250;
const CHUNK = 65_536;
/** Bytes before the place that was reached by which a file is known again. */
const KNOWN_BYTES = 64;

/** How a file stands that is followed: `refused` says why it is not read. */
export type FollowedState = "there" | "absent" | { readonly refused: string };

/** Who is told of a file. Nothing is told after the end of the following. */
export interface FollowedBy {
  /** The file begins, anew where it was cut, replaced, or grew too fast; `skipped` bytes stand before what follows. */
  begin(options: { readonly skipped: number }): void;
  text(text: string): void;
  /** After each look: how the file stands, and whether there was anything new. */
  looked(state: FollowedState, news: boolean): void;
}

/** What is read of a file. `most`: bytes at a time. */
interface FollowedOf {
  readonly most?: number;
  readonly under?: string;
}

/** How far a file has been read, and by what it is known again. */
interface Reached {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly decoder: StringDecoder;
  offset: number;
  before: Buffer;
  mtime: bigint;
}

/**
 * Follows a file that somebody else writes, from its end on: only a plain file, through no link, and a pipe is not waited for.
 * It looks again and again, as no notice comes from every file system. `under` is a folder on the way to it, from which on no link
 * leads there either. Gives how to end it.
 */
export function followFile(path: string, by: FollowedBy, followedOf: FollowedOf = {}): () => void {
  const following = new Following(path, by, followedOf);
  void following.look();
  return () => following.end();
}

class Following {
  readonly #path: string;
  readonly #by: FollowedBy;
  readonly #most: number;
  readonly #under: string | undefined;
  #reached: Reached | undefined;
  #ended = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, by: FollowedBy, { most = FOLLOWED_BYTES, under }: FollowedOf) {
    this.#path = path;
    this.#by = by;
    this.#most = most;
    this.#under = under;
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  async look(): Promise<void> {
    let state: FollowedState = "there";
    let news = false;
    try {
      const handle = await openNoLink(this.#path);
      try {
        await this.#refuseLinks();
        news = await this.#read(handle);
      } finally {
        await handle.close();
      }
    } catch (error) {
      state = stateOf(error);
      this.#reached = undefined;
    }
    if (this.#ended) return;
    this.#by.looked(state, news);
    this.#timer = setTimeout(() => void this.look(), news ? BUSY_MS : IDLE_MS).unref();
  }

  /** What is open has this name now, so a link that is put there later leads nowhere. */
  async #refuseLinks(): Promise<void> {
    if (this.#under === undefined) return;
    const plain = join(await realpath(this.#under), relative(this.#under, this.#path));
    if ((await realpath(this.#path)) !== plain) throw new Refused("a link leads to it");
  }

  async #read(handle: FileHandle): Promise<boolean> {
    const stat = await handle.stat({ bigint: true });
    if (!stat.isFile()) throw new Refused("it is no plain file");
    const known = this.#reached !== undefined && (await isSame(handle, stat, this.#reached, this.#most));
    if (this.#ended) return false;
    const from = known && this.#reached !== undefined ? this.#reached : begun(stat, this.#most);
    if (!known) this.#by.begin({ skipped: from.offset });
    this.#reached = from;
    from.mtime = stat.mtimeNs;
    return (await this.#readOn(handle, from)) || !known;
  }

  /** Whether there was anything. What comes faster than it is read waits for the next look. */
  async #readOn(handle: FileHandle, from: Reached): Promise<boolean> {
    const buffer = Buffer.alloc(CHUNK);
    let total = 0;
    while (total < this.#most) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK, from.offset);
      if (this.#ended || bytesRead === 0) break;
      total += bytesRead;
      const chunk = buffer.subarray(0, bytesRead);
      from.offset += bytesRead;
      from.before = Buffer.concat([from.before, chunk]).subarray(-KNOWN_BYTES);
      this.#by.text(from.decoder.write(chunk));
    }
    return total > 0;
  }
}

/** A file that is read from its end on. */
function begun({ dev, ino, size }: BigIntStats, most: number): Reached {
  const offset = Math.max(0, Number(size) - most);
  return { dev, ino, offset, decoder: new StringDecoder("utf8"), before: Buffer.alloc(0), mtime: -1n };
}

/** Whether it is the file that was read, as far as it was read, and what is new can all be read. */
async function isSame(handle: FileHandle, stat: BigIntStats, reached: Reached, most: number): Promise<boolean> {
  const size = Number(stat.size);
  const { before, offset } = reached;
  if (stat.dev !== reached.dev || stat.ino !== reached.ino || size < offset || size - offset > most) return false;
  if (stat.mtimeNs === reached.mtime && size === offset) return true;
  const again = Buffer.alloc(before.length);
  const { bytesRead } = await handle.read(again, 0, before.length, offset - before.length);
  return bytesRead === before.length && again.equals(before);
}

/** Why a file is not read, in words. */
class Refused extends Error {}

function stateOf(error: unknown): FollowedState {
  if (error instanceof Refused) return { refused: error.message };
  const code = errorCode(error);
  if (code === undefined) throw error;
  if (code === "ENOENT" || code === "ENOTDIR") return "absent";
  return { refused: code === "ELOOP" ? "it is a link" : `it cannot be read (${code})` };
}
