import { lstat, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../../../domain/values/error-text.ts";
import { folderList, GitFailure } from "../git/git-call.ts";
import { type GuardedGit, mustGuarded } from "../git/guarded-git.ts";
import { isObjectId, objectId } from "../git/ref-names.ts";
import { ifThere } from "../repository/admin-dirs.ts";
import type { Store } from "../repository/store.ts";
import { makeQuarantine, takeOver } from "./take-over.ts";
import { holdsTooMuch, MAX_FILES, refuseOddFiles, weighObjects } from "./weigh-objects.ts";
import { agentDir, workerGitDir } from "./worker-git.ts";

/** Size limit of the pack that one attempt may bring in. Bytes. */
const MAX_PACK = 1024 * 1024 * 1024;

/** `$1`: the quarantine. Packing also reads the worker's objects; indexing reads only the repository's. */
const PACK = [
  'git pack-objects --revs --stdout -q --thin --delta-base-offset >"$1/pack.new" || exit; ',
  'export GIT_OBJECT_DIRECTORY="$1" GIT_ALTERNATE_OBJECT_DIRECTORIES="$2"; ',
  `exec git index-pack --stdin --fix-thin --strict --max-input-size=${MAX_PACK} <"$1/pack.new"`,
].join("");

/**
 * Imports the commits of a confined worker. The objects that `tip` reaches and `from` does not are packed from the worker's
 * folder and indexed in a quarantine. There, git computes each id from the content, checks every object as fsck does, and refuses
 * broken or incomplete ones. The pack is then moved into the repository. The worker's list of further object folders is moved
 * aside first, because git would follow it.
 */
export async function importObjects(
  store: Store,
  guard: GuardedGit,
  options: { readonly leftover: LeftoverObjects; readonly tip: string; readonly from: string },
): Promise<void> {
  try {
    await takeCommits(store, guard, options);
  } catch (error) {
    guard.check();
    throw refusal(error);
  }
}

function refusal(error: unknown): Error {
  const why = error instanceof GitFailure ? error.stderr.trim() : errorMessage(error);
  return new Error(`what the worker committed cannot be taken: ${why.slice(0, 500)}`, { cause: error });
}

/** The folder of a confined worker's objects, and an empty one for those that are taken. */
export interface LeftoverObjects {
  readonly objects: string;
  readonly quarantine: string;
}

/** Finds them in a worktree. */
export async function leftoverObjects(store: Store, path: string): Promise<LeftoverObjects> {
  const objects = join(workerGitDir(store, path), "objects");
  if ((await ifThere(lstat(objects)))?.isDirectory() !== true) throw refusal(new Error("its folder of objects is gone"));
  const aside = join(agentDir(store, path), "info");
  await rm(aside, { recursive: true, force: true });
  await ifThere(rename(join(objects, "info"), aside));
  const quarantine = await makeQuarantine(join(agentDir(store, path), "taken"));
  return { objects, quarantine };
}

async function takeCommits(
  store: Store,
  guard: GuardedGit,
  { leftover, tip, from }: Parameters<typeof importObjects>[2],
): Promise<void> {
  const { objects, quarantine } = leftover;
  await refuseOddFiles(objects);
  await weighObjects(store, guard, { objects, from });
  const call = store.contentCall(["pack-objects"], {
    borrowed: [objects],
    input: `${objectId(tip)}\n^${objectId(from)}\n`,
  });
  await mustGuarded(guard, call, { text: PACK, args: [quarantine, folderList([store.at.objects])] });
  await takeOver(store, quarantine);
  if (await holdsTooMuch(store, guard, tip)) throw new Error(`it holds more than ${MAX_FILES} files`);
}

/** `$1`: the folder of objects made while the worktree was staged. Prints the tree. */
const PACK_STAGED = [
  "tree=$(git write-tree) || exit; ",
  'cd "$1" && find . -type f -path "./??/*" ! -name "tmp_*" | tr -d "./" >objects.new && ',
  'git pack-objects -q --non-empty "$1/pack/pack" <objects.new >/dev/null && echo "$tree"',
].join("");

/** Writes the tree of an index that was staged into a quarantine, and imports its objects. */
export async function takeStaged(store: Store, guard: GuardedGit, options: { own: string; staged: string }): Promise<string> {
  const call = store.contentCall(["write-tree"], { gitDir: options.own, objects: options.staged, borrowed: [store.at.objects] });
  const tree = (await mustGuarded(guard, call, { text: PACK_STAGED, args: [options.staged] })).trim();
  if (!isObjectId(tree)) throw new Error("git did not tell what was staged");
  await takeOver(store, options.staged);
  return tree;
}
