import type { BigIntStats } from "node:fs";
import { type FileHandle, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { errorCode } from "../../domain/values/text.ts";
import { openNoLink } from "../plain-file.ts";

/** Bytes that are read from the end of a file at the beginning, or if it has grown by more than that between two polls. */
export const FOLLOWED_BYTES = 4_000_000;
/** Milliseconds between two polls of the file: while it grows, and while it does not. */
const BUSY_MS = 100;
const IDLE_MS = 250;
const CHUNK = 65_536;
/** Bytes before the last position that identify a file. */
const KNOWN_BYTES = 64;

/** The state of a followed file: `refused` is the reason that it is not read. */
export type FollowedState = "there" | "absent" | { readonly refused: string };

/** Callbacks of the follower of a file. None is called after the following has ended. */
export interface FollowedBy {
  /** The file begins, also after it was cut, replaced, or grew too fast; `skipped` bytes come before the next ones. */
  begin(options: { readonly skipped: number }): void;
  text(text: string): void;
  /** After each poll: the file's state, and `news` if there were new bytes. */
  looked(state: FollowedState, news: boolean): void;
}

/** Limits of reading a file. `most`: bytes at a time. */
interface FollowedOptions {
  readonly most?: number;
  readonly under?: string;
}

/** The position in a file, and the data that identifies it. */
interface Reached {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly decoder: StringDecoder;
  offset: number;
  before: Buffer;
  mtime: bigint;
}

/**
 * Follows a file that another program writes, from its end on. The file must be a plain one, through no link; a pipe is not
 * waited for. It polls, because not every file system sends notices. `under` is a folder on the way to it, from which on no link
 * may lead there. Gives a function that ends the following.
 */
export function followFile(path: string, by: FollowedBy, options: FollowedOptions = {}): () => void {
  const following = new Following(path, by, options);
  following.begin();
  return () => following.end();
}

/** Follows a file in the same way. Gives a function that reads what is there by now, and then ends the following. */
export function followToEnd(path: string, by: FollowedBy, options: FollowedOptions = {}): () => Promise<void> {
  const following = new Following(path, by, options);
  following.begin();
  return () => following.finish();
}

class Following {
  readonly #path: string;
  readonly #by: FollowedBy;
  readonly #most: number;
  readonly #under: string | undefined;
  #reached: Reached | undefined;
  #ended = false;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(path: string, by: FollowedBy, { most = FOLLOWED_BYTES, under }: FollowedOptions) {
    this.#path = path;
    this.#by = by;
    this.#most = most;
    this.#under = under;
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  begin(): void {
    this.#looking = this.#look();
  }

  async finish(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#looking;
    clearTimeout(this.#timer);
    await this.#look();
    this.end();
  }

  async #look(): Promise<void> {
    if (this.#ended) return;
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
      state = errorState(error);
      this.#reached = undefined;
    }
    if (this.#ended) return;
    this.#by.looked(state, news);
    this.#timer = setTimeout(() => this.begin(), news ? BUSY_MS : IDLE_MS).unref();
  }

  /** The open file has this name now, so a later link there has no effect. */
  async #refuseLinks(): Promise<void> {
    if (this.#under === undefined) return;
    const plain = join(await realpath(this.#under), relative(this.#under, this.#path));
    if ((await realpath(this.#path)) !== plain) throw new Refused("a link leads to it");
  }

  async #read(handle: FileHandle): Promise<boolean> {
    const stat = await handle.stat({ bigint: true });
    if (!stat.isFile()) throw new Refused("it is not a plain file");
    const known = this.#reached !== undefined && (await isSame(handle, stat, this.#reached, this.#most));
    if (this.#ended) return false;
    const from = known && this.#reached !== undefined ? this.#reached : begun(stat, this.#most);
    if (!known) this.#by.begin({ skipped: from.offset });
    this.#reached = from;
    from.mtime = stat.mtimeNs;
    return (await this.#readOn(handle, from)) || !known;
  }

  /** True if there were new bytes. Bytes that come faster than they are read wait for the next poll. */
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

/** The start of following a file, near its end. */
function begun({ dev, ino, size }: BigIntStats, most: number): Reached {
  const offset = Math.max(0, Number(size) - most);
  return { dev, ino, offset, decoder: new StringDecoder("utf8"), before: Buffer.alloc(0), mtime: -1n };
}

/** True if it is the file that was read so far, and all new bytes can be read. */
async function isSame(handle: FileHandle, stat: BigIntStats, reached: Reached, most: number): Promise<boolean> {
  const size = Number(stat.size);
  const { before, offset } = reached;
  if (stat.dev !== reached.dev || stat.ino !== reached.ino || size < offset || size - offset > most) return false;
  if (stat.mtimeNs === reached.mtime && size === offset) return true;
  const again = Buffer.alloc(before.length);
  const { bytesRead } = await handle.read(again, 0, before.length, offset - before.length);
  return bytesRead === before.length && again.equals(before);
}

/** The reason that a file is not read, in words. */
class Refused extends Error {}

function errorState(error: unknown): FollowedState {
  if (error instanceof Refused) return { refused: error.message };
  const code = errorCode(error);
  if (code === undefined) throw error;
  if (code === "ENOENT" || code === "ENOTDIR") return "absent";
  return { refused: code === "ELOOP" ? "it is a link" : `it cannot be read (${code})` };
}
