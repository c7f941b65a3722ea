import { access } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage, hasErrorCode } from "../../../domain/values/error-text.ts";
import { type Repo, RepoUnavailable } from "../../../ports/vcs.ts";
import { GitMissing } from "../git/git-call.ts";
import { SigningFailed } from "../landing/sign.ts";
import type { Store } from "./store.ts";

/**
 * The end of git's messages about a lock that another process holds, and about the machine (strerror(3)). Anchored at the end of
 * a line: a path, which a worker may have named, stands before it.
 */
const FAULT =
  /(?:\.lock'?: File exists\.?|: (?:Input\/output error|Stale file handle|No space left on device|Disk quota exceeded|Read-only file system|Resource temporarily unavailable|Cannot allocate memory|Too many open files(?: in system)?|Transport endpoint is not connected))$/m;

const CODES = ["EIO", "ESTALE", "ENOSPC", "EDQUOT", "EROFS", "EAGAIN", "ENOMEM", "EMFILE", "ENFILE", "ENOTCONN"];

/** The methods whose errors are classified. */
const CLASSIFIED = [
  "baseTip",
  "addWorktree",
  "capture",
  "change",
  "candidate",
  "checkout",
  "readFile",
  "readFiles",
  "files",
  "deriveCommit",
  "reverse",
  "land",
  "missingFromBase",
  "contains",
  "branchTip",
  "keepBranch",
  "commitsSince",
  "has",
] as const;

/** The same repository, which throws RepoUnavailable if a lock, the machine, a signing key or the place of the repository is at fault. */
export function withUnavailability(repo: Repo, store: Store): Repo {
  const classified =
    (name: (typeof CLASSIFIED)[number]) =>
    async (...args: never[]) => {
      try {
        const result = await (repo[name] as (...args: never[]) => Promise<unknown>)(...args);
        // Without its folder, a repository seems to lack every commit.
        if (result === false && !(await isThere(store))) throw new Error(`${store.at.path} is away`);
        return result;
      } catch (error) {
        if (isAtFault(name, error) || !(await isThere(store))) throw new RepoUnavailable(errorMessage(error), { cause: error });
        throw error;
      }
    };
  return { ...repo, ...(Object.fromEntries(CLASSIFIED.map((name) => [name, classified(name)])) as Partial<Repo>) };
}

/** A missing base is never the work's fault. A capture reads a worker's leftovers, whose locks and errors may be the worker's. */
function isAtFault(name: (typeof CLASSIFIED)[number], error: unknown): boolean {
  if (name === "baseTip" || name === "capture") return name === "baseTip";
  return (
    error instanceof GitMissing ||
    error instanceof SigningFailed ||
    hasErrorCode(error, ...CODES) ||
    FAULT.test(errorMessage(error))
  );
}

function isThere({ at }: Store): Promise<boolean> {
  return access(join(at.commonDir, "HEAD")).then(
    () => true,
    () => false,
  );
}
