import { orAborted } from "../../domain/values/or-aborted.ts";
import { type Repo, RepoUnavailable } from "../../ports/vcs.ts";
import type { Outages } from "../concurrency/outages.ts";

/**
 * The same repository, whose calls wait out an outage: another git process holds a lock, or the file system is away. The signal
 * ends the wait. A checkout, which could not be repeated at its place, throws at once.
 */
export function persistentRepo(repo: Repo, outages: Outages, signal: AbortSignal): Repo {
  const isOutage = (error: unknown): boolean => error instanceof RepoUnavailable;
  const persist = <T>(call: () => Promise<T>): Promise<T> => outages.persist("git", call, { signal, isOutage });
  const { missingAtForge } = repo;
  return {
    ...repo,
    ...(missingAtForge && { missingAtForge: (commits: readonly string[]) => persist(() => missingAtForge(commits)) }),
    baseTip: () => persist(() => baseTip(repo, signal)),
    addWorktree: (options) => persist(() => repo.addWorktree(options)),
    capture: (options) => persist(() => repo.capture(options)),
    change: (options) => persist(() => repo.change(options)),
    candidate: (options) => persist(() => repo.candidate(options)),
    readFile: (options) => persist(() => repo.readFile(options)),
    readFiles: (options) => persist(() => repo.readFiles(options)),
    files: (commit) => persist(() => repo.files(commit)),
    tree: (commit) => persist(() => repo.tree(commit)),
    deriveCommit: (options) => persist(() => repo.deriveCommit(options)),
    reverse: (options) => persist(() => repo.reverse(options)),
    land: (options) => persist(() => repo.land({ ...options, signal })),
    missingFromBase: (commits) => persist(() => repo.missingFromBase(commits)),
    contains: (commit) => persist(() => repo.contains(commit)),
    branchTip: (branch) => persist(() => repo.branchTip(branch)),
    keepBranch: (options) => persist(() => repo.keepBranch(options)),
    commitsSince: (options) => persist(() => repo.commitsSince(options)),
    has: (commit) => persist(() => repo.has(commit)),
  };
}

/** The tip of the base. It may take a look at a forge that says nothing: once the signal is aborted, nobody waits for that. */
async function baseTip(repo: Repo, signal: AbortSignal): Promise<string> {
  if (signal.aborted) return repo.baseTip();
  try {
    return await orAborted(repo.baseTip(), signal);
  } catch (error) {
    throw error === signal.reason ? new RepoUnavailable("its base was not waited for any longer", { cause: error }) : error;
  }
}
