import { readFilesAt } from "../landing/derived-commit.ts";
import { diffTree } from "../landing/diff-tree.ts";
import type { Store } from "../repository/store.ts";
import { readFiles } from "../repository/trees.ts";

/** An entry of a tree: mode and id. */
interface Entry {
  readonly mode: string;
  readonly id: string;
}

/** An attributes file that differs between two commits; undefined for a commit without it. */
export interface ChangedAttributes {
  readonly path: string;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

const NAME = ".gitattributes";

/** Characters that file systems ignore in a name, or drop at its end. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}|(?<![ .])[ .]+$|:.*/gsu;

/**
 * True if some file system would find this file, or a file in a folder of this name, where git looks for attributes. Git also
 * reads a symbolic link of this name, and files of other spellings if the file system folds case.
 */
export function isAttributesFile(path: string): boolean {
  return path.split("/").some((part) => {
    const seen = part.normalize("NFD").replace(UNSEEN, "").toUpperCase().toLowerCase();
    return seen === NAME || /^(?:gitatt|gi7d29)~\d$/.test(seen);
  });
}

/** Known facts about commits' attributes. A commit never changes, so they stay true. */
interface Known {
  readonly changed: Map<string, readonly ChangedAttributes[]>;
  /** Commits whose attributes are those of another one, by the later of the two. */
  readonly same: Map<string, string>;
  readonly largeFiles: Map<string, boolean>;
}

const known = new WeakMap<Store, Known>();
/** The number of commits that are remembered. */
const REMEMBERED = 1_000;

function knownOf(store: Store): Known {
  const of = known.get(store) ?? { changed: new Map(), same: new Map(), largeFiles: new Map() };
  known.set(store, of);
  for (const each of [of.changed, of.same, of.largeFiles]) if (each.size >= REMEMBERED) each.clear();
  return of;
}

/** The attributes files that differ between `before` and `after`. */
export async function changedAttributes(store: Store, before: string, after: string): Promise<readonly ChangedAttributes[]> {
  if (before === after) return [];
  const { changed, same } = knownOf(store);
  const key = `${before} ${after}`;
  const found = changed.get(key) ?? (await lookForChanged(store, before, after));
  changed.set(key, found);
  if (found.length === 0) same.set(after, before);
  return found;
}

async function lookForChanged(store: Store, before: string, after: string): Promise<readonly ChangedAttributes[]> {
  const options = ["-z", "--raw", "--no-renames", "--no-abbrev"];
  const { output } = await diffTree(store, { from: before, tip: after, options }, Number.POSITIVE_INFINITY);
  const fields = output.toString("utf8").split("\0");
  const found: ChangedAttributes[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [[from = "", to = "", was = "", is = ""], path = ""] = [(fields[i] ?? "").slice(1).split(" "), fields[i + 1]];
    if (isAttributesFile(path)) found.push({ path, before: entry(from, was), after: entry(to, is) });
  }
  return found;
}

/** True if the attributes of a commit name Git LFS. */
export async function usesLargeFiles(store: Store, commit: string): Promise<boolean> {
  const { largeFiles, same } = knownOf(store);
  const alike: string[] = [];
  for (let each: string | undefined = commit; each !== undefined && !alike.includes(each); each = same.get(each)) {
    const uses = largeFiles.get(each);
    if (uses !== undefined) return uses;
    alike.push(each);
  }
  const paths = (await readFiles(store, commit)).flatMap(({ name }) => (/(?:^|\/)\.gitattributes$/.test(name) ? [name] : []));
  const texts = await readFilesAt(store, { commit, paths });
  const doUse = [...texts.values()].some((text) => text.includes("lfs"));
  for (const each of alike) largeFiles.set(each, doUse);
  return doUse;
}

function entry(mode: string, id: string): Entry | undefined {
  return mode === "000000" ? undefined : { mode, id };
}

/**
 * Lines for `update-index --index-info` that give a candidate's index the base's attributes. Attributes of the base in a folder
 * that the candidate does not have apply to nothing, and a file may be there now.
 */
export function toBase(changed: readonly ChangedAttributes[], folders: ReadonlySet<string>): string {
  const gone = changed.flatMap(({ path, after }) => (after === undefined ? [] : [`0 ${after.id}\t${path}\0`]));
  const back = changed.flatMap(({ path, before }) => {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (before === undefined || !before.mode.startsWith("100") || !folders.has(folder)) return [];
    return [`${before.mode} ${before.id}\t${path}\0`];
  });
  return [...gone, ...back].join("");
}
