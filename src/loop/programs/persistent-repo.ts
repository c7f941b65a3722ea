import { type Repo, RepoUnavailable } from "../../ports/vcs.ts";
import type { Outages } from "../concurrency/outages.ts";

/**
 * The same repository, whose calls wait out an outage: another git process holds a lock, or the file system is away. The signal
 * ends the wait. A checkout, which could not be repeated at its place, throws at once.
 */
export function persistentRepo(repo: Repo, outages: Outages, signal: AbortSignal): Repo {
  const isOutage = (error: unknown): boolean => error instanceof RepoUnavailable;
  const again = <T>(call: () => Promise<T>): Promise<T> => outages.persist("git", call, { signal, isOutage });
  return {
    ...repo,
    baseTip: () => again(() => repo.baseTip()),
    addWorktree: (options) => again(() => repo.addWorktree(options)),
    capture: (options) => again(() => repo.capture(options)),
    change: (options) => again(() => repo.change(options)),
    candidate: (options) => again(() => repo.candidate(options)),
    readFile: (options) => again(() => repo.readFile(options)),
    readFiles: (options) => again(() => repo.readFiles(options)),
    files: (commit) => again(() => repo.files(commit)),
    deriveCommit: (options) => again(() => repo.deriveCommit(options)),
    land: (options) => again(() => repo.land(options)),
    missingFromBase: (commits) => again(() => repo.missingFromBase(commits)),
    contains: (commit) => again(() => repo.contains(commit)),
    has: (commit) => again(() => repo.has(commit)),
  };
}
