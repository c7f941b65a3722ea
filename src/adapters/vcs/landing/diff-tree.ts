import { GitFailure, objectId } from "../git/git-call.ts";
import { readCommitPart } from "../git/git-queries.ts";
import type { Store } from "../repository/store.ts";

interface Of {
  readonly from: string;
  readonly tip: string;
  /** Options of git-diff-tree(1) beside `-r`. */
  readonly options: readonly string[];
  /** Pathspecs; none: everything. */
  readonly paths?: readonly string[];
}

/**
 * What git-diff-tree(1) prints about two commits, from a session. Undefined if that cannot tell: the output is long, takes long, or a
 * commit does not exist.
 */
export async function askDiff(store: Store, { from, tip, options, paths = [] }: Of): Promise<Buffer | undefined> {
  // For two trees git prints a line first, so that a missing one does not look like no difference.
  const trees = await Promise.all([from, tip].map((commit) => readCommitPart(store, commit, "tree")));
  if (trees.includes(undefined)) return undefined;
  const question = `${trees.join(" ")}\n`;
  const args = ["diff-tree", "--stdin", "-r", ...options, "--", ...paths];
  const { status, stdout } = await store.tryContent(args, { session: "echo", input: question });
  return status === 0 && stdout.startsWith(question) ? Buffer.from(stdout.slice(question.length), "latin1") : undefined;
}

/** The same, up to `most` bytes: `whole` is false if there is more. Throws a GitFailure if git fails. */
export async function diffTree(
  store: Store,
  of: Of,
  most: number,
): Promise<{ readonly output: Buffer; readonly whole: boolean }> {
  const asked = await askDiff(store, of);
  if (asked !== undefined && asked.length <= most) return { output: asked, whole: true };
  const args = ["diff-tree", "-r", ...of.options, objectId(of.from), objectId(of.tip), "--", ...(of.paths ?? [])];
  const chunks: Buffer[] = [];
  let size = 0;
  const result = await store.tryContent(args, {
    onOutput: (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      return size > most ? "stop" : "more";
    },
  });
  if (!result.stopped && result.status !== 0) throw new GitFailure(args, result);
  return { output: Buffer.concat(chunks), whole: !result.stopped };
}
