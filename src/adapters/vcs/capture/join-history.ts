import { displayName, objectId } from "../git/git-call.ts";
import { readCommitPart, writeCommit } from "../git/git-queries.ts";
import { buildCandidate } from "../landing/candidate.ts";
import { isAncestor } from "../repository/history.ts";
import type { Store } from "../repository/store.ts";

/** Commits that one question may name; more make its command line too long. */
const MOST_KNOWN = 1_000;

/**
 * How a commit of an agent stands to the ticket's start: it `descends` from it; it comes from `elsewhere`, such as an older commit that the
 * agent has checked out; or it `replaces` the start: without a common past, or because the agent has rewritten the start.
 */
export async function classifyHistory(
  store: Store,
  from: string,
  commit: string,
): Promise<"descends" | "elsewhere" | "replaces"> {
  if (await isAncestor(store, from, commit)) return "descends";
  const { status } = await store.tryContent(["merge-base", objectId(from), objectId(commit)]);
  if (status !== 0) return "replaces";
  // An amended or rebased commit keeps its author and that one's time.
  const range = ["--left-right", `${objectId(from)}...${objectId(commit)}`];
  const sides = (await store.content(["log", "--format=%m%an %ae %at", ...range])).split("\n");
  const theirs = new Set(sides.filter((line) => line.startsWith(">")).map((line) => line.slice(1)));
  return sides.some((line) => line.startsWith("<") && theirs.has(line.slice(1))) ? "replaces" : "elsewhere";
}

/**
 * Brings the work of a commit that comes from elsewhere to the ticket's start: what differs from the newest of the `known` commits in its
 * history. Throws an Error with the paths if they conflict.
 */
export async function bringToStart(
  store: Store,
  options: { readonly from: string; readonly known: readonly string[]; readonly tip: string; readonly message: string },
): Promise<string> {
  const { from, known, tip, message } = options;
  const bases = ["merge-base", objectId(tip), objectId(from), ...known.slice(0, MOST_KNOWN).map(objectId)];
  const base = (await store.content(bases)).trim();
  const as = async (commit: string, parent: string): Promise<string> => {
    const tree = await readCommitPart(store, commit, "tree");
    if (tree === undefined) throw new Error(`the commit ${commit} is gone`);
    return writeCommit(store, { tree, parent, message });
  };
  const common = await as(base, from);
  const [ours, theirs] = [await as(from, common), await as(tip, common)];
  const merged = await buildCandidate(store, { base: ours, tip: theirs, message, signal: undefined, startedAt: undefined });
  if (merged.ok) return as(merged.commit, from);
  const where = merged.conflicts.slice(0, 5).map(displayName).join(", ") || merged.detail;
  throw new Error(`it is not on the commit that the ticket started at, and conflicts with that: ${where}`);
}
