import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, rmSync } from "node:fs";
import { mkdtemp, readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { hasErrorCode } from "../../../domain/values/text.ts";
import type { Sandbox } from "../../../ports/executor.ts";
import { CAPTURE_BOUNDS, type CaptureBounds } from "../capture/capture-bounds.ts";
import {
  branchRef,
  type GitCall,
  GitFailure,
  type GitResult,
  IDENTITY,
  isObjectId,
  MAIL,
  unfitBranchName,
} from "../git/git-call.ts";
import type { RunGit } from "../git/git-helper.ts";
import { runGit } from "../git/run-git.ts";
import { createSigner, type Signer } from "../landing/sign.ts";
import { makeGitDir, writeDiffRules, writeHead } from "./git-dir.ts";
import type { SigningSettings } from "./git-identity.ts";
import { exists, isMissing, type Located } from "./locate.ts";
import { type Person, readPerson } from "./person-git.ts";

export type More = Partial<
  Pick<GitCall, "workTree" | "index" | "input" | "session" | "onOutput" | "gitDir" | "objects" | "borrowed">
>;

/**
 * One repository with two ways to run git on it.
 *
 * `refs`: in the repository's own git folder, for refs and worktree records only. `content`: in a git folder of loopdash with the
 * repository's objects, for everything that reads or writes files. Filter, textconv, diff and merge drivers are looked up in
 * configuration, and no configuration of the repository is read there: not config, not config.worktree, not their includes. So a
 * worker that edits them at the same time has no effect.
 */
export interface Store {
  readonly at: Located;
  readonly baseRef: string;
  /** See `Repo.place`. */
  readonly place: string;
  /** A folder of loopdash that no worker is given. */
  readonly scratch: string;
  /** The sandbox of processes that read a worker's leftovers; undefined if the run has none. */
  readonly sandbox: Sandbox | undefined;
  readonly captureBounds: CaptureBounds;
  /** The author and the committer of commits that may land, as `Name <mail>`. */
  readonly people: CommitPeople;
  /** How git converts files for the person whose repository it is. */
  readonly person: Person;
  /** Signs commits that may land; undefined if they are not signed. */
  readonly signer: Signer | undefined;
  /** Runs git in any folder; for another store. */
  readonly runGit: RunGit;
  /** Runs any git process that the other functions do not cover. */
  run(call: GitCall): Promise<string>;
  /** Like `run`, but returns however it ends. */
  start(call: GitCall, signal?: AbortSignal): Promise<GitResult>;
  /** The call of `content`. */
  contentCall(args: readonly string[], more?: More): GitCall;
  refs(args: readonly string[], more?: More): Promise<string>;
  tryRefs(args: readonly string[], more?: More): Promise<GitResult>;
  content(args: readonly string[], more?: More): Promise<string>;
  tryContent(args: readonly string[], more?: More): Promise<GitResult>;
  /** The commit of a branch, or undefined if it does not exist. */
  readBranch(ref: string): Promise<string | undefined>;
  /** loopdash's git folder for one working folder, by its path. */
  privateDir(path: string): string;
}

/** The people of commits that may land. */
export interface CommitPeople {
  readonly author: string;
  readonly committer: string;
}

export interface StoreOptions {
  /** The people of commits that may land, and how those are signed; default: loopdash, not signed. */
  readonly commits?: CommitPeople & { readonly signing?: SigningSettings | undefined; readonly env: NodeJS.ProcessEnv };
  readonly scratch?: string;
  /** Where git finds the settings of the repository's person; default: nothing. */
  readonly env?: NodeJS.ProcessEnv;
  readonly run?: RunGit;
  readonly sandbox?: Sandbox;
  readonly capture?: Partial<CaptureBounds>;
}

/** Opens the store, with a scratch folder below `scratchIn` that disappears with this process. */
export async function openStore(at: Located, base: string, options: StoreOptions = {}): Promise<Store> {
  const run = options.run ?? runGit;
  const scratch = await mkdtemp(join(options.scratch ?? tmpdir(), "loopdash-git-"));
  removeAtExit(scratch);
  const own = join(scratch, "git");
  await makeGitDir({ dir: own, head: undefined, format: at.format, bare: true, borrowed: [] });
  await writeDiffRules(own);
  const shallow = at.shallow === undefined ? {} : { shallow: at.shallow };
  const refCall = (args: readonly string[], more: More): GitCall => ({
    args,
    gitDir: at.commonDir,
    commonDir: at.commonDir,
    ...more,
  });
  const contentCall = (args: readonly string[], more: More = {}): GitCall => ({
    args,
    gitDir: own,
    objects: at.objects,
    config: at.inert,
    ...shallow,
    ...more,
  });
  const tryRefs = (args: readonly string[], more: More = {}) => run(scratch, refCall(args, more));
  const must = async (call: GitCall): Promise<string> => {
    const result = await run(scratch, call);
    if (result.status !== 0) throw new GitFailure(call.args, result);
    return result.stdout;
  };
  return {
    at,
    baseRef: branchRef(base),
    place: at.mainWorktree ?? at.path.replace(/\.git$/, ""),
    scratch,
    sandbox: options.sandbox,
    people: options.commits ?? { author: `${IDENTITY} <${MAIL}>`, committer: `${IDENTITY} <${MAIL}>` },
    person: await readPerson((call) => run(scratch, call), at.commonDir, options.env ?? {}),
    signer: storeSigner(options, scratch),
    captureBounds: { ...CAPTURE_BOUNDS, ...options.capture },
    runGit: run,
    run: must,
    start: (call, signal) => run(scratch, call, signal),
    contentCall,
    refs: (args, more = {}) => must(refCall(args, more)),
    tryRefs,
    content: (args, more = {}) => must(contentCall(args, more)),
    tryContent: (args, more = {}) => run(scratch, contentCall(args, more)),
    readBranch: (ref) => readBranch(at.commonDir, ref, tryRefs),
    privateDir: (path) => join(scratch, `w-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`),
  };
}

function storeSigner({ commits }: StoreOptions, scratch: string): Signer | undefined {
  if (commits?.signing === undefined) return undefined;
  return createSigner(commits.signing, { who: commits.committer, scratch, env: commits.env });
}

/**
 * Reads a branch. A loose ref is a file that holds the id, and it wins over packed-refs (gitrepository-layout(5)), so the usual
 * case costs no process; git answers all other cases.
 */
async function readBranch(commonDir: string, ref: string, git: Store["tryRefs"]): Promise<string | undefined> {
  try {
    const loose = (await readFile(join(commonDir, ref), "utf8")).trimEnd();
    if (isObjectId(loose)) return loose;
  } catch (error) {
    if (!isMissing(error) && !isFolder(error)) throw error;
  }
  const args = ["show-ref", "--verify", "--hash", "--", ref];
  const result = await git(args);
  if (result.status === 0) return result.stdout.trim();
  if (result.stderr.includes("not a valid ref")) return undefined;
  throw new GitFailure(args, result);
}

function isFolder(error: unknown): boolean {
  return hasErrorCode(error, "EISDIR");
}

/** Makes sure that loopdash's git folder for a working folder exists, with HEAD at `commit`; without one, a HEAD stays as it is. */
export async function preparePrivateDir(store: Store, dir: string, commit: string | undefined): Promise<void> {
  if (await exists(join(dir, "config"))) return commit === undefined ? undefined : writeHead(dir, commit);
  await makeGitDir({ dir, head: commit, format: store.at.format, bare: false, borrowed: [] });
  await writeDiffRules(dir);
}

const scratchFolders = new Set<string>();

/** A killed process leaves a few kilobytes in the temporary folder; any other end removes them. */
function removeAtExit(folder: string): void {
  if (scratchFolders.size === 0) {
    process.once("exit", () => {
      for (const each of scratchFolders) rmSync(each, { recursive: true, force: true });
    });
  }
  scratchFolders.add(folder);
}

/** Git's record of one linked worktree: `<common>/worktrees/<id>` (gitrepository-layout(5)). */
interface AdminDir {
  readonly dir: string;
  /** The worktree's folder, which may no longer exist. */
  readonly worktree: string;
}

/** The content of a HEAD file. */
type Head = { readonly branch: string } | { readonly commit: string } | undefined;

/** All records of linked worktrees. */
export function adminDirs(commonDir: string): readonly AdminDir[] {
  const parent = join(commonDir, "worktrees");
  return namesIn(parent).flatMap((name) => {
    const dir = join(parent, name);
    const gitFile = readShort(join(dir, "gitdir"), MAX_PATH);
    return gitFile === undefined ? [] : [{ dir, worktree: dirname(resolve(dir, gitFile)) }];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The records of the worktree at `path`, even if its folder no longer exists. */
export async function worktreeRecords(commonDir: string, path: string): Promise<readonly AdminDir[]> {
  const wanted = await resolvedParent(path);
  return adminDirs(commonDir).filter((each) => each.worktree === wanted || each.worktree === path);
}

/** Reads HEAD of a git folder: a branch by its full ref, a commit, or undefined if it is neither or missing. */
export function readHead(gitDir: string): Head {
  const text = readShort(join(gitDir, "HEAD"));
  if (text === undefined) return undefined;
  if (isObjectId(text)) return { commit: text };
  const branch = text.startsWith("ref: refs/heads/") ? text.slice("ref: ".length) : "";
  return unfitBranchName(branch.slice("refs/heads/".length)) === undefined ? { branch } : undefined;
}

/** Longest content of a file that names a ref or a commit. Bytes. */
const MAX_SHORT = 1_000;
/** Longest content of a file that holds a path. Bytes. */
export const MAX_PATH = 5_000;

/**
 * The text of a short file that a worker may have replaced, or undefined if there is none. A pipe in its place does not block,
 * and of a huge file only as much is read as a ref can be long. It reads at once: some 50 of them are
 * read for each ticket, and each would be four calls in a thread.
 */
export function readShort(path: string, most = MAX_SHORT): string | undefined {
  const file = openShort(path);
  if (file === undefined) return undefined;
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const buffer = Buffer.alloc(most);
    return buffer.toString("utf8", 0, readSync(file, buffer, 0, most, 0)).trimEnd();
  } finally {
    closeSync(file);
  }
}

/** Undefined for a file that is not there, and for a kind that cannot be opened: a socket, a link to itself. */
function openShort(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error) || hasErrorCode(error, "ENXIO", "ELOOP")) return undefined;
    throw error;
  }
}

/** Git records worktrees by their real path; the last part may not exist yet, and must not be followed if it is a link. */
export async function resolvedParent(path: string): Promise<string> {
  const parent = await ifThere(realpath(dirname(path)));
  return parent === undefined ? path : join(parent, basename(path));
}

/** The result of a file operation, or undefined if the file does not exist. */
export async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
