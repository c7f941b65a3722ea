import { delimiter } from "node:path";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { resolveProgram } from "../../adapters/executor/resolve-program.ts";
import type { RunGit } from "../../adapters/vcs/git-helper.ts";
import { openRepo } from "../../adapters/vcs/git-repo.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { RepoId } from "../../domain/ids.ts";
import { EXIT, UserError } from "../../domain/user-error.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { LoadedBatch } from "./load-batch.ts";

/** What a batch needs around it, found and opened. */
export interface World {
  readonly repos: ReadonlyMap<string, Repo>;
  readonly commandEnv: Readonly<Record<string, string>>;
}

/**
 * Looks at everything a run will need before anything starts. Throws a UserError (exit 4) at the first thing
 * missing. `git` runs git; default: this process.
 */
export async function checkWorld(loaded: LoadedBatch, env: NodeJS.ProcessEnv, git?: RunGit): Promise<World> {
  const { batch } = loaded;
  refuseSandbox(batch);
  const commandEnv = allowedEnvironment(env, {});
  await findAgent(loaded, commandEnv);
  const repos = new Map<string, Repo>();
  for (const [name, { path, base }] of Object.entries(batch.repos)) {
    repos.set(name, await openRepo({ id: RepoId.parse(name), path, base, ...(git === undefined ? {} : { run: git }) }));
  }
  return { repos, commandEnv };
}

/** This version has no sandbox. A batch that requires one is refused, never run without (law 4). */
function refuseSandbox(batch: Batch): void {
  if (batch.sandbox !== "required") return;
  throw new UserError({
    what: "the batch requires a sandbox and there is none",
    why: 'this version of loopdash has no sandbox yet, and "sandbox" is "required" (the default)',
    todo: 'Set "sandbox": "auto" or "off" in the batch file if agents and checks may run with your own rights.',
    exitCode: EXIT.refused,
  });
}

async function findAgent({ batch, folder }: LoadedBatch, env: Readonly<Record<string, string>>): Promise<void> {
  const program = batch.agent.command[0] as string;
  const path = env.PATH ?? "";
  if ((await resolveProgram(program, { cwd: folder, path })) !== undefined) return;
  const where = program.includes("/")
    ? "there is no such executable file"
    : `none of the ${path.split(delimiter).length} folders of PATH has it`;
  const todo = "Install the program, or name it by its full path in agent.command.";
  throw new UserError({ what: `the agent program "${program}" is not found`, why: where, todo, exitCode: EXIT.refused });
}
