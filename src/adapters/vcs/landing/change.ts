import { createHash } from "node:crypto";
import type { Change, ChangedPath } from "../../../ports/vcs.ts";
import { objectId } from "../git/git-call.ts";
import type { Store } from "../repository/store.ts";
import { askDiff } from "./diff-tree.ts";

/** Git guesses no rename (both paths must be visible) and runs no driver; gitlinks are listed and never looked into. */
export const AS_RAW = ["-z", "--raw", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"];

/** Runs the diff, if not through the store: a worker's leftovers are read within bounds. */
type RunDiff = Store["content"];

/** Changes between commits that were asked for; a commit never changes. The oldest is forgotten first. */
const known = new WeakMap<Store, Map<string, Change>>();
const REMEMBERED = 50;
/** The paths up to which a change is remembered. */
const MOST_PATHS = 1_000;

/** The change between two commits. */
export async function changeBetween(store: Store, from: string, tip: string, run: RunDiff = store.content): Promise<Change> {
  const changes = known.get(store) ?? new Map<string, Change>();
  known.set(store, changes);
  const key = `${objectId(from)} ${objectId(tip)}`;
  const found = changes.get(key) ?? { tip, ...parseRaw(await rawDiff(store, from, tip, run)) };
  changes.delete(key);
  if (found.paths.length <= MOST_PATHS) changes.set(key, found);
  const [oldest] = changes.size > REMEMBERED ? changes.keys() : [];
  if (oldest !== undefined) changes.delete(oldest);
  return found;
}

async function rawDiff(store: Store, from: string, tip: string, run: RunDiff): Promise<string> {
  const asked = await askDiff(store, { from, tip, options: AS_RAW });
  return asked?.toString("utf8") ?? run(["diff-tree", "-r", ...AS_RAW, from, tip]);
}

/** The change from a commit to one of loopdash's indexes. `gitDir` is the git folder with that index. */
export async function changeToIndex(from: string, gitDir: string, run: RunDiff): Promise<Omit<Change, "tip">> {
  return parseRaw(await run(["diff-index", "--cached", ...AS_RAW, objectId(from), "--"], { gitDir }));
}

/**
 * Reads `--raw --numstat -z`: first one `:modes ids letter NUL path NUL` for each path, then one
 * `added TAB deleted TAB path NUL` for each, with "-" for what is no text by name and content (git-diff(1)): it counts as one line.
 */
export function parseRaw(output: string): Omit<Change, "tip"> {
  const paths: ChangedPath[] = [];
  const uncounted: string[] = [];
  const hows = new Map<string, ChangedPath["how"]>();
  const content = createHash("sha256");
  let additions = 0;
  let deletions = 0;
  const tokens = output.split("\0");
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] ?? "";
    if (token.startsWith(":")) {
      i += 1;
      const path = changedPath(token, tokens[i] ?? "");
      paths.push(path);
      hows.set(path.path, path.how);
      content.update(`${leftBy(token)} ${tokens[i]}\0`);
      continue;
    }
    const [added = "", deleted = ""] = token.split("\t", 2);
    if (added !== "-") {
      additions += Number.parseInt(added, 10) || 0;
      deletions += Number.parseInt(deleted, 10) || 0;
      continue;
    }
    const path = token.slice(added.length + deleted.length + 2);
    const how = hows.get(path);
    uncounted.push(path);
    additions += how === "deleted" ? 0 : 1;
    deletions += how === "added" ? 0 : 1;
  }
  const unknown = uncounted.length > 0 ? { uncounted } : {};
  return {
    paths,
    additions,
    deletions,
    ...unknown,
    content: paths.length > 0 ? content.digest("hex").slice(0, CONTENT_CHARS) : undefined,
  };
}

/** Characters of a change's digest: enough, as nobody gains anything by an equal one. */
const CONTENT_CHARS = 32;

/** The content of a path after the change: its mode and the id of its blob. */
function leftBy(raw: string): string {
  const [, mode = "", , id = ""] = raw.slice(1).split(" ");
  return `${mode} ${id}`;
}

function changedPath(raw: string, path: string): ChangedPath {
  const [before = "", after = "", from = "", to = "", letter = ""] = raw.slice(1).split(" ");
  const how = letter.startsWith("A") ? "added" : letter.startsWith("D") ? "deleted" : "modified";
  // A submodule that is replaced with anything else is a moved submodule too.
  const submodule = before === "160000" || after === "160000" || isModules(path);
  const moved = before === "160000" && after === "160000" && { moved: { from, to } };
  return { path, how, mode: submodule ? "submodule" : modeWord(how === "deleted" ? before : after), ...moved };
}

/**
 * Characters that file systems ignore within a name, or drop at its end (git's is_hfs_dotgitmodules and is_ntfs_dotgitmodules).
 */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]|(?<![ .])[ .]+$|:.*/gs;

/** True for the file that names the sources of submodules, by any name under which a file system would find it. */
function isModules(path: string): boolean {
  return /^(?:\.gitmodules|gi(?:tmod|7eba)~\d)$/.test(path.replace(UNSEEN, "").toLowerCase());
}

function modeWord(mode: string): ChangedPath["mode"] {
  if (mode === "120000") return "symlink";
  return mode === "100755" ? "executable" : "file";
}
