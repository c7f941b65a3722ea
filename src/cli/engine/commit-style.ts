import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IDENTITY, MAIL } from "../../adapters/vcs/git/git-call.ts";
import { createSigner, SigningFailed } from "../../adapters/vcs/landing/sign.ts";
import { gitIdentity } from "../../adapters/vcs/repository/git-identity.ts";
import type { StoreOptions } from "../../adapters/vcs/repository/store.ts";
import type { CommitSpec } from "../../domain/batch/commit-spec.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";

/**
 * The people of the commits that land in a repository, and how these are signed: what the batch says, else what git would do for a
 * commit by hand. Throws a UserError (exit 4) if they must be signed and a trial signature fails.
 */
export async function commitsOf(
  commit: CommitSpec | undefined,
  { name, path, env }: { readonly name: string; readonly path: string; readonly env: NodeJS.ProcessEnv },
): Promise<NonNullable<StoreOptions["commits"]>> {
  const git = await gitIdentity(path, env);
  const author = commit?.author ?? git.author ?? `${IDENTITY} <${MAIL}>`;
  const committer = commit?.committer ?? (commit?.author === undefined ? git.committer : undefined) ?? author;
  const { sign = "auto" } = commit ?? {};
  const isSigned = sign === "auto" ? git.isSigned : sign;
  if (!isSigned) return { author, committer, env };
  const scratch = await mkdtemp(join(tmpdir(), "loopdash-sign-"));
  try {
    await createSigner(git.signing, { who: committer, scratch, env })("a trial\n");
  } catch (error) {
    if (!(error instanceof SigningFailed)) throw error;
    throw new UserError({
      what: `commits in "${name}" must be signed, and a trial failed`,
      why: error.message,
      todo: 'See that `git commit -S` works without a question, or set "commit": {"sign": false} in the batch file.',
      exitCode: EXIT.refused,
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return { author, committer, env, signing: git.signing };
}
