import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { EXIT, UserError } from "../../../domain/values/user-error.ts";
import { displayName, type Setting } from "../git/git-call.ts";
import { listAlternates } from "./alternates.ts";
import { isCommit } from "./history.ts";
import { exists } from "./locate.ts";
import { refuseUnfitGitDir } from "./plain-clone.ts";
import { adminDirs, ifThere, openStore, preparePrivateDir, type Store } from "./store.ts";
import { readFiles } from "./trees.ts";

/** A submodule that a recursive checkout of a commit has. */
export interface Submodule {
  /** Its path in the checkout. */
  readonly path: string;
  /** Its name in `.gitmodules`. */
  readonly name: string;
  readonly commit: string;
  /** Its own repository; undefined if none that is here has the commit. */
  readonly own: Store | undefined;
}

const SUBMODULE = "160000";

/**
 * The submodules that a recursive checkout of a commit has, nested ones below theirs. Only commits are looked for, in all repositories
 * below the git folder's `modules`, so no name, URL or setting of a submodule leads anywhere. A path that `.gitmodules` does not name is
 * none, and neither is one that is left out (`update = none`), there or by the user.
 */
export async function listSubmodules(store: Store, commit: string): Promise<readonly Submodule[]> {
  const links = (await readFiles(store, commit)).filter(({ mode }) => mode === SUBMODULE);
  if (links.length === 0) return [];
  const names = await submoduleNames(store, commit);
  const found: Submodule[] = [];
  for (const { name: path, id } of links) {
    const name = names.get(path);
    if (name === undefined) continue;
    const own = await repositoryWith(store, { name, path, commit: id });
    const nested = own === undefined ? [] : await listSubmodules(own, id);
    found.push({ path, name, commit: id, own }, ...nested.map((each) => ({ ...each, path: `${path}/${each.path}` })));
  }
  return found;
}

/** The names of a commit's submodules by their paths, without those that are left out. */
async function submoduleNames(store: Store, commit: string): Promise<ReadonlyMap<string, string>> {
  const { status, stdout } = await store.tryContent(["config", "--blob", `${commit}:.gitmodules`, "-z", "--list"]);
  const settings = new Map<string, string>();
  for (const entry of status === 0 ? stdout.split("\0") : []) {
    const end = entry.indexOf("\n");
    settings.set(entry.slice(0, end), entry.slice(end + 1));
  }
  const names = new Map<string, string>();
  for (const [key, path] of settings) {
    const name = /^submodule\.(.+)\.path$/s.exec(key)?.[1];
    const update = `submodule.${name}.update`;
    if (name !== undefined && (store.at.settings.get(update) ?? settings.get(update)) !== "none") names.set(path, name);
  }
  return names;
}

type Wanted = Pick<Submodule, "name" | "path" | "commit">;

async function repositoryWith(store: Store, { name, path, commit }: Wanted): Promise<Store | undefined> {
  const { commonDir, mainWorktree } = store.at;
  const linked = adminDirs(commonDir).map(({ dir }) => dir);
  const below = (await Promise.all([commonDir, ...linked].map((dir) => gitFolders(join(dir, "modules"))))).flat();
  // Before 1.7.8, git kept it in the checkout; a submodule that was added from there still is.
  const inside = mainWorktree === undefined ? [] : [join(mainWorktree, path, ".git")];
  const isOwn = (dir: string) => dir.endsWith(`/modules/${name}`);
  for (const dir of [...below.filter(isOwn), ...inside, ...below.filter((each) => !isOwn(each))]) {
    if (!(await exists(join(dir, "objects")))) continue;
    const own = await repositoryAt(store, dir);
    if (await isCommit(own, commit)) return own;
  }
  return undefined;
}

/** The git folders below a folder; those that lie in another one's `modules` are its own. */
async function gitFolders(folder: string): Promise<readonly string[]> {
  const entries = (await ifThere(readdir(folder, { withFileTypes: true }))) ?? [];
  const dirs = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  return (await Promise.all(dirs.map(async (dir) => ((await exists(join(dir, "HEAD"))) ? [dir] : gitFolders(dir))))).flat();
}

const opened = new WeakMap<Store, Map<string, Promise<Store>>>();

/** A submodule's repository. Its configuration is not read: it has the format of the repository above it. */
function repositoryAt(store: Store, dir: string): Promise<Store> {
  const stores = opened.get(store) ?? new Map<string, Promise<Store>>();
  opened.set(store, stores);
  const found = stores.get(dir) ?? openModule(store, dir);
  stores.set(dir, found);
  return found;
}

async function openModule(store: Store, dir: string): Promise<Store> {
  refuseUnfitGitDir(dir);
  const objects = join(dir, "objects");
  const shallow = (await exists(join(dir, "shallow"))) ? join(dir, "shallow") : undefined;
  const own = {
    path: dir,
    commonDir: dir,
    objects,
    borrowed: await listAlternates(objects),
    bare: true,
    mainWorktree: undefined,
  };
  return openStore({ ...store.at, ...own, shallow }, "main", {
    ...{ scratch: store.scratch, capture: store.captureBounds, run: store.runGit },
    sandbox: store.sandbox,
  });
}

/**
 * Writes the files of all submodules of a commit into a fresh checkout of it, each from its own repository. Their folders have no `.git`:
 * to git, they are submodules that nobody has changed. Settings go to git; `isKept`: the indexes serve a later look for changes.
 */
export async function fillSubmodules(
  store: Store,
  { commit, path, settings, isKept }: { commit: string; path: string; settings: readonly Setting[]; isKept: boolean },
): Promise<void> {
  for (const { path: below, commit: each, own } of await listSubmodules(store, commit)) {
    if (own === undefined) continue;
    const workTree = join(path, below);
    const gitDir = own.privateDir(workTree);
    await rm(gitDir, { recursive: true, force: true });
    await mkdir(workTree, { recursive: true });
    await preparePrivateDir(own, gitDir, each);
    await own.run({ ...own.contentCall(["read-tree", "-m", "-u", each], { gitDir, workTree }), config: settings });
    if (!isKept) await rm(gitDir, { recursive: true, force: true });
  }
}

/** Throws a UserError (exit 4) if a submodule of a commit is not here: agents and checks would find an empty folder. */
export async function refuseMissingSubmodules(what: string, store: Store, commit: string): Promise<void> {
  const missing = (await listSubmodules(store, commit)).find(({ own }) => own === undefined);
  if (missing === undefined) return;
  const git = `git -C ${displayName(store.at.path)}`;
  throw new UserError({
    what,
    why: `the commit ${missing.commit.slice(0, 7)} of its submodule ${displayName(missing.path)} is not here, and loopdash fetches none`,
    todo: `fetch it: ${git} submodule update --init --recursive; or leave it out: ${git} config submodule.${displayName(missing.name)}.update none`,
    exitCode: EXIT.refused,
  });
}
