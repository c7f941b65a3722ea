import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { Commit } from "../../../ports/vcs.ts";
import { GitFailure, objectId } from "../git/git-call.ts";
import { readCommitPart } from "../git/git-queries.ts";
import { followedRemote } from "./remote-address.ts";
import type { Store } from "./store.ts";

/** The commit at the tip of the base. Throws if the branch no longer exists. */
export async function baseTip(store: Store): Promise<string> {
  const tip = await store.readBranch(store.baseRef);
  if (tip === undefined) throw new Error(`the base branch ${store.baseRef} of ${store.at.path} is gone`);
  return tip;
}

/** True if `ancestor` is `commit` or in its history. Both must exist. */
export async function isAncestor(store: Store, ancestor: string, commit: string): Promise<boolean> {
  if (ancestor === commit || (await readCommitPart(store, commit, "parent")) === ancestor) return true;
  const args = ["merge-base", "--is-ancestor", objectId(ancestor), objectId(commit)];
  const result = await store.tryContent(args);
  if (result.status === 0 || result.status === 1) return result.status === 0;
  throw new GitFailure(args, result);
}

/**
 * Those of `commits` that the base does not contain, including ones that do not exist. One process lists all commits that they
 * reach and the base does not.
 */
export async function missingFromBase(store: Store, commits: readonly string[]): Promise<readonly string[]> {
  if (commits.length === 0) return [];
  const base = await baseTip(store);
  const args = ["rev-list", "--stdin"];
  const result = await store.tryContent(args, { input: [...commits.map(objectId), `^${base}`, ""].join("\n") });
  if (result.status === 0) {
    const outside = new Set(result.stdout.split("\n"));
    return commits.filter((commit) => outside.has(commit));
  }
  // git reports "bad object" for a commit that does not exist, so these are set apart first.
  const there = await Promise.all(commits.map((commit) => isCommit(store, commit)));
  if (!there.includes(false)) throw new GitFailure(args, result);
  const missing = new Set(
    await missingFromBase(
      store,
      commits.filter((_, i) => there[i]),
    ),
  );
  return commits.filter((commit, i) => !there[i] || missing.has(commit));
}

/** The commits that `to` has and `from` has not, newest first; undefined if `from` is not in the history of `to`, or is gone. */
export async function commitsSince(
  store: Store,
  { from, to, most }: { readonly from: string; readonly to: string; readonly most: number },
): Promise<readonly Commit[] | undefined> {
  if (!(await isCommit(store, from)) || !(await isAncestor(store, from, to))) return undefined;
  const format = "--format=%H%x1f%an%x1f%ct%x1f%s%x1e";
  const range = [objectId(to), `^${objectId(from)}`];
  const listed = await store.content(["log", `--max-count=${most}`, format, ...range]);
  return listed.split("\u001e").flatMap((entry) => {
    const [sha = "", author = "", seconds = "0", subject = ""] = entry.trim().split("\u001f");
    return sha === "" ? [] : [{ sha, author, at: Number(seconds) * 1000, subject }];
  });
}

/** True if a commit and its tree exist. */
export async function isCommit(store: Store, commit: string): Promise<boolean> {
  return (await readCommitPart(store, commit, "tree")) !== undefined;
}

/**
 * The identity of a repository across runs, hashed: its remote, where it is, and the first commit of its base. A fork has that commit
 * and perhaps the name of the folder, and another remote or place; what is put at the same path later has another first commit. Only
 * first parents are followed, so that merging a foreign history changes nothing.
 */
export async function repositoryIdentity(store: Store): Promise<{ readonly key: string; readonly name: string }> {
  const args = ["rev-list", "--max-parents=0", "--first-parent", objectId(await baseTip(store))];
  const { status, stdout, stderr } = await store.tryContent(args);
  const root = stdout.trim().split("\n").at(-1) ?? "";
  if (status !== 0 || root === "") throw new Error(`the first commit of ${store.at.path} cannot be found: ${stderr}`);
  const name = basename(store.place).replace(/\.git$/, "");
  const remote = followedRemote(store.at.settings, store.baseRef.replace(/^refs\/heads\//, ""));
  const parts = [remote, store.at.commonDir, root];
  return { key: createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32), name };
}
