import { GitFailure, objectId } from "../git/git-call.ts";
import { readCommitPart } from "../git/git-queries.ts";
import type { Store } from "./store.ts";

/** An entry of a folder in a commit. */
export interface TreeEntry {
  readonly name: string;
  /** Six digits, as git-ls-tree(1) prints them. */
  readonly mode: string;
  readonly id: string;
}

export const FOLDER = "040000";

/** Folders by their ids. An object never changes. */
const known = new WeakMap<Store, Map<string, readonly TreeEntry[]>>();
/** Entries that are remembered of a repository, and folders that are asked for at once. */
const REMEMBERED = 20_000;
const AT_ONCE = 200;

/**
 * All folders that a commit consists of, by their ids, with the id of the top. Only folders that were in no commit before are read.
 * Throws a GitFailure if one cannot be read, and what `check` throws after each part.
 */
export async function readFolders(
  store: Store,
  commit: string,
  check: () => void = () => undefined,
): Promise<{ readonly top: string; readonly folders: ReadonlyMap<string, readonly TreeEntry[]> }> {
  const top = await readCommitPart(store, commit, "tree");
  if (top === undefined) throw new Error(`${commit} has no tree`);
  const remembered = known.get(store) ?? new Map<string, readonly TreeEntry[]>();
  const folders = new Map<string, readonly TreeEntry[]>();
  for (let ids = [top]; ids.length > 0; ) {
    const unknown = ids.filter((id) => !remembered.has(id));
    for (let at = 0; at < unknown.length; at += AT_ONCE) {
      check();
      for (const [id, entries] of await askFolders(store, unknown.slice(at, at + AT_ONCE))) folders.set(id, entries);
    }
    for (const id of ids) folders.set(id, folders.get(id) ?? remembered.get(id) ?? []);
    const inner = ids.flatMap((id) => (folders.get(id) ?? []).filter(({ mode }) => mode === FOLDER).map((entry) => entry.id));
    ids = [...new Set(inner)].filter((id) => !folders.has(id));
  }
  remember(store, folders);
  return { top, folders };
}

function remember(store: Store, folders: ReadonlyMap<string, readonly TreeEntry[]>): void {
  const entries = [...folders.values()].reduce((sum, each) => sum + each.length + 1, 0);
  // Those of the last commit alone: the next one has most of them.
  if (entries <= REMEMBERED) known.set(store, new Map(folders));
}

async function askFolders(store: Store, ids: readonly string[]): Promise<Map<string, readonly TreeEntry[]>> {
  const args = ["cat-file", "--batch"];
  const input = ids.map((id) => `${objectId(id)}\n`).join("");
  const asked = await store.tryContent(args, { session: "echo", input });
  const output = asked.status === 0 ? Buffer.from(asked.stdout, "latin1") : await readAlone(store, args, input);
  const found = new Map<string, readonly TreeEntry[]>();
  for (const [id, content] of objectsIn(output)) found.set(id, entriesIn(content, id.length / 2));
  const missing = ids.find((id) => !found.has(id));
  if (missing === undefined) return found;
  // Git says why.
  await store.content(["ls-tree", missing]);
  throw new Error(`the folder ${missing} cannot be read`);
}

async function readAlone(store: Store, args: readonly string[], input: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const onOutput = (chunk: Buffer) => {
    chunks.push(chunk);
    return "more" as const;
  };
  const result = await store.tryContent(args, { input, onOutput });
  if (result.status !== 0) throw new GitFailure(args, result);
  return Buffer.concat(chunks);
}

/** Output of `cat-file --batch` for ids: `id type size`, a line end, the bytes, a line end (git-cat-file(1)). */
function* objectsIn(output: Buffer): Generator<readonly [id: string, content: Buffer]> {
  for (let at = 0; at < output.length; ) {
    const lineEnd = output.indexOf(0x0a, at);
    const [id = "", type, size = ""] = output.toString("latin1", at, lineEnd).split(" ");
    if (type !== "tree") return;
    const end = lineEnd + 1 + Number(size);
    yield [id, output.subarray(lineEnd + 1, end)];
    at = end + 1;
  }
}

/** Entries are `mode SP name NUL id`, the id in binary. */
function entriesIn(bytes: Buffer, idBytes: number): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(0x20, at);
    const nameEnd = bytes.indexOf(0, blank);
    const next = nameEnd + 1 + idBytes;
    entries.push({
      mode: bytes.toString("latin1", at, blank).padStart(FOLDER.length, "0"),
      name: bytes.toString("utf8", blank + 1, nameEnd),
      id: bytes.toString("hex", nameEnd + 1, next),
    });
    at = next;
  }
  return entries;
}

/** All files, links and submodules of a commit with their paths, in git's order. */
export async function readFiles(store: Store, commit: string): Promise<readonly TreeEntry[]> {
  const { top, folders } = await readFolders(store, objectId(commit));
  const walk = (id: string, above: string): TreeEntry[] =>
    (folders.get(id) ?? []).flatMap((entry) => {
      const name = `${above}${entry.name}`;
      return entry.mode === FOLDER ? walk(entry.id, `${name}/`) : [{ ...entry, name }];
    });
  return walk(top, "");
}
