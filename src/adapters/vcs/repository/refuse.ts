import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isDecoded, NOT_UTF8 } from "../../../domain/values/decoded.ts";
import { settleBoth } from "../../../domain/values/settle-both.ts";
import { EXIT, UserError } from "../../../domain/values/user-error.ts";
import { filtersAt, LFS, missingLargeFile } from "../capture/attributes.ts";
import { branchRef, displayName, GitFailure, GitMissing, unfitBranchName } from "../git/git-call.ts";
import { gitVersionIn, OLDEST_GIT } from "../git/git-version.ts";
import { mustGit } from "../git/run-git.ts";
import { isCutOffLanding } from "../landing/land.ts";
import { baseTip } from "./history.ts";
import { exists, findGitDir, type Located, locate } from "./locate.ts";
import { writingDrivers } from "./person-git.ts";
import { refuseUnfitCheckout } from "./plain-clone.ts";
import { findClash } from "./ref-snapshot.ts";
import { ifThere, readHead, type Store } from "./store.ts";
import { refuseMissingSubmodules } from "./submodules.ts";
import { checkoutsOfBase, trackedIn, whyNotReady } from "./user-checkout.ts";

/** A key of a repository in a batch file. */
type RepositoryKey = "path" | "base";

/** The refusal of a repository. `key`: the key of the batch file whose value is at fault; undefined if none is. */
export class RepositoryRefusal extends UserError {
  readonly key: RepositoryKey | undefined;

  constructor({ key, ...options }: RefusalOptions & { readonly key?: RepositoryKey | undefined }) {
    super({ ...options, exitCode: EXIT.refused });
    this.key = key;
  }
}

interface RefusalOptions {
  readonly what: string;
  readonly why: string;
  readonly todo: string;
  readonly cause?: unknown;
}

function refusal(options: RefusalOptions, key?: RepositoryKey): RepositoryRefusal {
  return new RepositoryRefusal({ ...options, key });
}

/**
 * Finds the repository at `path`. Throws a UserError if the folder does not exist, git is missing or too old, or no repository is
 * there.
 */
export async function locateOrRefuse(id: string, path: string): Promise<Located> {
  const what = `repository "${id}" cannot be used`;
  const stats = await ifThere(stat(path));
  if (stats === undefined) {
    throw refusal({ what, why: `${displayName(path)} does not exist`, todo: "correct its path in the batch file" }, "path");
  }
  if (!stats.isDirectory()) {
    throw refusal({ what, why: `${displayName(path)} is not a folder`, todo: "give the folder of a git repository" }, "path");
  }
  const real = await realpath(path);
  if (!isDecoded(real)) throw refusal({ what, why: NOT_UTF8, todo: "rename the folder, or use a clone elsewhere" }, "path");
  const found = locate(real).catch(async (error: unknown) => {
    throw error instanceof GitFailure ? await noRepository(what, real, error) : error;
  });
  const [, at] = await settleBoth(refuseOldGit(what, real), found);
  refuseFormat(what, at);
  return at;
}

async function refuseOldGit(what: string, path: string): Promise<void> {
  const todo = `install git ${OLDEST_GIT} or newer`;
  try {
    const said = await mustGit(path, { args: ["version"], gitDir: path });
    const git = gitVersionIn(said);
    if (git?.isEnough !== true)
      throw refusal({ what, why: `git ${git?.version ?? "of an unknown version"} cannot merge without a checkout`, todo });
  } catch (error) {
    if (!(error instanceof GitMissing)) throw error;
    throw refusal({ what, why: "no git program was found on the PATH", todo, cause: error });
  }
}

async function noRepository(what: string, path: string, cause: GitFailure): Promise<UserError> {
  if (await exists(join(await findGitDir(path), "HEAD"))) {
    const why = `git cannot open ${displayName(path)}: ${displayName(cause.stderr.trim().slice(0, 300))}`;
    return refusal({
      what,
      why,
      todo: "mend it, or install a newer git; refs in reftables: git refs migrate --ref-format=files",
      cause,
    });
  }
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    if (!(await exists(join(above, ".git")))) continue;
    const why = `${displayName(path)} is a folder within the repository ${displayName(above)}`;
    return refusal({ what, why, todo: "give the top folder of the repository", cause }, "path");
  }
  const why = `${displayName(path)} is not a git repository`;
  return refusal({ what, why, todo: "give the top folder of a git repository, or a bare repository", cause }, "path");
}

function refuseFormat(what: string, at: Located): void {
  const storage = at.settings.get("extensions.refstorage");
  if (storage !== undefined && storage !== "files") {
    const why = `it keeps its refs as "${displayName(storage)}", which is not supported yet`;
    throw refusal({ what, why, todo: "migrate it: git refs migrate --ref-format=files" });
  }
  if (at.settings.get("core.splitindex") === "true") {
    const why = "it uses split indexes (core.splitIndex), which are not supported";
    throw refusal({ what, why, todo: "git config core.splitIndex false && git update-index --no-split-index" });
  }
}

/** Refuses a name that is no branch name. */
export function refuseBaseName(id: string, base: string): void {
  const reason = unfitBranchName(base);
  if (reason === undefined) return;
  const why = `"${displayName(base)}" cannot name a branch: ${reason}`;
  throw refusal({ what: `repository "${id}" cannot be used`, why, todo: "give an existing local branch as its base" }, "base");
}

/** Refuses a base that is not a local branch, and checkouts that could not follow it. */
export async function refuseState(id: string, base: string, store: Store): Promise<void> {
  const what = `repository "${id}" cannot be used`;
  if ((await store.readBranch(store.baseRef)) === undefined) {
    const why = `it has no local branch "${displayName(base)}"`;
    throw refusal({ what, why, todo: "give an existing local branch as its base, or create it" }, "base");
  }
  const clash = await findClash(store, branchRef("loopdash/run/ticket"));
  if (clash !== undefined) throw refusal({ what, ...clash });
  const checkouts = await checkoutsOfBase(store, new Set());
  const tip = await baseTip(store);
  await refuseMissingObjects(what, store, tip);
  await refuseMissingSubmodules(what, store, tip);
  await refuseFilters(what, store, tip);
  for (const checkout of checkouts) {
    refuseUnfitCheckout(checkout.path, await trackedIn(store, checkout));
    const unready = await whyNotReady(store, checkout, tip, { filters: false });
    if (unready === undefined || (await isCutOffLanding(store, checkout, tip, { filters: false }))) continue;
    throw refusal({ what, ...unready });
  }
  const { bare, mainWorktree, commonDir, path } = store.at;
  if (!bare && mainWorktree === undefined) {
    const why = `${displayName(path)} is a linked worktree of ${displayName(commonDir)}, which does not name its main checkout`;
    throw refusal(
      { what, why, todo: `give the main checkout, or: git -C ${displayName(path)} config core.worktree <main checkout>` },
      "path",
    );
  }
  if (mainWorktree === undefined || checkouts.some((each) => each.path === mainWorktree)) return;
  const head = readHead(commonDir);
  if (head !== undefined && "branch" in head) return;
  const why = `HEAD is detached in ${displayName(mainWorktree)}, so it is unclear whether that checkout should follow the base`;
  throw refusal({ what, why, todo: `check out a branch there: git switch ${displayName(base)}` });
}

/** Refuses a partial clone that lacks files of its base. Git would fetch them one by one, and for loopdash it fetches nothing. */
async function refuseMissingObjects(what: string, store: Store, tip: string): Promise<void> {
  const { settings, path } = store.at;
  if (![...settings.keys()].some((name) => name === "extensions.partialclone" || name.endsWith(".promisor"))) return;
  const listed = await store.tryContent(["rev-list", "--objects", "--quiet", "--missing=print", "--max-count=1", tip]);
  if (listed.status === 0 && listed.stdout.trim() === "") return;
  const why = "it is a partial clone that lacks files of its base, and loopdash lets git fetch nothing on its own";
  throw refusal({ what, why, todo: `fetch them: git -C ${displayName(path)} fetch --refetch --no-filter` });
}

/** Refuses a base whose files agents and checks could not be given as the user has them. */
async function refuseFilters(what: string, store: Store, tip: string): Promise<void> {
  const filtered = await filtersAt(store, tip);
  const writing = writingDrivers(store.person);
  const [path, driver] = filtered.find(([, name]) => name !== LFS && writing.has(name)) ?? [];
  if (path !== undefined) {
    const name = displayName(driver ?? "");
    const why = `${displayName(path)} has the filter "${name}", which runs for no agent and no check: they would get it as it is stored`;
    const off = ["clean", "smudge", "process", "required"].map((key) => `-c filter.${name}.${key}=`).join(" ");
    const place = displayName(store.at.path);
    throw refusal({
      what,
      why,
      todo: `if that is enough for them, give a clone without it: git clone ${off} ${place} ${place}-stored`,
    });
  }
  const large = filtered.flatMap(([file, name]) => (name === LFS ? [file] : []));
  const why = await missingLargeFile(store, tip, large);
  if (why !== undefined) throw refusal({ what, why, todo: `git -C ${displayName(store.at.path)} lfs fetch` });
}
