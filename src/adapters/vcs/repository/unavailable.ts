import { randomUUID } from "node:crypto";
import { access, statfs } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage, hasErrorCode } from "../../../domain/values/text.ts";
import { type Repo, RepoUnavailable } from "../../../ports/vcs.ts";
import { GitMissing } from "../git/git-call.ts";
import { SigningFailed } from "../landing/sign.ts";
import { exists } from "./locate.ts";
import type { Store } from "./store.ts";

/**
 * The end of git's messages about a lock that another process holds, and about the machine (strerror(3)). A path stands before it, and
 * one that a worker has named may hold a line break and these very words: `isBlocked` looks whether they are true.
 */
const FAULT =
  /(?:\.lock'?: File exists\.?|: (?:Input\/output error|Stale file handle|No space left on device|Disk quota exceeded|Read-only file system|Resource temporarily unavailable|Cannot allocate memory|Too many open files(?: in system)?|Transport endpoint is not connected))$/m;

/** A lock that git names. */
const LOCKED = { before: "Unable to create '", after: ".lock': File exists" } as const;

/** Less room than this is none. Bytes. */
const LEAST_FREE = 512 * 2 ** 20;

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
    (...args: never[]) =>
      classify(store, name, () => (repo[name] as (...args: never[]) => Promise<unknown>)(...args));
  return { ...repo, ...(Object.fromEntries(CLASSIFIED.map((name) => [name, classified(name)])) as Partial<Repo>) };
}

/** A fault of a moment is over when a call is repeated; words of a change are there again. A checkout cannot be repeated at its place. */
async function classify(
  store: Store,
  name: (typeof CLASSIFIED)[number],
  call: () => Promise<unknown>,
  canRepeat = name !== "checkout",
): Promise<unknown> {
  try {
    const result = await call();
    // Without its folder, a repository seems to lack every commit.
    if (result === false && !(await isThere(store))) throw new Error(`${store.at.path} is away`);
    return result;
  } catch (error) {
    const message = errorMessage(error);
    const saysFault = name !== "capture" && FAULT.test(message);
    if (isAtFault(name, error) || !(await isThere(store)) || (saysFault && (await isBlocked(store, message))))
      throw new RepoUnavailable(message, { cause: error });
    if (saysFault && canRepeat) return classify(store, name, call, false);
    throw error;
  }
}

/** A missing base is never the work's fault. A capture reads a worker's leftovers, whose locks and errors may be the worker's. */
function isAtFault(name: (typeof CLASSIFIED)[number], error: unknown): boolean {
  if (name === "baseTip" || name === "capture") return name === "baseTip";
  return error instanceof GitMissing || error instanceof SigningFailed || hasErrorCode(error, ...CODES);
}

/** True if a lock that the message names is held, or git cannot write to the repository: whatever it was asked for. */
async function isBlocked(store: Store, message: string): Promise<boolean> {
  const locks = message
    .split(LOCKED.before)
    .slice(1)
    .map((rest) => `${rest.slice(0, Math.max(0, rest.indexOf(LOCKED.after)))}.lock`)
    .filter((path) => path.startsWith(`${store.at.commonDir}/`));
  if ((await Promise.all(locks.map(exists))).includes(true)) return true;
  const isFull = async (folder: string): Promise<boolean> => {
    const { bavail, bsize, blocks } = await statfs(folder);
    return blocks > 0 && bavail * bsize < LEAST_FREE;
  };
  try {
    await store.content(["hash-object", "-w", "--stdin"], { input: randomUUID() });
    return (await isFull(store.at.commonDir)) || (await isFull(store.scratch));
  } catch {
    return true;
  }
}

function isThere({ at }: Store): Promise<boolean> {
  return access(join(at.commonDir, "HEAD")).then(
    () => true,
    () => false,
  );
}
