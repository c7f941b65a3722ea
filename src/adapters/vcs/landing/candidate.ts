import type { Candidate, Repo } from "../../../ports/vcs.ts";
import { displayName, GitFailure, type GitResult, isObjectId, objectId } from "../git/git-call.ts";
import { commitTime, readCommitPart, writeCommit } from "../git/git-queries.ts";
import { askBounded, guardedGit } from "../git/guarded-git.ts";
import type { Store } from "../repository/store.ts";

/** Messages of git when it is refused memory (wrapper.c, packfile.c). */
const NO_MEMORY = /out of memory|malloc failed|mmap failed|cannot be mapped/i;

/** Length of a conflict's description, in characters. */
const DETAIL = 4000;

/**
 * Base tip + change, as one commit with the base tip as its only parent: each ticket lands as one commit, whatever the agent's
 * own history looks like. `startedAt` is the ticket's start commit, if it is known.
 */
export async function buildCandidate(
  store: Store,
  options: {
    readonly base: string;
    readonly tip: string;
    readonly message: string;
    readonly startedAt: string | undefined;
    readonly signal: AbortSignal | undefined;
    readonly lands?: Landable | undefined;
  },
): Promise<Candidate> {
  const { base } = options;
  const tip = objectId(options.tip);
  // `tip` descends from `startedAt` (capture ensures that), so if the base has not moved, the merge is the tip's tree.
  if (options.startedAt === base) {
    const tree = await readCommitPart(store, tip, "tree");
    if (tree === undefined) throw new Error(`the commit ${tip} is gone`);
    return { ok: true, base, commit: await writeCandidate(store, { tree, parent: base, ...options }) };
  }

  const args = ["merge-tree", "--write-tree", ...AS_FIELDS, objectId(base), tip];
  const merged = (await askMerge(store, base, tip)) ?? (await mergeBounded(store, args, options.signal));
  if (merged instanceof Error) return { ok: false, base, conflicts: [], detail: merged.message };
  // 0 is a clean merge and 1 a conflict (git-merge-tree(1)), both with a tree; 1 without a tree means "not something we can
  // merge".
  const first = merged.stdout.split("\0", 1)[0] ?? "";
  if (merged.status === 1 && isObjectId(first)) return { ok: false, base, ...readConflict(merged.stdout) };
  if (merged.status !== 0) throw new GitFailure(args, merged);
  return { ok: true, base, commit: await writeCandidate(store, { tree: first, parent: base, ...options }) };
}

/** See `Repo.candidate`. */
type Landable = Parameters<Repo["candidate"]>[0]["lands"];

/**
 * A candidate that may land has the people of the repository, is signed if they sign, and is the same commit whenever it is built:
 * its time is that of the attempt, or its parent's if that is later.
 */
async function writeCandidate(
  store: Store,
  {
    tree,
    parent,
    message,
    lands,
  }: { readonly tree: string; readonly parent: string; readonly message: string; readonly lands?: Landable | undefined },
): Promise<string> {
  if (lands === undefined) return writeCommit(store, { tree, parent, message });
  const at = Math.max(Math.floor(lands.at / 1000), await commitTime(store, parent));
  const { author, committer } = store.people;
  return writeCommit(store, { tree, parent, message, as: { author, committer, at, sign: store.signer } });
}

const AS_FIELDS = ["-z", "--name-only", "--messages"] as const;

/** The result of a merge from a session, as a process of its own would give it; undefined if that cannot tell or takes long. */
async function askMerge(store: Store, base: string, tip: string): Promise<GitResult | undefined> {
  const call = store.contentCall(["merge-tree", "--stdin", ...AS_FIELDS], {
    session: "merges",
    // Git tells the end of a result with the next one.
    input: `${base} ${tip}\n${base} ${base}\n`,
  });
  const result = await askBounded(store, call);
  const [, isClean, fields = ""] = /^\0?([01])\0([\s\S]*)\0(?:1\0[0-9a-f]+\0\0)$/.exec(result.stdout) ?? [];
  if (result.status !== 0 || isClean === undefined) return undefined;
  return { ...result, status: isClean === "1" ? 0 : 1, stdout: Buffer.from(fields, "latin1").toString("utf8") };
}

/**
 * Git merges files line by line, and a worker may have written lines that take it forever. The error names the bound that was
 * exceeded.
 */
async function mergeBounded(store: Store, args: readonly string[], signal: AbortSignal | undefined): Promise<GitResult | Error> {
  const guard = guardedGit(store, { signal });
  try {
    const merged = await guard.run(store.contentCall(args));
    return merged.status === 128 && NO_MEMORY.test(merged.stderr) ? new Error("there is not enough memory for it") : merged;
  } catch (error) {
    if (signal?.aborted === true || !(error instanceof Error)) throw error;
    return error;
  } finally {
    await guard.close();
  }
}

/** After the tree: the conflicted paths, an empty field, then messages as `count, path…, kind, text` (git-merge-tree(1)). */
function readConflict(output: string): { conflicts: string[]; detail: string } {
  const fields = output.split("\0");
  const end = fields.indexOf("", 1);
  const conflicts = [...new Set(fields.slice(1, end < 0 ? undefined : end))];
  const said: string[] = [];
  for (let i = end + 1; end > 0 && i < fields.length - 1; ) {
    const paths = Number.parseInt(fields[i] ?? "", 10);
    if (Number.isNaN(paths)) break;
    if (fields[i + paths + 1]?.startsWith("CONFLICT") === true) said.push((fields[i + paths + 2] ?? "").trim());
    i += paths + 3;
  }
  const detail = (said.length > 0 ? said : conflicts).map(displayName).join("\n");
  return { conflicts, detail: detail.slice(0, DETAIL) };
}
