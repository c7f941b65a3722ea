import { execa } from "execa";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { resolveProgram } from "../../adapters/executor/resolve-program.ts";
import { bad, type Finding, ok } from "./finding.ts";

/** `git merge-tree --write-tree` came with 2.38 (git's release notes); openRepo refuses older ones too. */
const OLDEST = [2, 38] as const;
const INSTALL = `Install git ${OLDEST.join(".")} or newer and see that it comes first on PATH.`;

/** The git on PATH. An identity is not asked for: loopdash gives its own. */
export async function checkGit(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const children = allowedEnvironment(env, {});
  const git = await resolveProgram("git", { cwd: "/", path: children["PATH"] ?? "" });
  if (git === undefined) return [bad("git", "no git program is on PATH", INSTALL)];
  const options = { env: children, extendEnv: false, reject: false, stdin: "ignore", timeout: 20_000 } as const;
  const { exitCode, stdout } = await execa(git, ["--version"], options);
  const [, version, major = "0", minor = "0"] = /^git version ((\d+)\.(\d+)\S*)/.exec(stdout) ?? [];
  if (exitCode !== 0 || version === undefined) return [bad("git", `${git} does not tell its version`, INSTALL)];
  const enough = Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]);
  const found = `${version} (${git})`;
  return [enough ? ok("git", found) : bad("git", `${found} cannot merge without a checkout`, INSTALL)];
}
