import { z } from "zod";
import { plainText } from "../../../domain/values/text.ts";
import type { ClientOptions } from "../../github/client.ts";
import { GitHubRefusal } from "../../github/failures.ts";
import { plainUrl } from "./checks.ts";
import { GitHubRepository, reached } from "./repository.ts";

/** A branch of a repository of GitHub. */
export interface GitHubBranch {
  readonly branch: string;
  readonly tip: string;
  /** Its open pull request, if it has one. */
  readonly pullRequest?: { readonly number: number; readonly url: string };
}

/** The reason why a branch cannot be worked on, and what to do. Safe for a terminal. */
export interface UnfitBranch {
  readonly why: string;
  readonly todo: string;
}

const Repository = z.object({ default_branch: z.string() });
const Branch = z.object({ commit: z.object({ sha: z.string() }), protected: z.boolean() });
const Pull = z.object({
  number: z.number(),
  html_url: z.string(),
  state: z.enum(["open", "closed"]),
  merged_at: z.string().nullable(),
  head: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }).nullable() }),
});
type Pull = z.infer<typeof Pull>;

/**
 * Finds a branch by its name, or by its pull request, and refuses one that nobody may push to by hand. Throws a ForgeUnavailable if GitHub
 * cannot be asked.
 */
export async function findBranch(
  { repo, ...access }: Omit<ClientOptions, "rights"> & { readonly repo: string },
  wanted: string | number,
): Promise<GitHubBranch | UnfitBranch> {
  return reached(branchIn(new GitHubRepository(repo, access), wanted));
}

async function branchIn(repository: GitHubRepository, wanted: string | number): Promise<GitHubBranch | UnfitBranch> {
  if (typeof wanted === "string") return fitBranch(repository, wanted, await findOpenPull(repository, wanted));
  const pull = await readPull(repository, wanted);
  return unfitPull(repository, wanted, pull) ?? fitBranch(repository, pull?.head.ref ?? "", pull);
}

async function fitBranch(
  repository: GitHubRepository,
  branch: string,
  pull: Pull | undefined,
): Promise<GitHubBranch | UnfitBranch> {
  const shown = plainText(branch, 100);
  const { default_branch } = await repository.read("read the repository", Repository, (rest, name) =>
    rest.repos.get({ ...name }),
  );
  if (branch === default_branch)
    return { why: `${shown} is the default branch`, todo: "Name another branch: nobody should push repairs to this one." };
  const found = await orMissing(
    repository.read("read the branch", Branch, (rest, name) => rest.repos.getBranch({ ...name, branch })),
  );
  if (found === undefined)
    return { why: `${repository.fullName} has no branch ${shown}`, todo: `Push it: git push -u origin ${shown}` };
  if (found.protected)
    return { why: `${shown} is a protected branch`, todo: "Name a branch that takes pushes, such as that of a pull request." };
  const own = pull && { pullRequest: { number: pull.number, url: plainUrl(pull.html_url) } };
  return { branch, tip: found.commit.sha, ...own };
}

function unfitPull({ fullName }: GitHubRepository, number: number, pull: Pull | undefined): UnfitBranch | undefined {
  const name = `pull request #${number}`;
  if (pull === undefined) return { why: `${fullName} has no ${name}`, todo: "Name a branch, or another number." };
  if (pull.merged_at !== null) return { why: `${name} is merged`, todo: "Name one that is open." };
  if (pull.state === "closed") return { why: `${name} is closed`, todo: "Reopen it, or name one that is open." };
  if (pull.head.repo?.full_name.toLowerCase() === fullName.toLowerCase()) return undefined;
  const todo = "Run loopdash in a clone of the fork, whose branch it is.";
  return { why: `${name} is from a fork, and nothing is pushed there`, todo };
}

function readPull(repository: GitHubRepository, pull_number: number): Promise<Pull | undefined> {
  return orMissing(repository.read("read the pull request", Pull, (rest, name) => rest.pulls.get({ ...name, pull_number })));
}

async function findOpenPull(repository: GitHubRepository, branch: string): Promise<Pull | undefined> {
  const head = `${repository.owner}:${branch}`;
  const pulls = await repository.read("list its pull requests", z.array(Pull), (rest, name) =>
    rest.pulls.list({ ...name, head, state: "open", per_page: 10 }),
  );
  // GitHub ignores a filter that it does not understand.
  return pulls.find(
    (pull) => pull.head.ref === branch && pull.head.repo?.full_name.toLowerCase() === repository.fullName.toLowerCase(),
  );
}

async function orMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GitHubRefusal && error.status === 404) return undefined;
    throw error;
  }
}
