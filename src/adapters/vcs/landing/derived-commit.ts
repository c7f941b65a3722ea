import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GitFailure, objectId } from "../git/git-call.ts";
import { readCommitPart, writeCommit } from "../git/git-queries.ts";
import type { Store } from "../repository/store.ts";

/** The limit of all files read together. Bytes. */
const MOST_READ = 64 * 2 ** 20;
const NEWLINE = 0x0a;

/** A file that goes into a commit. */
export interface DerivedFile {
  readonly path: string;
  readonly text: string;
}

/** Paths that become what they are in another commit: the same bytes, modes and links, or gone. */
export interface RestoredPaths {
  readonly commit: string;
  readonly paths: readonly string[];
}

/**
 * A copy of a commit with other files: the same parents, message, people and dates. It is on no branch. An existing file keeps
 * its mode, and a link becomes a file. Restored paths come first, then `without`, then `files`.
 */
export async function deriveCommit(
  store: Store,
  options: {
    readonly commit: string;
    readonly files: readonly DerivedFile[];
    readonly without: readonly string[];
    readonly restored?: readonly RestoredPaths[];
  },
): Promise<string> {
  const commit = objectId(options.commit);
  const folder = join(store.scratch, `derived-${randomUUID()}`);
  const index = join(folder, "index");
  await mkdir(folder);
  try {
    const [text] = await Promise.all([
      store.content(["cat-file", "commit", commit]),
      store.content(["read-tree", commit], { index }),
    ]);
    await restore(store, index, options.restored ?? []);
    const modes = await modesIn(store, index);
    const ids = await writeBlobs(
      store,
      folder,
      options.files.map((file) => file.text),
    );
    const changes = [
      ...options.without.map((path) => `0 ${"0".repeat(commit.length)}\t${path}\0`),
      ...options.files.map(({ path }, i) => `${modes.get(path) === "100755" ? "100755" : "100644"} ${ids[i]}\t${path}\0`),
    ];
    if (changes.length > 0) await store.content(["update-index", "-z", "--index-info"], { index, input: changes.join("") });
    const tree = objectId((await store.content(["write-tree"], { index })).trim());
    const file = join(folder, "commit");
    await writeFile(file, text.replace(/^tree [0-9a-f]+\n/, `tree ${tree}\n`));
    return objectId((await store.content(["hash-object", "-t", "commit", "-w", "--no-filters", file])).trim());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Puts paths into an index as other commits have them. One that stands where another has a folder takes its place. */
async function restore(store: Store, index: string, restored: readonly RestoredPaths[]): Promise<void> {
  for (const { commit, paths } of restored) {
    const wanted = new Set(paths);
    const listed = await store.content(["ls-tree", "-r", "-z", "--full-tree", objectId(commit)]);
    const entries = listed.split("\0").flatMap((entry): (readonly [string, string])[] => {
      const [, mode = "", id = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
      return wanted.has(path) ? [[path, `${mode} ${objectId(id)}\t${path}\0`]] : [];
    });
    const there = new Set(entries.map(([path]) => path));
    const gone = paths.filter((path) => !there.has(path)).map((path) => `0 ${"0".repeat(commit.length)}\t${path}\0`);
    const input = [...gone, ...entries.map(([, line]) => line)].join("");
    if (input !== "") await store.content(["update-index", "-z", "--replace", "--index-info"], { index, input });
  }
}

/** A commit on top of `tip` that has the files of `from`: merged into a later base, it takes back the change between them. */
export async function reverseCommit(
  store: Store,
  { from, tip, message }: { readonly from: string; readonly tip: string; readonly message: string },
): Promise<string> {
  const tree = await readCommitPart(store, objectId(from), "tree");
  if (tree === undefined) throw new Error(`the commit ${from} is gone`);
  return writeCommit(store, { tree, parent: objectId(tip), message });
}

/**
 * A commit with the files, message, people and dates of `candidate` whose parents are `previous` and the candidate's own. A push of it
 * moves a branch at `previous` forward.
 */
export async function continueFrom(
  store: Store,
  options: { readonly previous: string; readonly candidate: string },
): Promise<string> {
  const text = await store.content(["cat-file", "commit", objectId(options.candidate)]);
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith("parent "));
  if (at < 0) throw new Error(`${options.candidate} has no parent`);
  const head = lines.slice(0, lines.indexOf(""));
  // A signature is for the bytes of the candidate alone.
  const unsigned = withoutSignature(head.toSpliced(at, 0, `parent ${objectId(options.previous)}`));
  const file = join(store.scratch, `continued-${randomUUID()}`);
  try {
    await writeFile(file, [...unsigned, ...lines.slice(lines.indexOf(""))].join("\n"));
    return objectId((await store.content(["hash-object", "-t", "commit", "-w", "--no-filters", file])).trim());
  } finally {
    await rm(file, { force: true });
  }
}

/** The header lines of a commit without its signature, whose further lines begin with a blank. */
function withoutSignature(head: readonly string[]): readonly string[] {
  let isSignature = false;
  return head.filter((line) => {
    isSignature = line.startsWith("gpgsig") || (isSignature && line.startsWith(" "));
    return !isSignature;
  });
}

/** The modes of files by their paths. */
async function modesIn(store: Store, index: string): Promise<ReadonlyMap<string, string>> {
  const listed = await store.content(["ls-files", "-s", "-z"], { index });
  const entries = listed.split("\0").flatMap((entry): [string, string][] => {
    const [, mode, path] = /^(\d+) [0-9a-f]+ \d\t(.*)$/s.exec(entry) ?? [];
    return mode === undefined || path === undefined ? [] : [[path, mode]];
  });
  return new Map(entries);
}

async function writeBlobs(store: Store, folder: string, texts: readonly string[]): Promise<readonly string[]> {
  if (texts.length === 0) return [];
  const files = texts.map((_, i) => join(folder, `blob-${i}`));
  await Promise.all(files.map((file, i) => writeFile(file, texts[i] ?? "")));
  const ids = (await store.content(["hash-object", "-w", "--no-filters", "--", ...files])).trim().split("\n");
  return ids.map(objectId);
}

/** The texts of files in a commit, by path; files that it does not have are left out. */
export async function readFilesAt(
  store: Store,
  { commit, paths }: { readonly commit: string; readonly paths: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const asked = paths.filter((path) => !path.includes("\n"));
  if (asked.length === 0) return new Map();
  const chunks: Buffer[] = [];
  let size = 0;
  const args = ["cat-file", "--batch"];
  const input = asked.map((path) => `${objectId(commit)}:${path}\n`).join("");
  const quick = await store.tryContent(args, { session: "echo", input });
  if (quick.status === 0) return textsIn(Buffer.from(quick.stdout, "latin1"), asked);
  const result = await store.tryContent(args, {
    input,
    onOutput: (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      return size > MOST_READ ? "stop" : "more";
    },
  });
  if (!result.stopped && result.status !== 0) throw new GitFailure(args, result);
  return textsIn(Buffer.concat(chunks), asked);
}

/** Output of git-cat-file(1) for a batch: a line with type and size, the content, and a line break. */
function textsIn(output: Buffer, paths: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let at = 0;
  for (const path of paths) {
    const end = output.indexOf(NEWLINE, at);
    if (end === -1) break;
    const [, type, size] = /^\S+ (\w+) (\d+)$/.exec(output.toString("utf8", at, end)) ?? [];
    at = end + 1;
    if (size === undefined) continue;
    const next = at + Number(size);
    if (next > output.length) break;
    if (type === "blob") found.set(path, output.toString("utf8", at, next));
    at = next + 1;
  }
  return found;
}
