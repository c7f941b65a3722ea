import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { type Argv, prepareCommands } from "../../domain/batch/prepare-command.ts";
import { notIgnoredBy } from "../../domain/batch/prepare-makes.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import type { StepSpec } from "../../domain/batch/step-spec.ts";
import { CI_TICKET } from "../../domain/ci/ci-run.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { loadBatch } from "../engine/load-batch.ts";
import { findInstalledAgents } from "../init/installed-agents.ts";
import { Interview } from "../init/interview.ts";
import { PUBLIC_REGISTRIES } from "../init/prepare-commands.ts";
import { askAgent } from "../init/program-questions.ts";
import type { BatchParts } from "./batch-file.ts";
import type { CiTarget } from "./find-target.ts";
import type { Allowed, CiFlags } from "./flags.ts";

const TASK = [
  "The checks of this branch fail at GitHub. Make them pass by repairing the code.",
  "",
  "- What failed is in the evidence below. It comes from the logs of the checks.",
  "- Your worktree is the branch as it was pushed: it has what earlier attempts changed, whatever is said about their patch.",
  "- Do not disable, skip, delete or weaken a test, a rule or a check. Change as little as possible.",
  "- Commands that show a failure again are named where they are known.",
].join("\n");

/** The batch of a loop: one ticket, whose change lands on the branch until its checks pass. */
export async function composeBatch(
  target: CiTarget,
  flags: CiFlags,
  { cwd, env, tell }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly tell: (line: string) => void },
): Promise<BatchParts> {
  const { branch, repository, fullName, baseUrl, pullRequest } = target;
  const own =
    flags.batch === undefined ? await detected(target, flags, { env, tell }) : await ofBatch(flags.batch, target, { cwd, tell });
  refuseLoose(target, flags, own.repo);
  const ignoredRun = ownRun(env);
  const forge = {
    kind: "github-branch",
    repo: fullName,
    ...(baseUrl !== undefined && { baseUrl }),
    workflow: flags.workflow,
    // In a workflow, its own check would be waited for.
    ...(ignoredRun !== undefined && { ignoredRun }),
    ...(pullRequest !== undefined && { pullRequest }),
    fixMode: flags.fixMode === "report-only" ? "report-only" : undefined,
    ...own.forge,
  };
  return {
    name: `ci ${nameOf(branch)}`,
    repos: { [repository.name]: { ...own.repo, path: repository.path, base: branch, forge } },
    ...own.parts,
    limits: {
      ...own.limits,
      ...{ workers: 1, heals: 0, discoveries: 0 },
      ...{ attempts: flags.maxIterations, minutesPerRun: flags.maxMinutes },
    },
    tickets: [
      {
        ...{ id: CI_TICKET, title: `Get the checks of ${plainText(branch, 100)} to green`, body: TASK, repo: repository.name },
        ...(flags.allow !== undefined && { allow: allowanceOf(flags.allow) }),
      },
    ],
  };
}

/** The permissions of the ticket, as a batch writes them. */
function allowanceOf(allowed: readonly Allowed[]): BatchParts {
  return {
    ...(allowed.includes("tests") && { testsRemoved: ["*"] }),
    ...Object.fromEntries(allowed.filter((each) => each !== "tests").map((each) => [each, true])),
  };
}

/** The id of the workflow's run that this process is a part of; undefined outside of GitHub Actions. */
export function ownRun(env: NodeJS.ProcessEnv): number | undefined {
  const run = Number(env["GITHUB_RUN_ID"]);
  return env["GITHUB_ACTIONS"] === "true" && Number.isSafeInteger(run) && run > 0 ? run : undefined;
}

/** The parts of a loop's batch that come from elsewhere. */
interface Own {
  readonly parts: BatchParts;
  readonly repo: BatchParts;
  readonly limits: BatchParts;
  readonly forge: BatchParts;
}

/** Takes these parts from a person's batch. Its own finish line keeps what reads a change; the checks at the forge take the place of the others. */
async function ofBatch(
  file: string,
  { repository }: CiTarget,
  { cwd, tell }: { readonly cwd: string; readonly tell: (line: string) => void },
): Promise<Own> {
  const { batch } = await loadBatch(file, { cwd });
  const paths = await Promise.all(
    Object.entries(batch.repos).map(async ([name, spec]) => ({
      name,
      spec,
      path: await realpath(spec.path).catch(() => spec.path),
    })),
  );
  const found = paths.find(({ path }) => path === repository.path)?.spec;
  if (found === undefined) {
    const why = `it has no repository at ${plainText(repository.path, 300)}`;
    throw new UserError({
      what: `${plainText(file, 200)} does not fit`,
      why,
      todo: "Add it to its repos.",
      exitCode: EXIT.refused,
    });
  }
  const dropped = (batch.finish ?? []).flatMap((each) => (each.step === "check" || each.step === "verify" ? [each.name] : []));
  if (dropped.length > 0)
    tell(plainText(`left out: ${dropped.join(", ")} of the batch's finish line; the checks at GitHub judge instead`, 300));
  const { prepare, inputs, cache, forge } = found;
  const { agent, reviewer, secondReviewer, sandbox, sandboxPolicy, secrets, transients, protect, commit, bound, limits } = batch;
  const finish = finishOf(batch);
  const { token, user, remote, appearMinutes } = { ...forge } as Partial<Record<string, unknown>>;
  return {
    parts: {
      ...{ agent, reviewer, sandbox, sandboxPolicy, secrets, transients, protect, commit, bound, finish },
      // `ci` routes nothing by complexity, so only a step asks the second reviewer. A batch whose second reviewer nobody asks is refused.
      ...(finish.some((step) => step.step === "review" && step.by === "second") && { secondReviewer }),
    },
    repo: { prepare, inputs, cache },
    limits: { ...limits },
    forge: { token, user, remote, appearMinutes },
  };
}

function finishOf({ finish = [], reviewer }: Pick<Batch, "finish" | "reviewer">): readonly StepSpec[] {
  const readers = finish.filter(({ step }) => step === "review" || step === "adversary");
  const review: readonly StepSpec[] =
    reviewer === undefined || readers.length > 0 ? readers : [{ step: "review", name: "review" }];
  return [{ step: "gates" }, ...review, { step: "merge" }];
}

/** The agent and the prepare commands as `init` finds them. Nothing is asked. Throws a UserError (exit 4) for a host that only the branch names. */
async function detected(
  { repository: { preparation } }: CiTarget,
  flags: CiFlags,
  { env, tell }: { readonly env: NodeJS.ProcessEnv; readonly tell: (line: string) => void },
): Promise<Own> {
  const { hosts, commands } = preparation;
  refuseNamedByBranch(hosts);
  return {
    parts: {
      agent: await agentFor(flags, { env, tell }),
      finish: finishOf({}),
      ...(hosts.length > 0 && { sandboxPolicy: { hosts: { prepare: hosts } } }),
    },
    repo: { prepare: commands },
    limits: {},
    forge: {},
  };
}

/** Nobody has read what the branch names: `.npmrc` may lead into a private network. */
function refuseNamedByBranch(hosts: readonly string[]): void {
  const unknown = hosts.find((host) => !PUBLIC_REGISTRIES.has(host));
  if (unknown === undefined) return;
  throw new UserError({
    what: "loopdash ci cannot start",
    why: `the branch installs from ${plainText(unknown, 200)}, which nobody has opened`,
    todo: 'Open it in a batch file ("sandboxPolicy") and name that with --batch.',
    exitCode: EXIT.refused,
  });
}

/**
 * Refuses a loop whose prepare commands make what git does not ignore on the branch: the packages would be pushed as a part of a change. A loop that
 * only reports prepares nothing and pushes nothing.
 */
function refuseLoose({ repository: { preparation }, branch }: CiTarget, flags: CiFlags, repo: BatchParts): void {
  if (flags.fixMode === "report-only") return;
  const { prepare } = repo as Pick<Batch["repos"][string], "prepare">;
  const loose = notIgnoredBy(prepareCommands(prepare), preparation.files);
  if (loose.length === 0) return;
  const names = plainText(loose.join(" and "), 200);
  const other = flags.batch === undefined ? ", or name other prepare commands in a batch (--batch)" : "";
  throw new UserError({
    what: "loopdash ci cannot start",
    why: `git does not ignore ${names} on ${plainText(branch, 100)}, which the prepare commands make: the files would be pushed`,
    todo: `Add ${names} to .gitignore on that branch, and push it${other}.`,
    exitCode: EXIT.refused,
  });
}

/** The prepare commands of a loop's batch, and the hosts that they may reach, for people. */
export function preparationIn(batch: BatchParts): { readonly prepare: readonly Argv[]; readonly hosts: readonly string[] } {
  const { repos, sandboxPolicy } = batch as unknown as Pick<Batch, "repos" | "sandboxPolicy">;
  const commands = Object.values(repos).flatMap(({ prepare }) => prepareCommands(prepare));
  const opened = sandboxPolicy?.hosts?.["prepare"] ?? [];
  return { prepare: commands, hosts: opened.map((spec) => (typeof spec === "string" ? spec : spec.host)) };
}

/** An agent that is never started. */
const NONE = { kind: "command", command: ["/bin/false"] } as const;

async function agentFor(
  flags: CiFlags,
  { env, tell }: { readonly env: NodeJS.ProcessEnv; readonly tell: (line: string) => void },
): Promise<unknown> {
  if (flags.fixMode === "report-only") return NONE;
  const interview = new Interview({ tell, takesDefaults: true });
  const path = allowedEnvironment(env, {})["PATH"] ?? "";
  const surroundings = { installed: await findInstalledAgents(env), env, path, folder: resolve(flags.repo) };
  const agent = await askAgent(interview, { out: "", ...agentFlags(flags) }, surroundings);
  if (agent !== undefined) return agent;
  const why = "no agent is known that could repair the code";
  const todo = "Name one: --agent claude --agent-key ANTHROPIC_API_KEY, or a batch file with --batch.";
  throw new UserError({ what: "loopdash ci cannot start", why, todo, exitCode: EXIT.refused });
}

function agentFlags({ agent, agentKey }: CiFlags): { readonly agent?: string; readonly agentKey?: string } {
  return { agent, agentKey };
}

/** A branch's name as a part of a batch's. */
function nameOf(branch: string): string {
  return branch.replaceAll(/[^\w.-]+/g, "-").slice(0, 36);
}
