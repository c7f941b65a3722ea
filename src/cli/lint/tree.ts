import { createHash, randomUUID } from "node:crypto";
import { open, realpath, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openNoLink, readUpTo, withPlainFile } from "../../adapters/plain-file.ts";
import { mustGit } from "../../adapters/vcs/git/run-git.ts";
import { findGitDir } from "../../adapters/vcs/repository/locate.ts";

/** Bytes of a file that is read. */
const MOST_BYTES = 16 * 1024 * 1024;

/** A file's bytes, or the reason that they are not read; undefined if it is not there. */
type Content = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly why: string } | undefined;

/** The tracked plain files of a checkout. `top` is a real path. */
export interface Tree {
  readonly top: string;
  readonly paths: readonly string[];
  read(path: string): Promise<Content>;
  /** Replaces a file all or nothing, with its mode. */
  write(path: string, text: string): Promise<void>;
}

/** Opens the checkout whose top is this folder. */
export async function openTree(folder: string): Promise<Tree> {
  const top = await realpath(folder);
  const listed = await mustGit(top, { gitDir: await findGitDir(top), workTree: top, args: ["ls-files", "-z", "--stage"] });
  return {
    top,
    paths: pathsOf(listed),
    read: (path) =>
      withPlainFile(
        join(top, path),
        MOST_BYTES,
        async (handle, size) => ({ ok: true, bytes: await readUpTo(handle, size) }) as const,
      ),
    write: (path, text) => replace(join(top, path), text),
  };
}

/** The plain files among git's entries, each once: no links and no submodules. */
function pathsOf(listed: string): readonly string[] {
  const files = listed.split("\0").flatMap((entry) => {
    const [, path] = /^100\d{3} [0-9a-f]+ \d\t(.*)$/s.exec(entry) ?? [];
    return path === undefined ? [] : [path];
  });
  return [...new Set(files)];
}

async function replace(file: string, text: string): Promise<void> {
  const before = await openNoLink(file);
  const { mode } = await before.stat().finally(() => before.close());
  const beside = join(dirname(file), `.loopdash-lint-${randomUUID()}`);
  try {
    const handle = await open(beside, "wx", mode);
    try {
      await handle.chmod(mode & 0o7777);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

export function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
