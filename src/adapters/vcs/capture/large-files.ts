import { createHash, randomUUID } from "node:crypto";
import { constants, createReadStream, createWriteStream } from "node:fs";
import { lstat, open, rename, rm } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { displayName } from "../git/ref-names.ts";
import { ifThere } from "../repository/admin-dirs.ts";
import type { Store } from "../repository/store.ts";

/** A pointer is shorter than this (git-lfs, docs/spec.md); a longer file is content. Bytes. */
const MAX_POINTER = 1024;

/** The pointer to a file in Git LFS. */
interface Pointer {
  readonly oid: string;
  readonly size: number;
}

/**
 * Replaces Git LFS pointers with their content from the repository's own store, after checking hash and size. No program of LFS
 * runs. A file that is not a pointer stays as it is, as in LFS.
 */
export async function fillLargeFiles(store: Store, folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const file = join(folder, path);
    const pointer = await readPointer(file);
    if (pointer !== undefined) await fill(store, { file, path, pointer });
  }
}

/** Reads a pointer: `version`, `oid sha256:…`, `size …`, each on its own line; undefined if the file is not one. */
async function readPointer(path: string): Promise<Pointer | undefined> {
  const found = await ifThere(lstat(path));
  if (found?.isFile() !== true || found.size >= MAX_POINTER) return undefined;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const text = await file.readFile("utf8");
    const match =
      /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d+)\n?$/.exec(
        text,
      );
    const [, oid = "", size = ""] = match ?? [];
    return oid === "" ? undefined : { oid, size: Number(size) };
  } finally {
    await file.close();
  }
}

async function fill(store: Store, options: { file: string; path: string; pointer: Pointer }): Promise<void> {
  const { oid, size } = options.pointer;
  const kept = join(storeOf(store), oid.slice(0, 2), oid.slice(2, 4), oid);
  const source = await ifThere(lstat(kept));
  const what = `${displayName(options.path)} is kept by Git LFS, and its content (${oid.slice(0, 12)}…)`;
  if (source?.isFile() !== true) throw new Error(`${what} is not in the repository: run git lfs fetch`);
  if (source.size !== size) throw new Error(`${what} has another size than its pointer says: run git lfs fsck`);
  const { mode } = await lstat(options.file);
  const copy = `${options.file}.${randomUUID()}`;
  const hash = createHash("sha256");
  try {
    await pipeline(
      createReadStream(kept),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(copy, { flags: "wx", mode }),
    );
    if (hash.digest("hex") !== oid) throw new Error(`${what} is not what its pointer says: run git lfs fsck`);
    await rename(copy, options.file);
  } finally {
    await rm(copy, { force: true });
  }
}

/** The folder in which LFS stores content: `lfs.storage`, relative to the repository's git folder (git-lfs-config(5)). */
function storeOf({ at }: Store): string {
  const storage = at.settings.get("lfs.storage") ?? "lfs";
  return join(isAbsolute(storage) ? storage : resolve(at.commonDir, storage), "objects");
}
