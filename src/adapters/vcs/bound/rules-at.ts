import { BOUND_FILE, type Bound } from "../../../domain/bound/bound.ts";
import { type BoundProblem, parseBound } from "../../../domain/bound/parse-bound.ts";
import { boundFate } from "../../../domain/bound/touched.ts";
import { mustGit } from "../git/run-git.ts";

/** A repository on this machine, as its user's git sees it. */
export interface GitPlace {
  /** Its top folder, or the bare repository. */
  readonly top: string;
  readonly gitDir: string;
}

/** The rules of a repository at a commit. `absent`: it never had any there. */
export type RulesAt =
  | { readonly as: "absent" }
  | { readonly as: "unreadable"; readonly problems: readonly BoundProblem[] }
  | { readonly as: "rules"; readonly bound: Bound };

/** Bytes of a BOUND.md at most. */
const MOST_BYTES = 1_000_000;

/**
 * Reads BOUND.md from a commit, never from a worktree. A file of that name in another spelling, a link and a folder are problems: another
 * machine would read other rules. `commit` is an object id or a full ref.
 */
export async function rulesAt({ top, gitDir }: GitPlace, commit: string): Promise<RulesAt> {
  const listed = await mustGit(top, { gitDir, args: ["ls-tree", "-l", "-z", "--full-tree", commit] });
  const entries = listed.split("\0").flatMap((line) => {
    const [, mode = "", id = "", size = "", name = ""] = /^(\d+) \w+ (\w+) +(\S+)\t(.*)$/s.exec(line) ?? [];
    const isNamed = boundFate([{ path: name, how: "added", mode: "file" }]) !== "untouched";
    return isNamed ? [{ mode, id, size, name }] : [];
  });
  const [entry, other] = entries;
  if (entry === undefined) return { as: "absent" };
  if (other !== undefined || entry.name !== BOUND_FILE)
    return unreadable(
      `the name ${JSON.stringify(other?.name ?? entry.name)} is another spelling of it`,
      `name the file ${BOUND_FILE}`,
    );
  if (!/^100/.test(entry.mode)) return unreadable("it is no plain file", "put the rules into a plain file of this name");
  if (Number(entry.size) > MOST_BYTES) return unreadable("the file is too large", "keep the rules short");
  const parsed = parseBound(await mustGit(top, { gitDir, args: ["cat-file", "blob", entry.id] }));
  return parsed.ok ? { as: "rules", bound: parsed.bound } : { as: "unreadable", problems: parsed.problems };
}

function unreadable(message: string, hint: string): RulesAt {
  return { as: "unreadable", problems: [{ line: 1, message, hint }] };
}
