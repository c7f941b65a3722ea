import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Setting } from "./git-call.ts";
import { makeGitDir } from "./git-dir.ts";
import { objectId } from "./ref-names.ts";
import type { Store } from "./store.ts";

/** Files as they are stored, whatever .gitattributes say about line ends of this machine. */
const AS_STORED: readonly Setting[] = [["core.autocrlf", "false"]];

/**
 * A checkout of a commit in a new folder, with a git folder of its own: its objects are borrowed from the repository by
 * `alternates` (and by those of the repository itself), which git reads and never writes, and its configuration, hooks and
 * refs are new. So no filter is known in it, and no git command in it can change the user's repository. Refuses a folder
 * that is already there.
 */
export async function pristineCheckout(store: Store, of: { readonly commit: string; readonly path: string }): Promise<void> {
  const commit = objectId(of.commit);
  await mkdir(of.path, { mode: 0o700 });
  const gitDir = join(of.path, ".git");
  const { format, objects, shallow } = store.at;
  await makeGitDir({ dir: gitDir, head: commit, format, bare: false, borrowed: [objects] });
  await store.run({
    args: ["read-tree", "-m", "-u", commit],
    gitDir,
    workTree: of.path,
    config: AS_STORED,
    ...(shallow === undefined ? {} : { shallow }),
  });
}
