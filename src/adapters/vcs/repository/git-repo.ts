import type { RepoId } from "../../../domain/values/ids.ts";
import { serialQueue } from "../../../domain/values/serial-queue.ts";
import { settleBoth } from "../../../domain/values/settle-both.ts";
import type { CommitTree, GitRemote, RemoteCredentials, Repo, TreeFile } from "../../../ports/vcs.ts";
import { agentView, checkoutView } from "../capture/agent-view.ts";
import { capture } from "../capture/capture.ts";
import { keepSubmoduleEdits } from "../capture/submodule-edits.ts";
import { sweepTemporary } from "../capture/take-over.ts";
import { withUnfiltered } from "../capture/unfiltered.ts";
import { branchRef, GitFailure, objectId } from "../git/git-call.ts";
import { moveRef, readCommitPart } from "../git/git-queries.ts";
import { buildCandidate } from "../landing/candidate.ts";
import { changeBetween } from "../landing/change.ts";
import { changedLines } from "../landing/changed-lines.ts";
import { continueFrom, deriveCommit, readFilesAt, reverseCommit } from "../landing/derived-commit.ts";
import { finishCutOffLanding, land } from "../landing/land.ts";
import { writePatch } from "../landing/patch.ts";
import { pristineCheckout } from "../landing/pristine.ts";
import { openRemote, type RemoteBounds } from "../remote/git-remote.ts";
import { remoteAccess } from "../remote/remote-access.ts";
import { baseTip, commitsSince, isCommit, missingFromBase, repositoryIdentity } from "./history.ts";
import { branchesBelow } from "./ref-snapshot.ts";
import { locateOrRefuse, refuseBaseName, refuseState } from "./refuse.ts";
import { remoteAddress as pageOf, pushUrl } from "./remote-address.ts";
import { openStore, type Store, type StoreOptions } from "./store.ts";
import { listSubmodules } from "./submodules.ts";
import { readFiles } from "./trees.ts";
import { withUnavailability } from "./unavailable.ts";
import { knownPath } from "./user-checkout.ts";
import { addWorktree, removeWorktree } from "./worktree.ts";

type RepoOptions = { readonly id: RepoId; readonly path: string; readonly base: string } & Omit<StoreOptions, "commits"> & {
    /** How commits look, which may still be asked for. */
    readonly commits?: StoreOptions["commits"] | Promise<StoreOptions["commits"]>;
  };

/**
 * Opens the repository at `path` (its top folder, or a bare repository) for work on the branch `base`. Throws a UserError with
 * exit code 4 if that is not possible: see refuse.ts. `scratch` is a folder that no worker is given, for a few small files that
 * disappear with this process; default: the system's temporary folder. `run` runs git; default: in this process. `sandbox`
 * confines the processes that read a worker's leftovers, and `capture` bounds them.
 */
export async function openRepo({ commits: pending, ...options }: RepoOptions): Promise<RepoWithRemotes> {
  refuseBaseName(options.id, options.base);
  const [at, commits] = await settleBoth(locateOrRefuse(options.id, options.path), Promise.resolve(pending));
  const store = await openStore(at, options.base, { ...options, commits });
  await Promise.all([refuseState(options.id, options.base, store), sweepTemporary(store.at.objects)]);
  const url = pageOf(store.at.settings, options.base);
  const repo = withUnavailability(
    { ...storeRepo(store, options.id, options.base), ...forForges(store), ...(url !== undefined && { url }) },
    store,
  );
  const env = options.env ?? {};
  const remoteAddress = async (name: string) => pushUrl(store.at.settings, name, new Map((await remoteAccess(env)).settings));
  return { ...repo, remoteAddress, remote: (remote) => openRemote(store, { ...remote, env }) };
}

/** A repository of this machine, and its remotes. */
export interface RepoWithRemotes extends Repo {
  /** The address of a remote that changes are pushed to, by the settings of the repository and of its user; undefined if there is none. */
  remoteAddress(name: string): Promise<string | undefined>;
  /** One of its remotes, which is asked with these credentials. Throws a UserError (exit 4) if the repository has no such remote. */
  remote(options: {
    readonly name: string;
    readonly credentials?: RemoteCredentials;
    /** Default: some minutes; see `RemoteBounds`. */
    readonly bounds?: RemoteBounds;
  }): Promise<GitRemote>;
}

/** The number of captured tips that are remembered with their start commits. */
const REMEMBERED = 1000;

/** What pull requests and gates take. */
function forForges(store: Store): Pick<Repo, "continueFrom" | "parent" | "submodules"> {
  return {
    submodules: async (of) =>
      (await listSubmodules(store, of)).map(({ path, commit, own }) => ({ path, commit, isHere: own !== undefined })),
    continueFrom: (options) => continueFrom(store, options),
    parent: (commit) => readCommitPart(store, commit, "parent"),
  };
}

function storeRepo(store: Store, id: RepoId, base: string): Omit<Repo, keyof ReturnType<typeof forForges>> {
  const queue = serialQueue();
  const ours = new Set<string>();
  const unwilling = new Set<string>();
  const startedAt = new Map<string, string>();
  const remember = (tip: string, from: string): void => {
    if (startedAt.size >= REMEMBERED) startedAt.clear();
    startedAt.set(tip, from);
  };
  return {
    id,
    base,
    place: store.place,
    identity: () => repositoryIdentity(store),
    baseTip: () => baseTip(store),
    addWorktree: async (options) => {
      ours.add(await knownPath(options.path));
      await addWorktree(store, queue, options);
    },
    removeWorktree: async (options) => {
      await removeWorktree(store, options);
      ours.delete(await knownPath(options.path));
    },
    agentView: (options) => agentView(store, options),
    checkoutView: checkoutView(store),
    capture: async (options) => {
      const change = await withUnfiltered(store, options.from, await capture(store, options));
      remember(change.tip, options.from);
      return { ...change, ...(await keepSubmoduleEdits(store, options)) };
    },
    keepBranch: ({ branch, tip }) => moveRef(store, branchRef(branch), { to: tip }),
    branchTip: (branch) => store.readBranch(branchRef(branch)),
    branches: (folder) => branchesBelow(store, folder),
    change: async ({ from, tip }) => withUnfiltered(store, from, await changeBetween(store, from, tip)),
    changedLines: (options) => changedLines(store, options),
    readFile: (options) => readFileAt(store, options),
    readFiles: (options) => readFilesAt(store, options),
    files: async (commit) => (await readFiles(store, commit)).map(({ name }) => name),
    ...{ treeId: (commit: string) => treeId(store, commit), tree: (commit: string) => readTree(store, commit) },
    deriveCommit: (options) => deriveCommit(store, options),
    reverse: async (options) => {
      const commit = await reverseCommit(store, options);
      remember(commit, options.tip);
      return commit;
    },
    writePatch: (options) => writePatch(store, options),
    candidate: async ({ tip, message, onto, signal, lands }) => {
      const base = onto ?? (await baseTip(store));
      return buildCandidate(store, { base, tip, message, startedAt: startedAt.get(tip), signal, lands });
    },
    checkout: (options) => pristineCheckout(store, options),
    land: (options) => land(store, options, { ours, unwilling }),
    finishCutOffLanding: () => finishCutOffLanding(store, ours),
    missingFromBase: (commits) => missingFromBase(store, commits),
    commitsSince: (options) => commitsSince(store, options),
    contains: async (commit) => (await missingFromBase(store, [commit])).length === 0,
    has: (commit) => isCommit(store, commit),
  };
}

async function treeId(store: Store, commit: string): Promise<string> {
  const id = await readCommitPart(store, commit, "tree");
  if (id === undefined) throw new Error(`${commit} has no tree`);
  return id;
}

/** The tree of a commit. */
async function readTree(store: Store, commit: string): Promise<CommitTree> {
  const [id, entries] = await Promise.all([treeId(store, commit), readFiles(store, commit)]);
  const files = entries.map(
    (entry): TreeFile => ({
      path: entry.name,
      kind: entry.mode.startsWith("100") ? "file" : "link",
      id: `${entry.mode} ${entry.id}`,
    }),
  );
  return { id, files };
}

/** The limit of what is read of a file; callers want small files. Bytes. */
const MOST = 1_000_000;

/**
 * The text of a file in a commit, from the object itself: no filter runs and no link is followed. Undefined if the commit has no
 * such file. A longer file is read up to a million bytes. Throws a GitFailure if git fails.
 */
export async function readFileAt(store: Store, { commit, path }: { commit: string; path: string }): Promise<string | undefined> {
  // A session reads all but paths that do not fit on a line.
  if (!path.includes("\n")) return (await readFilesAt(store, { commit, paths: [path] })).get(path)?.slice(0, MOST);
  const args = ["cat-file", "blob", `${objectId(commit)}:${path}`];
  const chunks: Buffer[] = [];
  let size = 0;
  const result = await store.tryContent(args, {
    onOutput: (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      return size > MOST ? "stop" : "more";
    },
  });
  if (result.stopped || result.status === 0) return Buffer.concat(chunks).toString("utf8");
  const listed = await store.content(["--literal-pathspecs", "ls-tree", "-z", "--full-tree", objectId(commit), "--", path]);
  if (listed === "") return undefined;
  throw new GitFailure(args, result);
}
