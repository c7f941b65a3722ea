import { join } from "node:path";
import { readCommitPart, writeCommit } from "../git/git-queries.ts";
import { type GuardedGit, mustGuarded } from "../git/guarded-git.ts";
import { preparePrivateDir, readHead, type Store } from "../repository/store.ts";
import { takeStaged } from "./import-objects.ts";
import { stageAll } from "./stage.ts";
import { makeQuarantine } from "./take-over.ts";

/** The staged content. `tree` is set if it was staged into a quarantine and imported from there. */
interface Staged {
  readonly any: boolean;
  readonly embedded: readonly string[];
  readonly tree?: string;
}

/** Stages the differences of a worktree from loopdash's index: into a quarantine first, if the run has a sandbox. */
export async function stage(
  store: Store,
  guard: GuardedGit,
  options: Pick<Parameters<typeof stageAll>[1], "own" | "workTree" | "apart" | "committed" | "from">,
  touched: boolean,
): Promise<Staged> {
  const staged = store.sandbox === undefined ? undefined : await makeQuarantine(join(options.own, "staged"));
  const found = await stageAll(store, { ...options, guard, staged }, touched);
  if (staged === undefined || !found.any) return found;
  return { ...found, tree: await takeStaged(store, guard, { own: options.own, staged }) };
}

/**
 * Makes loopdash's index match `commit` and keeps its knowledge of unchanged files, so that they are not read again. HEAD of
 * loopdash's git folder names the index's commit; after a restart there is none, and every file is read once.
 */
export async function prepareIndex(store: Store, guard: GuardedGit, own: string, commit: string): Promise<void> {
  const head = readHead(own);
  if (head !== undefined && "commit" in head && head.commit === commit) return;
  await preparePrivateDir(store, own, commit);
  await mustGuarded(guard, store.contentCall(["read-tree", "-m", commit], { gitDir: own }));
}

/** Commits what was staged on top of `parent`. Without anything, the commit is `start.commit` itself if that is the parent. */
export async function commitStaged(
  store: Store,
  own: string,
  start: { readonly commit: string; readonly parent: string; readonly tree: string | undefined },
  any: boolean,
  message: string,
): Promise<string> {
  if (!any && start.commit === start.parent) return start.commit;
  const staged = any ? (start.tree ?? (await store.content(["write-tree"], { gitDir: own })).trim()) : undefined;
  const tree = staged ?? (await readCommitPart(store, start.commit, "tree"));
  if (tree === undefined) throw new Error(`the commit ${start.commit} is gone`);
  return writeCommit(store, { tree, parent: start.parent, message });
}
