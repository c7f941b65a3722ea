import { runBriefly } from "../../adapters/executor/brief-run.ts";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { resolveProgram } from "../../adapters/executor/resolve-program.ts";
import { gitVersionIn, OLDEST_GIT } from "../../adapters/vcs/git/git-version.ts";
import { bad, type CheckResult, ok } from "./check-result.ts";

const INSTALL = `Install git ${OLDEST_GIT} or newer and see that it comes first on PATH.`;

/** Checks the git on PATH. An identity is not required: loopdash sets its own. */
export async function checkGit(env: NodeJS.ProcessEnv): Promise<readonly CheckResult[]> {
  const children = allowedEnvironment(env, {});
  const git = await resolveProgram("git", { cwd: "/", path: children["PATH"] ?? "" });
  if (git === undefined) return [bad("git", "no git program is on PATH", INSTALL)];
  const { exitCode, stdout } = await runBriefly([git, "--version"], { env: children, timeoutMs: 20_000 });
  const told = gitVersionIn(stdout);
  if (exitCode !== 0 || told === undefined) return [bad("git", `${git} does not tell its version`, INSTALL)];
  const found = `${told.version} (${git})`;
  return [told.isEnough ? ok("git", found) : bad("git", `${found} cannot merge without a checkout`, INSTALL)];
}
