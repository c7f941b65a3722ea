import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { branchRef, displayName, isObjectId } from "../git/git-call.ts";
import { ifThere, readShort, type Store } from "./store.ts";

/** Refs in a snapshot. Notes, stashes and replacements are left out: they are the user's alone. */
const KINDS = ["refs/heads", "refs/tags", "refs/remotes"];
/** Branches of tickets, of this run and others: they tell about other agents' work. */
const TICKETS = "refs/heads/loopdash/";

/**
 * The repository's branches and tags, read from its files (gitrepository-layout(5)) without a process. A ref in a file of its own
 * wins over a packed one; symbolic refs are left out, and so is a tag of the base's name: git would take it for the base.
 */
export async function refSnapshot(store: Store): Promise<Map<string, string>> {
  const { commonDir } = store.at;
  const refs = await readPacked(commonDir, isWanted);
  await Promise.all(KINDS.map((kind) => readLoose(commonDir, kind, refs)));
  refs.delete(store.baseRef.replace("heads", "tags"));
  return refs;
}

/** The names of the branches below a folder of branches, sorted. */
export async function branchesBelow({ at }: Store, folder: string): Promise<readonly string[]> {
  const above = branchRef(folder);
  const refs = await readPacked(at.commonDir, (ref) => ref.startsWith(`${above}/`));
  await readLoose(at.commonDir, above, refs);
  return [...refs.keys()].map((ref) => ref.slice("refs/heads/".length)).toSorted();
}

/**
 * The branch that keeps git from making `ref` (a file and a folder cannot have one name), and the command that helps. Undefined if none
 * is in the way.
 */
export async function findClash(store: Store, ref: string): Promise<{ readonly why: string; readonly todo: string } | undefined> {
  const { commonDir, path } = store.at;
  const parts = ref.split("/");
  const found = [...(await branchesBelow(store, parts.slice(2).join("/")))];
  for (let n = 3; n < parts.length; n++) {
    const above = parts.slice(0, n).join("/");
    if ((readShort(join(commonDir, above)) ?? (await store.readBranch(above))) !== undefined)
      found.unshift(parts.slice(2, n).join("/"));
  }
  if (found[0] === undefined) return undefined;
  const name = displayName(found[0]);
  const why = `its branch "${name}" keeps git from making branches of tickets: no branch can have a folder's name`;
  return { why, todo: `rename it: git -C ${displayName(path)} branch -m ${name} <new name>` };
}

async function readPacked(commonDir: string, isTaken: (ref: string) => boolean): Promise<Map<string, string>> {
  const refs = new Map<string, string>();
  const packed = (await ifThere(readFile(join(commonDir, "packed-refs"), "utf8"))) ?? "";
  for (const line of packed.split("\n")) {
    const blank = line.indexOf(" ");
    if (isTaken(line.slice(blank + 1)) && isObjectId(line.slice(0, blank))) refs.set(line.slice(blank + 1), line.slice(0, blank));
  }
  return refs;
}

function isWanted(ref: string): boolean {
  return KINDS.some((kind) => ref.startsWith(`${kind}/`)) && !ref.startsWith(TICKETS);
}

async function readLoose(commonDir: string, folder: string, refs: Map<string, string>): Promise<void> {
  const entries = (await ifThere(readdir(join(commonDir, folder), { withFileTypes: true }))) ?? [];
  await Promise.all(
    entries.map(async (entry) => {
      const ref = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return `${ref}/` === TICKETS ? undefined : readLoose(commonDir, ref, refs);
      const id = entry.isFile() && !ref.endsWith(".lock") ? readShort(join(commonDir, ref)) : undefined;
      if (id !== undefined && isObjectId(id)) refs.set(ref, id);
    }),
  );
}

/** The content of a `packed-refs` file; git sorts a file that does not claim to be sorted. */
export function packedRefs(refs: ReadonlyMap<string, string>): string {
  return [...refs].map(([ref, id]) => `${id} ${ref}\n`).join("");
}
