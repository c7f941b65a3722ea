import { delimiter } from "node:path";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { resolveProgram } from "../../adapters/executor/resolve-program.ts";
import type { RunGit } from "../../adapters/vcs/git-helper.ts";
import { openRepo } from "../../adapters/vcs/git-repo.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { RepoId } from "../../domain/ids.ts";
import { EXIT, UserError } from "../../domain/user-error.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import type { Repo } from "../../ports/vcs.ts";
import { stateHome } from "../state-home.ts";
import type { LoadedBatch } from "./load-batch.ts";

/** What a batch needs around it, found and opened. */
export interface World {
  /** What agents and commands run in; undefined where the batch wants none, or does without. */
  readonly sandbox: Sandbox | undefined;
  readonly repos: ReadonlyMap<string, Repo>;
  readonly commandEnv: Readonly<Record<string, string>>;
}

/**
 * Looks at everything a run will need before anything starts. Throws a UserError (exit 4) at the first thing
 * missing. `git` runs git; default: this process.
 */
export async function checkWorld(
  loaded: LoadedBatch,
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
  git?: RunGit,
): Promise<World> {
  const { batch } = loaded;
  const commandEnv = allowedEnvironment(env, {});
  const sandbox = await sandboxOf(batch, { env, cwd, path: commandEnv.PATH ?? "" });
  await findAgent(loaded, commandEnv);
  const repos = new Map<string, Repo>();
  for (const [name, { path, base }] of Object.entries(batch.repos)) {
    repos.set(name, await openRepo({ id: RepoId.parse(name), path, base, ...(git === undefined ? {} : { run: git }) }));
  }
  return { sandbox, repos, commandEnv };
}

/**
 * The sandbox of a run. It hides the state folder and a folder of tickets: both judge the agents. Throws a UserError (exit 4)
 * where the batch requires one and there is none: it is never run without (law 4).
 */
async function sandboxOf(
  { sandbox, tracker }: Batch,
  of: { readonly env: NodeJS.ProcessEnv; readonly cwd: string; readonly path: string },
): Promise<Sandbox | undefined> {
  if (sandbox === "off") return undefined;
  const hide = tracker.path === undefined ? [] : [tracker.path];
  const home = of.env["HOME"];
  const state = stateHome(of.env, of.cwd).root;
  const { findSandbox } = await import("../../adapters/sandbox/find-sandbox.ts");
  const found = await findSandbox({ path: of.path, state, hide, ...(home === undefined ? {} : { home }) });
  if (found.ok) return found.sandbox;
  if (sandbox === "auto") return undefined;
  throw new UserError({
    what: 'the batch requires a sandbox and there is none ("sandbox": "required" is the default)',
    why: found.why,
    todo: `${found.todo} Or set "sandbox": "auto" or "off" in the batch file if agents and checks may run with your own rights.`,
    exitCode: EXIT.refused,
  });
}

/** The path of the agent's program, as a child would find it. Throws a UserError (exit 4) where there is none. */
export async function findAgent({ batch, folder }: LoadedBatch, env: Readonly<Record<string, string>>): Promise<string> {
  const program = batch.agent.command[0] as string;
  const path = env.PATH ?? "";
  const found = await resolveProgram(program, { cwd: folder, path });
  if (found !== undefined) return found;
  const where = program.includes("/")
    ? "there is no such executable file"
    : `none of the ${path.split(delimiter).length} folders of PATH has it`;
  const todo = "Install the program, or name it by its full path in agent.command.";
  throw new UserError({ what: `the agent program "${program}" is not found`, why: where, todo, exitCode: EXIT.refused });
}
