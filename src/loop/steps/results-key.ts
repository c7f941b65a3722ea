import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { prepareCommands } from "../../domain/batch/prepare-command.ts";
import { listPreparePrograms } from "../../domain/batch/prepare-inputs.ts";
import type { Check } from "../../domain/batch/step-spec.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { ProgramContext } from "../programs/scope.ts";

/** Programs that commands start without naming them: through a shell, a script or a Makefile. */
const USUAL = "bash bun cargo deno dotnet gcc go java make node npm php python3 ruby rustc".split(" ");

/** All that a check's result depends on beside the tree, as far as loopdash knows it. */
export interface CheckEnvironment {
  readonly hash: string;
  /** True if what lies outside is known well enough for another run of loopdash. */
  readonly isSure: boolean;
}

/** The environment of a check: its command, report and preparation, variables, programs, and the sandbox with its policy. */
export async function checkEnvironment(ctx: ProgramContext, repo: Repo, step: Check): Promise<CheckEnvironment> {
  const { batch, commandEnv, confined, preparedTrees } = ctx;
  const spec = batch.repos[repo.id];
  const prepare = spec?.prepare ?? [];
  const copied = (spec?.copy ?? []).filter(({ for: readers = ["check"] }) => readers.includes("check"));
  const { read = [], write = [], hosts = {} } = batch.sandboxPolicy ?? {};
  const path = ctx.toolchainPaths.get(repo.id);
  const env = path === undefined ? commandEnv : { ...commandEnv, PATH: path };
  const commands = [step.command, ...prepareCommands(prepare)];
  const outside = await preparedTrees?.identityOf({
    programs: [...new Set([...listPreparePrograms(commands), ...USUAL])],
    paths: [...read, ...copied.map(({ from }) => from), ...commands.flat().filter((word) => isAbsolute(word))].toSorted(),
    env,
  });
  const { name, command, report, writes } = step;
  const all = {
    ...{ name, command, report, writes, prepare, copied, place: repo.place, confined },
    policy: { read, write, hosts: [hosts["prepare"] ?? [], hosts[name] ?? []] },
    env: Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    outside: outside?.identity,
    machine: [process.platform, process.arch],
  };
  const hash = createHash("sha256").update(JSON.stringify(all)).digest("hex");
  // Folders that commands may write could hold anything the next time.
  const isSure = confined && spec?.cache !== false && write.length === 0 && outside?.problem === undefined;
  return { hash, isSure };
}
