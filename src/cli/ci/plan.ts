import { createBranchChecks } from "../../adapters/forge/github/branch-checks.ts";
import { CI_TICKET } from "../../domain/ci/ci-run.ts";
import { fixableKinds } from "../../domain/ci/fixable.ts";
import { FIXER_FILES, findFixers } from "../../domain/ci/fixers.ts";
import type { RemoteCheck } from "../../domain/forge/pull-request.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { triageOfChecks } from "../../loop/steps/pull-request-evidence.ts";
import { ForgeUnavailable } from "../../ports/forge.ts";
import { readBaseFiles } from "../engine/base-files.ts";
import type { preparationIn } from "./compose-batch.ts";
import type { CiTarget } from "./find-target.ts";
import type { CiFlags } from "./flags.ts";

/** The plan of a loop, as `--dry-run --json` prints it. */
export interface CiPlan {
  readonly branch: string;
  readonly repo: string;
  readonly headSha: string;
  readonly pullRequest: number | null;
  readonly checks: readonly Pick<RemoteCheck, "name" | "state">[];
  /** The triage of failed checks, as an agent would get it; null if none has failed. */
  readonly triage: string | null;
  /** Commands of the repository itself that would run first. */
  readonly fixers: readonly (readonly string[])[];
  /** Commands that make a checkout ready for an agent, and the hosts that they may reach. */
  readonly prepare: readonly (readonly string[])[];
  readonly prepareHosts: readonly string[];
  readonly agent: string;
  readonly maxIterations: number;
  readonly maxMinutes: number;
  readonly fixMode: CiFlags["fixMode"];
  /** The run that a start goes on with. */
  readonly resumes: string | null;
}

/** Reads the checks once, and what would be done about them. Changes nothing. */
export async function planOf(
  target: CiTarget,
  flags: CiFlags,
  {
    agent,
    preparation,
    resumes,
    ignoredRun,
  }: {
    readonly agent: string;
    readonly preparation: ReturnType<typeof preparationIn>;
    readonly resumes: string | undefined;
    readonly ignoredRun: number | undefined;
  },
): Promise<CiPlan> {
  const { branch, fullName, repository, tip, pullRequest } = target;
  const { checks, triage, fixable } = await readFailures(target, { workflow: flags.workflow, ignoredRun });
  const read = await readBaseFiles({ path: repository.path, base: branch }, FIXER_FILES);
  const files = new Map([...read].map(([name, file]) => [name, file === "too large" ? "" : file.text]));
  const fixers = flags.fixMode === "report-only" ? [] : findFixers(files, fixable);
  return {
    ...{ branch, repo: fullName, headSha: tip, pullRequest: pullRequest?.number ?? null },
    checks: checks.map(({ name, state }) => ({ name, state })),
    triage,
    fixers: fixers.map(({ command }) => command),
    ...{ prepare: preparation.prepare, prepareHosts: preparation.hosts },
    ...{ agent, maxIterations: flags.maxIterations, maxMinutes: flags.maxMinutes, fixMode: flags.fixMode },
    resumes: resumes ?? null,
  };
}

async function readFailures(
  { fullName, baseUrl, token, branch, tip }: CiTarget,
  only: { readonly workflow: string | undefined; readonly ignoredRun: number | undefined },
) {
  // What ends a plan ends its process.
  const { signal } = new AbortController();
  const forge = createBranchChecks({ repo: fullName, branch, baseUrl, token, now: Date.now, ...only });
  try {
    const { checks } = await forge.read(signal);
    const names = checks.filter(({ state }) => state === "failed").map(({ name }) => name);
    if (names.length === 0) return { checks, triage: null, fixable: [] };
    const meta = { run: "dry-run", ticket: CI_TICKET, attempt: 0, headSha: tip };
    const { json, markdown } = triageOfChecks(await forge.failures(tip, names, signal), meta);
    return { checks, triage: markdown, fixable: fixableKinds(names, json.findings) };
  } catch (error) {
    if (!(error instanceof ForgeUnavailable)) throw error;
    const why = plainText(errorMessage(error), 300);
    throw new UserError({ what: "the checks cannot be read", why, todo: "Try again.", exitCode: EXIT.unjudged });
  }
}

/** The plan as lines for people. */
export function planLines(plan: CiPlan): readonly string[] {
  const { branch, repo, headSha, pullRequest, checks, triage, fixers, agent, maxIterations, maxMinutes, fixMode, resumes } = plan;
  const { prepare, prepareHosts } = plan;
  const pull = pullRequest === null ? "" : `, pull request #${pullRequest}`;
  const repairs = fixMode === "report-only" ? ["report-only: nothing would be changed"] : [];
  return [
    `${branch} of ${repo} at ${headSha.slice(0, 12)}${pull}`,
    ...(checks.length === 0 ? ["no check is registered: that is not green"] : []),
    ...checks.map(({ name, state }) => `  ${state.padEnd(7)}  ${name}`),
    ...repairs,
    ...prepare.map((command) => `to make a checkout ready: ${command.join(" ")}`),
    ...(prepareHosts.length === 0 ? [] : [`hosts that this may reach: ${prepareHosts.join(", ")}`]),
    ...fixers.map((command) => `first, without an agent: ${command.join(" ")}`),
    `agent: ${agent}`,
    `at most ${maxIterations} iterations and ${maxMinutes} min`,
    ...(resumes === null ? [] : [`a start goes on with ${resumes}`]),
    ...(triage === null ? [] : ["", ...triage.trimEnd().split("\n")]),
    "",
    "nothing was changed",
  ];
}
