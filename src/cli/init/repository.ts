import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { GitFailure } from "../../adapters/vcs/git/git-call.ts";
import { mustGit, runGit } from "../../adapters/vcs/git/run-git.ts";
import { originUrl } from "../../adapters/vcs/repository/git-identity.ts";
import { exists, findGitDir } from "../../adapters/vcs/repository/locate.ts";
import type { Argv } from "../../domain/batch/prepare-command.ts";
import { findTestCommand } from "../../domain/batch/test-command.ts";
import { RepoId, unfitForBranch } from "../../domain/values/ids.ts";
import { remoteRepository } from "../../domain/values/repo-address.ts";
import { plainText } from "../../domain/values/text.ts";
import { readBaseFiles } from "../engine/base-files.ts";
import { closePath } from "../safe-path.ts";
import type { ParsedAnswer } from "./interview.ts";
import { PREPARE_FILES, type Preparation, preparationOf } from "./prepare-commands.ts";

/** A repository that a person names: `app=../app#release`; the name and the branch may be left out. */
interface RepositoryRequest {
  readonly name: string | undefined;
  readonly path: string;
  readonly base: string | undefined;
}

/** A repository on this machine, and what its base branch tells. */
export interface FoundRepository {
  /** The batch's name for it. */
  readonly name: string;
  /** The real path of its top folder. */
  readonly path: string;
  /** A local branch. */
  readonly base: string;
  /** The host and `owner/name` of the remote `origin`. */
  readonly remote: { readonly host: string; readonly fullName: string } | undefined;
  readonly preparation: Preparation;
  /** The command of its own tests; undefined if its files name none. */
  readonly test: Argv | undefined;
}

/** Branches that changes usually land on, if the remote does not tell. */
const USUAL_BASES = ["main", "master", "trunk", "develop"];

/** The most repositories below a folder that are offered. */
const MOST_OFFERED = 20;

/** Reads `[name=]path[#branch]`. */
export function repositoryRequest(text: string): RepositoryRequest {
  const [, name, path = "", base] = /^(?:([\w.-]+)=)?(.*?)(?:#([^#]+))?$/s.exec(text.trim()) ?? [];
  return { name, path, base };
}

/** Looks at the repository that holds a folder. Starts git, and reads nothing but the repository and git's configuration. */
export async function findRepository(
  request: RepositoryRequest,
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<ParsedAnswer<FoundRepository>> {
  const shown = plainText(request.path, 200);
  const top = await topOf(resolve(cwd, request.path));
  if (top === undefined) return { problem: `${shown} is in no git repository` };
  try {
    const { base, bases } = await basesOf(top, request.base);
    if (base === undefined) return { problem: `${shown} ${noBase(request.base, bases)}` };
    const name = request.name ?? nameFor(basename(top).replace(/\.git$/, ""));
    const unfit = unfitForBranch(name);
    if (unfit !== undefined) return { problem: `${name} cannot name a repository: ${unfit}` };
    return { value: { name, path: top, base, remote: remoteName(await originUrl(top, env)), ...(await setUpOf(top, base)) } };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return { problem: `${shown} cannot be read: ${error.message}` };
  }
}

/** The top folders of repositories directly below a folder. */
export async function repositoriesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
  const found = await Promise.all(names.map((name) => exists(join(folder, name, ".git"))));
  return names
    .filter((_, i) => found[i])
    .toSorted()
    .slice(0, MOST_OFFERED);
}

/** A name that ids may have, made from any text. */
export function nameFor(text: string): string {
  const name = text
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replaceAll(/^[^A-Za-z0-9]+|(?<!-)-+$/g, "")
    .slice(0, 40);
  return RepoId.safeParse(name).success ? name : "app";
}

/** The nearest folder with a `.git`, upwards, or a bare repository. Its real path. Closes PATH to its files before git looks into it. */
export async function topOf(folder: string): Promise<string | undefined> {
  const top = await nearestTop(folder);
  if (top !== undefined) closePath(process.env, [top]);
  return top;
}

async function nearestTop(folder: string): Promise<string | undefined> {
  if (!(await exists(folder))) return undefined;
  const real = await realpath(folder);
  for (let place = real; ; place = dirname(place)) {
    if (await exists(join(place, ".git"))) return place;
    if (place === dirname(place)) break;
  }
  const isBare = (await Promise.all(["HEAD", "objects", "refs"].map((name) => exists(join(real, name))))).every(Boolean);
  return isBare ? real : undefined;
}

/** The local branches, and the one that changes land on: the named one, else that of the remote, a usual one, or the present one. */
async function basesOf(top: string, named: string | undefined): Promise<{ base: string | undefined; bases: readonly string[] }> {
  const gitDir = await findGitDir(top);
  const symbolic = async (ref: string) => (await runGit(top, { gitDir, args: ["symbolic-ref", "-q", ref] })).stdout.trim();
  const listed = await mustGit(top, { gitDir, args: ["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/"] });
  const bases = listed.split("\n").filter((name) => name !== "");
  const [remote, head] = await Promise.all([symbolic("refs/remotes/origin/HEAD"), symbolic("HEAD")]);
  const likely = [remote.replace(/^refs\/remotes\/origin\//, ""), ...USUAL_BASES, head.replace(/^refs\/heads\//, "")];
  const base = (named === undefined ? likely : [named]).find((name) => bases.includes(name));
  return { base, bases };
}

function noBase(named: string | undefined, bases: readonly string[]): string {
  if (bases.length === 0) return "has no commit on a local branch: make one first";
  return named === undefined ? "has no branch main: name one as path#branch" : `has no local branch ${plainText(named, 100)}`;
}

/**
 * The host and `owner/name` of a remote's address; undefined if it has another form. The address may hold a password: nothing else of
 * it is kept.
 */
export function remoteName(address: string): FoundRepository["remote"] {
  const { host, names = [] } = remoteRepository(address) ?? {};
  return host === undefined || names.length !== 2 ? undefined : { host, fullName: names.join("/") };
}

async function setUpOf(path: string, base: string): Promise<Pick<FoundRepository, "preparation" | "test">> {
  const read = await readBaseFiles({ path, base }, PREPARE_FILES);
  // A lockfile beyond the limit counts by being there, as in `findTestCommands`.
  const files = new Map([...read].map(([name, file]) => [name, file === "too large" ? "" : file.text]));
  const preparation = preparationOf(files);
  const test = findTestCommand(files);
  const own = test?.[0] === "python3" && preparation.python !== undefined ? [preparation.python, ...test.slice(1)] : test;
  return { preparation, test: own };
}
