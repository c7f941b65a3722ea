import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { isRelativePath } from "../../domain/bundle/bundle.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import type { Summed } from "../file-sum.ts";

/** The longest text that is kept, and all of them together, in bytes. */
const TEXT_BYTES = 256 * 1024 * 1024;
const ALL_TEXT_BYTES = 512 * 1024 * 1024;
/** Entries that are read, and odd ones that are named. */
const MOST_ENTRIES = 1_000_000;
const MOST_PROBLEMS = 20;
const NAME_CHARS = 200;

/** The contents of an archive below its one folder. Nothing of it was written anywhere. */
export interface ArchiveContents {
  readonly sums: ReadonlyMap<string, Summed>;
  /** The texts that were wanted, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Entries that do not belong in an archive of a run, and the reason why it cannot be read to its end, in words. */
  readonly problems: readonly string[];
}

/**
 * Reads a .tar.gz: the sums of its plain files, and the texts that `wants` names, up to `mostBytes` together. Unpacks nothing and follows
 * nothing.
 */
export async function readArchive(
  path: string,
  wants: (path: string) => boolean,
  mostBytes = ALL_TEXT_BYTES,
): Promise<ArchiveContents> {
  const reading = new Reading(wants, mostBytes);
  try {
    const bytes = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array<ArrayBuffer>>;
    const entries = bytes.pipeThrough(new DecompressionStream("gzip")).pipeThrough(createTarDecoder({ strict: true }));
    for await (const entry of entries as unknown as AsyncIterable<ParsedTarEntry>) await reading.take(entry);
  } catch (error) {
    reading.problem(`it cannot be read to its end: ${plainText(errorMessage(error), NAME_CHARS)}`);
  }
  return reading;
}

class Reading implements ArchiveContents {
  readonly sums = new Map<string, Summed>();
  readonly texts = new Map<string, string>();
  readonly problems: string[] = [];
  readonly #wants: (path: string) => boolean;
  #root: string | undefined;
  #entries = 0;
  #left: number;

  constructor(wants: (path: string) => boolean, mostBytes: number) {
    this.#wants = wants;
    this.#left = mostBytes;
  }

  problem(words: string): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(words);
  }

  async take({ header, body }: ParsedTarEntry): Promise<void> {
    this.#entries += 1;
    if (this.#entries > MOST_ENTRIES) throw new Error(`it has more than ${MOST_ENTRIES} entries`);
    const { type = "file", name } = header;
    const path = this.#below(name.replace(/\/$/, ""), type);
    if (path === undefined || type === "directory") return void (await body.cancel());
    const shown = plainText(path, NAME_CHARS);
    if (type !== "file") {
      this.problem(`${shown} is no plain file: ${type}`);
      return void (await body.cancel());
    }
    if (this.sums.has(path)) this.problem(`${shown} is there twice`);
    await this.#read(path, body);
  }

  /** The path below the archive's one folder; undefined if it leads elsewhere, or is that folder. */
  #below(name: string, type: string): string | undefined {
    const [root = "", ...rest] = name.split("/");
    this.#root ??= root;
    if (root === this.#root && rest.length === 0 && type === "directory") return undefined;
    if (root === this.#root && isRelativePath(name) && rest.length > 0) return rest.join("/");
    this.problem(`${plainText(name, NAME_CHARS)} is not below the one folder of the archive`);
    return undefined;
  }

  async #read(path: string, body: ParsedTarEntry["body"]): Promise<void> {
    const sum = createHash("sha256");
    const kept: Uint8Array[] = [];
    const isWanted = this.#wants(path);
    const most = Math.min(TEXT_BYTES, this.#left);
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      sum.update(chunk);
      if (isWanted && bytes <= most) kept.push(chunk);
    }
    this.sums.set(path, { ok: true, bytes, sha256: sum.digest("hex") });
    if (!isWanted) return;
    if (bytes > most)
      return this.problem(`${plainText(path, NAME_CHARS)} is longer than the ${most} bytes that are left for texts`);
    this.#left -= bytes;
    this.texts.set(path, Buffer.concat(kept).toString("utf8"));
  }
}
