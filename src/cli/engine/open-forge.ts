import { SecretUnavailable } from "@loopdash/model-gateway";
import { createBranchChecks } from "../../adapters/forge/github/branch-checks.ts";
import { checkRepository } from "../../adapters/forge/github/check-repository.ts";
import { createPullRequests, type GitHubPullRequests } from "../../adapters/forge/github/pull-requests.ts";
import { createPushForge, withForge } from "../../adapters/forge/push-forge.ts";
import { remoteProtocol } from "../../adapters/vcs/remote/remote-access.ts";
import type { RepoWithRemotes } from "../../adapters/vcs/repository/git-repo.ts";
import type { ForgeSpec, RemoteForgeSpec } from "../../domain/batch/forge-spec.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { TOKEN_OF } from "../../domain/batch/tracker-spec.ts";
import { remoteHost } from "../../domain/values/repo-address.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { BranchTarget } from "../../loop/steps/branch-checks.ts";
import type { PullRequestTarget } from "../../loop/steps/pull-request-scope.ts";
import { ForgeUnavailable } from "../../ports/forge.ts";
import { type GitRemote, type RemoteCredentials, type Repo, RepoUnavailable } from "../../ports/vcs.ts";
import type { RunSecrets } from "./run-secrets.ts";

/** The user name that goes with a token, unless the batch names another: GitHub's for tokens of apps, which its other tokens take too. */
const TOKEN_USER = "x-access-token";

/** A repository as a run uses it, and the place of its forge for people, if changes land there too. */
export interface ForgedRepo {
  readonly repo: Repo;
  readonly place?: string;
  /** Set if changes land by pull requests. */
  readonly pullRequests?: PullRequestTarget;
  /** Set if the checks of the branch decide. */
  readonly branchChecks?: BranchTarget;
}

/**
 * The repository as the run uses it: what the batch says of its forge decides where changes land. Brings its base up to date. Throws a
 * UserError (exit 4) if the forge cannot be reached, the base cannot follow it, or its rules refuse the reverts of `onBroken`. "look" makes the same checks and moves no branch:
 * the repository that it gives is this machine's.
 */
export async function openForge(
  repo: RepoWithRemotes,
  spec: ForgeSpec | undefined,
  secrets: RunSecrets | undefined,
  { how = "move", onBroken }: { readonly how?: "move" | "look"; readonly onBroken?: Batch["onBroken"] } = {},
): Promise<ForgedRepo> {
  if (spec === undefined || spec.kind === "local") return { repo };
  const credentials = credentialsOf(spec, secrets);
  const remote = await remoteOf(repo, spec, credentials);
  if (spec.kind !== "push" && spec.baseUrl === undefined) await refuseForeignHost(repo, spec.remote);
  const forge = createPushForge({ repo, remote });
  const unsynced = await reachable(repo, async () => {
    const isRead = spec.kind === "github-branch" && spec.fixMode === "report-only";
    if (!isRead) await remote.checkWritable(repo.base);
    return forge.sync(how);
  });
  if (unsynced !== undefined) {
    const push = `Push it, and start again: git push ${spec.remote} ${repo.base}`;
    throw refused(
      repo,
      unsynced.why,
      unsynced.isMissing ? plainText(push, 300) : "Bring the two together, and start again: changes land on both.",
    );
  }
  const forged = { repo: how === "look" ? repo : withForge(repo, forge), place: remote.name };
  if (spec.kind === "push") return forged;
  await refuseUnfit(repo, spec, { remote, credentials });
  if (spec.kind === "github-branch") return { ...forged, branchChecks: branchChecksOf(repo, spec, { remote, credentials }) };
  const { pulls, ...opened } = pullRequestsOf(repo, spec, { remote, credentials });
  if (onBroken === "revert" && (await reachable(repo, () => pulls.baseRefusesPushes()))) {
    const why = `"onBroken": "revert" pushes a revert to ${repo.base}, and rules of ${pulls.name} take changes by pull requests alone`;
    throw refused(
      repo,
      why,
      'Take "onBroken" out of the batch file: a landed change that breaks its base then waits for a person.',
    );
  }
  return { ...forged, ...opened };
}

type GitHubForge = Extract<ForgeSpec, { kind: "github" }>;
type BranchForge = Extract<ForgeSpec, { kind: "github-branch" }>;

/** A token for GitHub's API may go to git as well, if that is reached by http; ssh has keys of its own. */
async function remoteOf(
  repo: RepoWithRemotes,
  spec: RemoteForgeSpec,
  credentials: RemoteCredentials | undefined,
): Promise<GitRemote> {
  const isByHttp = spec.kind === "push" || /^https?:/.test((await repo.remoteAddress(spec.remote)) ?? "");
  return repo.remote({ name: spec.remote, credentials: credentials !== undefined && isByHttp ? credentials : undefined });
}

/** Without a `baseUrl`, the token goes to github.com's API: that of another server must not. Throws a UserError (exit 4). */
async function refuseForeignHost(repo: RepoWithRemotes, name: string): Promise<void> {
  const address = (await repo.remoteAddress(name)) ?? "";
  if (remoteProtocol(address) === "file") return;
  const host = remoteHost(address);
  if (host === "github.com") return;
  const why = `the remote "${name}" is at ${host ?? "an unknown host"}, and without "baseUrl" its token would go to api.github.com`;
  const todo =
    'Name "baseUrl" in its forge: "https://HOST/api/v3" for a GitHub Enterprise Server, or "https://api.github.com" if the host is github.com by another name.';
  throw refused(repo, why, todo);
}

/**
 * Asks GitHub for the repository before an agent works for it. If GitHub only asks to wait, the start goes on: the run waits, too.
 * Throws a UserError (exit 4).
 */
async function refuseUnfit(
  repo: Repo,
  spec: GitHubForge | BranchForge,
  at: { readonly remote: GitRemote; readonly credentials: RemoteCredentials | undefined },
): Promise<void> {
  const access = accessOf(repo, spec, at);
  try {
    // The checks of a branch are read alone: its pushes are git's.
    const unfit = await checkRepository(access, { writes: spec.kind === "github" });
    if (unfit !== undefined) throw refused(repo, unfit.why, unfit.todo);
  } catch (error) {
    if (error instanceof ForgeUnavailable && error.retryAt !== undefined) return;
    if (!(error instanceof ForgeUnavailable || error instanceof SecretUnavailable)) throw error;
    const todo = 'See that "baseUrl" is its API if its forge has one, and that the token is valid and may read and write there.';
    throw refused(repo, errorMessage(error), todo);
  }
}

function pullRequestsOf(
  repo: Repo,
  spec: GitHubForge,
  { remote, credentials }: { readonly remote: GitRemote; readonly credentials: RemoteCredentials | undefined },
): { readonly pulls: GitHubPullRequests; readonly place: string; readonly pullRequests: PullRequestTarget } {
  const access = accessOf(repo, spec, { remote, credentials });
  const { base } = repo;
  const pulls = createPullRequests({ ...access, base, method: spec.method, remote });
  const times = { appearMs: spec.appearMinutes * 60_000, stillMs: spec.stillMinutes * 60_000 };
  const rules = { base, checks: spec.checks, approvals: spec.approvals, ...times };
  return { pulls, place: `${pulls.name} by pull requests`, pullRequests: { pulls, rules, histories: new Map() } };
}

function branchChecksOf(
  repo: Repo,
  spec: BranchForge,
  at: { readonly remote: GitRemote; readonly credentials: RemoteCredentials | undefined },
): BranchTarget {
  const { workflow, ignoredRun, pullRequest, fixMode, appearMinutes } = spec;
  const access = accessOf(repo, spec, at);
  return {
    checks: createBranchChecks({ ...access, branch: repo.base, workflow, ignoredRun }),
    ...{ workflow, appearMs: appearMinutes * 60_000, pullRequest, canChange: fixMode === "safe" },
  };
}

/** Gives the access to a repository of GitHub. Throws a UserError (exit 4) if its name or its token is missing. */
function accessOf(
  repo: Repo,
  spec: Pick<GitHubForge, "repo" | "baseUrl">,
  { remote, credentials }: { readonly remote: GitRemote; readonly credentials: RemoteCredentials | undefined },
) {
  const name = spec.repo ?? (repo.url === undefined ? undefined : new URL(repo.url).pathname.slice(1));
  if (name === undefined) {
    const why = `the address of ${remote.name} does not tell which repository of GitHub it is`;
    throw refused(repo, why, 'Name it in its forge: "repo": "owner/name", and "baseUrl" for a GitHub Enterprise Server.');
  }
  if (credentials === undefined)
    throw refused(repo, "its forge has no token", `Set ${TOKEN_OF.github.variable}, or name a secret in its forge.`);
  const token = { get: () => credentials.token(), renew: (old: string) => credentials.renew(old) };
  return { repo: name, baseUrl: spec.baseUrl, token, now: Date.now };
}

async function reachable<T>(repo: Repo, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isAway = [RepoUnavailable, SecretUnavailable, ForgeUnavailable].some((kind) => error instanceof kind);
    if (!isAway) throw error;
    const todo =
      "See that its token, or else `git push` without a question, may push there, or correct its forge in the batch file.";
    throw refused(repo, errorMessage(error), todo);
  }
}

function refused({ id, base }: Repo, why: string, todo: string): UserError {
  const what = `the changes of repository "${id}" cannot land on ${base}`;
  return new UserError({ what, why: plainText(why, 500), todo, exitCode: EXIT.refused });
}

function credentialsOf(
  { token, user = TOKEN_USER }: RemoteForgeSpec,
  secrets: RunSecrets | undefined,
): RemoteCredentials | undefined {
  if (token === undefined || secrets === undefined) return undefined;
  const { get, renew } = secrets.secrets;
  return { user, token: () => get(token), renew: (old) => renew(token, old) };
}
