import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Change, Repo } from "../../../ports/vcs.ts";
import { branchRef } from "../git/git-call.ts";
import { moveRef, writeCommit } from "../git/git-queries.ts";
import { guardedGit } from "../git/guarded-git.ts";
import { ifThere, preparePrivateDir, type Store } from "../repository/store.ts";
import { listSubmodules, type Submodule } from "../repository/submodules.ts";
import { prepareIndex, stage } from "./staged-commit.ts";

type Of = Parameters<Repo["capture"]>[0];

/**
 * Keeps what a worker has changed inside submodules: as a commit of the branch's name in each one's own repository, since it cannot land
 * with the change. Git reads the files as guarded as it does in `capture`.
 */
export async function keepSubmoduleEdits(store: Store, options: Of): Promise<Pick<Change, "submoduleEdits">> {
  const top = await ifThere(realpath(options.path));
  const found: string[] = [];
  for (const each of await listSubmodules(store, options.from)) {
    const place = join(options.path, each.path);
    // Whatever stands in its place, or in that of a folder above, is part of the change.
    if (top === undefined || (await ifThere(realpath(place))) !== join(top, each.path)) continue;
    if (each.own !== undefined && (await keepEdits(each.own, place, { ...each, ...options }))) found.push(each.path);
  }
  return found.length === 0 ? {} : { submoduleEdits: found };
}

async function keepEdits(own: Store, place: string, { commit, ...options }: Of & Pick<Submodule, "commit">): Promise<boolean> {
  const dir = own.privateDir(place);
  await preparePrivateDir(own, dir, undefined);
  const guard = guardedGit(own, { ...options, reach: { write: [dir], read: [place] } });
  try {
    await prepareIndex(own, guard, dir, commit);
    const of = { own: dir, workTree: place, apart: [], committed: Promise.resolve([]), from: commit };
    const staged = await stage(own, guard, of, false);
    if (!staged.any) return false;
    const tree = staged.tree ?? (await own.content(["write-tree"], { gitDir: dir })).trim();
    const tip = await writeCommit(own, { tree, parent: commit, message: options.message });
    await moveRef(own, branchRef(options.branch), { to: tip });
    return true;
  } finally {
    await guard.close();
  }
}
