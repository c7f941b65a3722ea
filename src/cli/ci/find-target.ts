import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { findBranch, type GitHubBranch } from "../../adapters/forge/github/find-branch.ts";
import { isUnreached } from "../../adapters/github/failures.ts";
import type { TokenSource } from "../../adapters/token-source.ts";
import { runGit } from "../../adapters/vcs/git/run-git.ts";
import { originUrl } from "../../adapters/vcs/repository/git-identity.ts";
import { checkoutPlace, exists, findGitDir } from "../../adapters/vcs/repository/locate.ts";
import { TOKEN_OF } from "../../domain/batch/tracker-spec.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { ForgeUnavailable } from "../../ports/forge.ts";
import { type FoundRepository, findRepository } from "../init/repository.ts";
import type { CiFlags } from "./flags.ts";
import { readOrigin, refused, wantedOf } from "./origin.ts";

/** The variable with the token: the one that a forge of a batch has by default. */
const { variable: TOKEN } = TOKEN_OF.github;

/** The variable with the address of the REST API. */
const ADDRESS = "GITHUB_API_URL";

/** The branch that a loop works on: the clone, and its place at GitHub. */
export interface CiTarget extends GitHubBranch {
  readonly repository: FoundRepository;
  /** `owner/name`. */
  readonly fullName: string;
  /** Address of the REST API; undefined for that of github.com. */
  readonly baseUrl: string | undefined;
  readonly token: TokenSource;
}

/**
 * Finds the branch, here and at GitHub. Throws a UserError (exit 4) that says what to do if it may not be worked on: it is the default or
 * a protected branch, the clone has work of a person's that is not there, the pull request is not one of this repository.
 */
export async function findTarget(
  { target, repo: folder }: Pick<CiFlags, "target" | "repo">,
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<CiTarget> {
  const here = await findRepository({ name: undefined, path: folder, base: undefined }, { cwd, env });
  const top = "value" in here ? here.value.path : await topOf(folder, cwd);
  if (top === undefined)
    throw refused("problem" in here ? here.problem : "there is no repository", "Run it in a clone, or name one with --repo.");
  const checkout = await readCheckout(top);
  const origin = readOrigin(await originUrl(top, env), env[ADDRESS]);
  const { fullName, baseUrl } = origin;
  const wanted = wantedOf(target, origin);
  const token = tokenIn(env);
  const found = await askGitHub(() => findBranch({ repo: fullName, baseUrl, token, now: Date.now }, wanted));
  if ("why" in found) throw refused(found.why, found.todo);
  refuseDiffering(found, await tipHere(top, found.branch));
  if (checkout.isDetached) throw refused("no branch is checked out here", `Check it out: git switch ${shown(found.branch)}`);
  if (checkout.isDirty)
    throw refused("the checkout has uncommitted changes", "Commit or stash them: the checks at GitHub see only what is pushed.");
  const repository = await findRepository({ name: undefined, path: top, base: found.branch }, { cwd, env });
  if ("problem" in repository) throw refused(repository.problem, "Check the branch out here.");
  return { ...found, repository: repository.value, fullName, baseUrl, token };
}

function tokenIn(env: NodeJS.ProcessEnv): TokenSource {
  const token = (env[TOKEN] ?? "").trim();
  if (token === "")
    throw refused(`${TOKEN} is not set`, "Set it to a token that may write contents and read checks and actions.");
  return { get: () => Promise.resolve(token), renew: () => Promise.resolve(token) };
}

async function topOf(folder: string, cwd: string): Promise<string | undefined> {
  const real = await realpath(resolve(cwd, folder)).catch(() => undefined);
  return real !== undefined && (await exists(join(real, ".git"))) ? real : undefined;
}

/** The state of the checkout. A bare repository has none. */
async function readCheckout(top: string): Promise<{ readonly isDetached: boolean; readonly isDirty: boolean }> {
  const gitDir = join(top, ".git");
  if (!(await exists(gitDir))) return { isDetached: false, isDirty: false };
  const at = await checkoutPlace(top, gitDir);
  const head = await runGit(top, { ...at, args: ["symbolic-ref", "-q", "HEAD"] });
  const args = ["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=dirty"];
  const status = await runGit(top, { ...at, args });
  if (status.status !== 0)
    throw refused(`git cannot read the checkout: ${plainText(status.stderr, 200)}`, "See what `git status` says.");
  return { isDetached: head.status !== 0, isDirty: status.stdout.trim() !== "" };
}

async function tipHere(top: string, branch: string): Promise<string | undefined> {
  const gitDir = await findGitDir(top);
  const { status, stdout } = await runGit(top, { gitDir, args: ["rev-parse", "-q", "--verify", `refs/heads/${branch}`] });
  return status === 0 ? stdout.trim() : undefined;
}

/** Asks GitHub before anything is started. Throws a UserError (exit 4) if it gives no answer. */
export async function askGitHub<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ForgeUnavailable)) throw error;
    const todo = isUnreached(error)
      ? `See that this machine reaches that address, and that ${ADDRESS} is right if it is set; then try again.`
      : `See that ${TOKEN} may read the repository, and try again.`;
    throw refused(plainText(errorMessage(error), 300), todo);
  }
}

function refuseDiffering({ branch, tip }: GitHubBranch, here: string | undefined): void {
  const name = shown(branch);
  if (here === undefined) throw refused(`${name} is not in this clone`, `Get it: git fetch origin ${name} && git switch ${name}`);
  if (here === tip) return;
  const todo = `Bring the two together: git switch ${name} && git pull, then git push.`;
  throw refused(`${name} here and at GitHub are at different commits`, todo);
}

function shown(branch: string): string {
  return plainText(branch, 100);
}
