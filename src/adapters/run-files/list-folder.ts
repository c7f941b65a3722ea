import type { Dirent } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isRelativePath } from "../../domain/bundle/bundle.ts";
import { errorCode, plainText } from "../../domain/values/text.ts";
import type { Listing } from "../../ports/run-files.ts";
import { sumFile } from "../file-sum.ts";

/** Files of a folder that are listed, and folders below each other: an agent can make any number. */
const MOST_FILES = 1_000;
const DEEPEST = 5;
/** Bytes of one file, more than the longest log has, and of all of them. */
const FILE_BYTES = 32 * 1024 * 1024;
const ALL_BYTES = 512 * 1024 * 1024;
/** Characters of a name that is left out. */
const NAME_CHARS = 120;

/** See RunFiles.list. */
export async function listFolder(folder: string, without: readonly string[]): Promise<Listing> {
  const walk = new Walk(await realpath(folder));
  await walk.visit("", (name) => !without.includes(name));
  const inOrder = <T extends { readonly path: string }>(all: readonly T[]) => all.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return { files: inOrder(walk.files), leftOut: inOrder(walk.leftOut) };
}

/** A walk through a folder, whose path is a real one. */
class Walk implements Listing {
  readonly files: Listing["files"][number][] = [];
  readonly leftOut: Listing["leftOut"][number][] = [];
  readonly #root: string;
  #bytes = 0;

  constructor(root: string) {
    this.#root = root;
  }

  async visit(below: string, isWanted: (name: string) => boolean): Promise<void> {
    const entries = await readSortedEntries(join(this.#root, below));
    if (typeof entries === "string") return this.#leave(below, entries);
    for (const entry of entries.filter(({ name }) => isWanted(name))) {
      if (this.files.length + this.leftOut.length >= MOST_FILES)
        return this.#leave(below || ".", `there are more than ${MOST_FILES} files`);
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) await this.#descend(path);
      else await this.#take(path);
    }
  }

  async #descend(path: string): Promise<void> {
    if (path.split("/").length >= DEEPEST) this.#leave(path, "it is too deep");
    else await this.visit(path, () => true);
  }

  async #take(path: string): Promise<void> {
    if (!isRelativePath(path)) return this.#leave(path, "its name is not plain");
    const most = Math.min(FILE_BYTES, ALL_BYTES - this.#bytes);
    const summed = await sumFile(join(this.#root, path), { isSynced: !path.includes("/"), most });
    if (summed?.ok !== true) return this.#leave(path, summed?.why ?? "it is gone, or its name is no text");
    this.#bytes += summed.bytes;
    this.files.push({ path, bytes: summed.bytes, sha256: summed.sha256 });
  }

  #leave(path: string, why: string): void {
    this.leftOut.push({ path: plainText(path, NAME_CHARS), why });
  }
}

/** The entries of a folder, or the reason that it cannot be read. */
async function readSortedEntries(folder: string): Promise<readonly Dirent[] | string> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    // An agent's files in a folder below must not use up the room of the folder's own files.
    return entries.sort((a, b) => Number(a.isDirectory()) - Number(b.isDirectory()) || (a.name < b.name ? -1 : 1));
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return `it cannot be read (${code})`;
  }
}
