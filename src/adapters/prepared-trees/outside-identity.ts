import { createHash, type Hash } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, opendir, realpath, stat } from "node:fs/promises";
import { hasErrorCode } from "../../domain/values/text.ts";
import type { OutsideIdentity, PreparedTrees } from "../../ports/prepared-trees.ts";
import { pathIn } from "../byte-paths.ts";
import { resolveProgram } from "../executor/resolve-program.ts";
import { ifThere } from "../missing-files.ts";

/** Entries of a folder outside that are read, at most: some 2 s, paid for each preparation. Large toolchains have fewer. */
const MOST_ENTRIES = 200_000;
/** Files that are looked at together. */
const AT_ONCE = 64;

/** What is not there, or not readable to the commands either. */
const GONE = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"];

/** The identity of programs and files outside a checkout; see PreparedTrees. `most` is the bound on entries, for tests. */
export async function identityOfOutside(
  { programs, paths, env }: Parameters<PreparedTrees["identityOf"]>[0],
  most = MOST_ENTRIES,
): Promise<OutsideIdentity> {
  const hash = createHash("sha256");
  let problem: string | undefined;
  for (const program of programs) {
    const file = await resolveProgram(program, { cwd: "/", path: env["PATH"] ?? "" });
    hash.update(`${program}\0${file === undefined ? "" : await ownIdentity(file)}\0`);
  }
  for (const path of paths) {
    hash.update(`${path}\0${await ownIdentity(path)}\0`);
    problem ??= await addContent(hash, path, most);
  }
  return { identity: hash.digest("hex"), problem };
}

/** The identity of a file outside, and of the one that a link leads to, without what is in a folder. */
async function ownIdentity(path: string): Promise<string> {
  const all = await ifThere(Promise.all([realpath(path), stat(path), lstat(path)]), GONE);
  if (all === undefined) return "";
  const [real, found, link] = all;
  return [real, found.ino, found.size, found.mtimeMs, link.ino, link.mtimeMs].join(":");
}

/** Adds everything below a folder: names, sizes and times. Gives the reason if it cannot be told whether a file there has changed. */
async function addContent(hash: Hash, path: string, most: number): Promise<string | undefined> {
  const real = await ifThere(realpath(path), GONE);
  if (real === undefined || (await ifThere(stat(real), GONE))?.isDirectory() !== true) return undefined;
  let left = most;
  const folders: Buffer[] = [Buffer.from(real)];
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const names = await namesIn(folder, left);
      left -= names.length;
      if (left < 0) return `${path} holds more than ${most} files, too many to see whether one has changed`;
      folders.push(...(await addEntries(hash, folder, names)));
    }
  } catch (error) {
    if (hasErrorCode(error, "ENAMETOOLONG")) return `${path} has folders within folders beyond the length of a path`;
    throw error;
  }
  return undefined;
}

/** Adds the entries of one folder. Gives the folders among them. */
async function addEntries(hash: Hash, folder: Buffer, names: readonly Buffer[]): Promise<readonly Buffer[]> {
  const folders: Buffer[] = [];
  hash.update(folder).update("\0");
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const some = names.slice(at, at + AT_ONCE).map((name) => ({ name, path: pathIn(folder, name) }));
    const found = await Promise.all(some.map(async ({ path }) => await ifThere(lstat(path), GONE)));
    for (const [i, { name, path }] of some.entries()) {
      hash.update(name).update(`\0${entryIdentity(found[i])}\0`);
      if (found[i]?.isDirectory() === true) folders.push(path);
    }
  }
  return folders;
}

/** A folder's own times add nothing to the names in it. */
function entryIdentity(found: Stats | undefined): string {
  if (found === undefined) return "";
  const { ino, mode, mtimeMs, size } = found;
  return [ino, mode, ...(found.isDirectory() ? [] : [mtimeMs, size])].join(":");
}

/** The names in a folder, which need not be UTF-8, in order; one more than `most` if there are more. */
async function namesIn(folder: Buffer, most: number): Promise<readonly Buffer[]> {
  const opened = await ifThere(opendir(folder, { encoding: "buffer" as BufferEncoding, bufferSize: AT_ONCE }), GONE);
  if (opened === undefined) return [];
  const names: Buffer[] = [];
  for await (const { name } of opened) if (names.push(name as unknown as Buffer) > most) break;
  return names.sort(Buffer.compare);
}
