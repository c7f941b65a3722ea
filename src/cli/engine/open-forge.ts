import { createPushForge, withForge } from "../../adapters/forge/push-forge.ts";
import type { RepoWithRemotes } from "../../adapters/vcs/repository/git-repo.ts";
import type { ForgeSpec, RemoteForgeSpec } from "../../domain/batch/forge-spec.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { SecretUnavailable } from "../../ports/secrets.ts";
import { type RemoteCredentials, type Repo, RepoUnavailable } from "../../ports/vcs.ts";
import type { RunSecrets } from "./run-secrets.ts";

/** The user name that goes with a token, unless the batch names another: GitHub's for tokens of apps, which its other tokens take too. */
const TOKEN_USER = "x-access-token";

/** A repository as the run uses it, and the place of its forge for people, if changes land there too. */
interface ForgedRepo {
  readonly repo: Repo;
  readonly place?: string;
}

/**
 * The repository as the run uses it: what the batch says of its forge decides where changes land. Brings its base up to date. Throws a
 * UserError (exit 4) if the forge cannot be reached, or the base cannot follow it. "look" makes the same checks and moves no branch:
 * the repository that it gives is this machine's.
 */
export async function openForge(
  repo: RepoWithRemotes,
  spec: ForgeSpec | undefined,
  secrets: RunSecrets | undefined,
  how: "move" | "look" = "move",
): Promise<ForgedRepo> {
  if (spec === undefined || spec.kind === "local") return { repo };
  const remote = await repo.remote({ name: spec.remote, ...credentialsOf(spec, secrets) });
  const forge = createPushForge({ repo, remote });
  const reason = await reachable(repo, async () => {
    await remote.checkWritable(repo.base);
    return forge.sync(how);
  });
  if (reason === undefined) return { repo: how === "look" ? repo : withForge(repo, forge), place: remote.name };
  throw refused(repo, reason, "Bring the two together, and start again: changes land on both.");
}

async function reachable<T>(repo: Repo, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RepoUnavailable) && !(error instanceof SecretUnavailable)) throw error;
    throw refused(
      repo,
      errorMessage(error),
      "See that `git push` works there without a question, or correct its forge in the batch file.",
    );
  }
}

function refused({ id, base }: Repo, why: string, todo: string): UserError {
  const what = `the changes of repository "${id}" cannot land on ${base}`;
  return new UserError({ what, why: plainText(why, 500), todo, exitCode: EXIT.refused });
}

function credentialsOf(
  { token, user = TOKEN_USER }: RemoteForgeSpec,
  secrets: RunSecrets | undefined,
): { credentials?: RemoteCredentials } {
  if (token === undefined || secrets === undefined) return {};
  const { get, renew } = secrets.secrets;
  return { credentials: { user, token: () => get(token), renew: (refusedToken) => renew(token, refusedToken) } };
}
