import type { BigIntStats } from "node:fs";
import { copyFile, lstat, mkdir, readdir, rm, stat, utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import type { GitCall, GitResult } from "../git/git-call.ts";
import type { Script } from "../git/guarded-git.ts";
import { ifThere } from "../repository/store.ts";

/** Larger than the index of any repository that git is known to handle, and than any of its settings. Bytes. */
const MAX_INDEX = 512 * 1024 * 1024;
const MAX_SETTINGS = 1024 * 1024;

/** Files of a git folder that decide which of its files an agent sees, and in which form. */
const SETTINGS = ["config", "config.worktree", "info/sparse-checkout"];

/** The folder within loopdash's git folder for copies of an agent's index and settings, so that a later capture finds them too. */
export function agentFiles(own: string): string {
  return join(own, "agent");
}

/**
 * Copies an agent's index and settings from its git folder; a pipe or a link in their place counts as none. The rest of a split index is
 * copied to where git looks for it.
 */
export async function copyAgentFiles(gitDir: string, own: string): Promise<void> {
  const to = agentFiles(own);
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { mode: 0o700 });
  const shared = ((await ifThere(readdir(gitDir))) ?? []).filter((name) => /^sharedindex\.[0-9a-f]+$/.test(name));
  for (const name of shared) await copyRegular(join(gitDir, name), join(own, name), MAX_INDEX);
  for (const name of SETTINGS) await copyRegular(join(gitDir, name), join(to, basename(name)), MAX_SETTINGS);
  await copyRegular(join(gitDir, "index"), join(to, "index"), MAX_INDEX);
}

async function copyRegular(from: string, to: string, most: number): Promise<void> {
  const found = await ifThere(lstat(from));
  if (found?.isFile() !== true) return;
  if (found.size > most) throw new Error(`its ${basename(from)} is larger than ${most} bytes`);
  await copyFile(from, to);
  // Rounded down: a copy may look older than it is, but never younger (see `keepOlder`).
  await utimes(to, Math.floor(found.mtimeMs) / 1000, Math.floor(found.mtimeMs) / 1000);
}

/** What an agent's own git says of its worktree. It may lie: then its own work is lost, and nothing else. */
export interface AgentIndex {
  /** True if its settings keep the file out of the worktree: its absence is no deletion. */
  isHidden(path: string): boolean;
  /**
   * How the file on disk relates to the content of this id: the agent's git has written it from that (`as-written`), perhaps in the same
   * instant as an edit (`racy`), or it is another one.
   */
  compare(path: string, id: string, found: BigIntStats): "as-written" | "racy" | "other";
}

interface Entry {
  readonly id: string;
  readonly ctime: bigint;
  readonly mtime: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  readonly flags: number;
}

/** Bits of an entry: "assume unchanged" and "skip worktree" (git's read-cache-ll.h). */
const ASSUMED = 0x8000;
const SKIPPED = 0x40000000;

/** An entry of `ls-files -z --stage --debug`. */
const ENTRY =
  /\d{6} ([0-9a-f]+) \d\t([^\0]+)\0 {2}ctime: (\d+):(\d+)\n {2}mtime: (\d+):(\d+)\n {2}dev: \d+\tino: (\d+)\n {2}uid: \d+\tgid: \d+\n {2}size: (\d+)\tflags: ([0-9a-f]+)\n/y;

type Run = (args: readonly string[], more?: Pick<GitCall, "index">, script?: Script) => Promise<GitResult>;

const IS_SPARSE = 'for file; do git config --file "$file" --bool core.sparseCheckout; done; :';

/** Reads the copies of an agent's index and settings with `run`, which works on loopdash's index. */
export async function readAgentIndex(own: string, run: Run): Promise<AgentIndex> {
  const index = join(agentFiles(own), "index");
  const written = await ifThere(stat(index, { bigint: true }));
  // A folder of a sparse index stays one entry: expanded, it may stand for more files than memory holds.
  const listed = written && (await run(["ls-files", "--sparse", "-z", "--stage", "--debug"], { index }));
  const entries = listed?.status === 0 ? readEntries(listed.stdout) : undefined;
  const visible = await visibleFiles(agentFiles(own), run);
  return {
    isHidden: (path) => {
      const entry = entries?.get(path);
      if (entry !== undefined && (entry.flags & SKIPPED) !== 0) return true;
      if (entry === undefined && entries !== undefined) return sparseFolders(path).some((folder) => entries.has(folder));
      return visible !== undefined && !visible.has(path);
    },
    compare: (path, id, found) => {
      const entry = entries?.get(path);
      if (entry?.id !== id || (entry.flags & (ASSUMED | SKIPPED)) !== 0 || !isSame(entry, found)) return "other";
      return written !== undefined && entry.mtime < written.mtimeNs ? "as-written" : "racy";
    },
  };
}

function readEntries(listed: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const [, id = "", path = "", ...rest] of listed.matchAll(new RegExp(ENTRY, "gy"))) {
    const [ctime = 0n, ctimeNs = 0n, mtime = 0n, mtimeNs = 0n, inode = 0n, size = 0n] = rest.slice(0, 6).map(BigInt);
    const times = { ctime: ctime * 1_000_000_000n + ctimeNs, mtime: mtime * 1_000_000_000n + mtimeNs };
    entries.set(path, { id, ...times, inode, size, flags: Number.parseInt(rest[6] ?? "", 16) });
  }
  return entries;
}

/** An index has 32 bits for an inode and for a size (gitformat-index(5)). */
function isSame(entry: Entry, found: BigIntStats): boolean {
  const is32 = (a: bigint, b: bigint) => BigInt.asUintN(32, a) === BigInt.asUintN(32, b);
  const isUntouched = entry.ctime === found.ctimeNs && entry.mtime === found.mtimeNs;
  return isUntouched && is32(entry.inode, found.ino) && is32(entry.size, found.size);
}

/** The folders of a path as a sparse index names them. */
function sparseFolders(path: string): string[] {
  return path.split("/").flatMap((_, i, parts) => (i === 0 ? [] : [`${parts.slice(0, i).join("/")}/`]));
}

/** The tracked files that a sparse checkout shows; undefined without one. Its patterns are those of ignore lists, with the reverse meaning. */
async function visibleFiles(folder: string, run: Run): Promise<ReadonlySet<string> | undefined> {
  const rules = join(folder, "sparse-checkout");
  if ((await ifThere(lstat(rules))) === undefined) return undefined;
  const settings = ["config", "config.worktree"].map((name) => join(folder, name));
  const { stdout } = await run(["config"], {}, { text: IS_SPARSE, args: settings });
  if (!stdout.endsWith("true\n")) return undefined;
  const listed = await run(["ls-files", "-z", "--cached", "--ignored", `--exclude-from=${rules}`]);
  return listed.status === 0 ? new Set(listed.stdout.split("\0")) : undefined;
}
