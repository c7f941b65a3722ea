import { whatFailed } from "@loopdash/triage";
import { type Check, wantedExitCode } from "../../domain/batch/step-spec.ts";
import type { MeasuredCheck } from "../../domain/run/base-measure.ts";
import { isSettled } from "../../domain/run/ticket-state.ts";
import { plainText } from "../../domain/values/text.ts";
import { vecAt } from "../../domain/values/vec.ts";
import type { ExecResult } from "../../ports/executor.ts";
import type { Repo } from "../../ports/vcs.ts";
import { howItEnded } from "../programs/run-in.ts";
import type { StepFact, StepScope } from "../programs/scope.ts";
import {
  baseResults,
  type CheckedCommit,
  NOT_ITS_OWN,
  type ResultsContext,
  resultsKey,
  runCheckCommand,
} from "./base-results.ts";

type Prepared = Extract<StepFact, { type: "prepared" }>;

/** Characters of what failed, in one line. */
const SAYS_CHARS = 300;

/** A scope outside an attempt, with the files of a repository's first open ticket, whose own exceptions do not count. */
export async function measuringScope(
  { files, state }: Pick<ResultsContext, "files" | "state">,
  repo: string,
  options: Pick<StepScope, "marker" | "signal"> & { readonly onPrepared: (fact: Prepared) => void },
): Promise<StepScope> {
  const { onPrepared, ...owner } = options;
  const { plan, tickets } = state();
  const spec = plan.tickets.find((each, index) => each.repo === repo && !isSettled(vecAt(tickets, index).phase));
  if (spec === undefined) throw new Error(`no ticket of ${repo} is open`);
  const { allow: _, ...ticket } = spec;
  return {
    ...owner,
    ticket,
    ending: () => "stopped",
    files: await files.afterAttempt(spec.id, 0),
    // No attempt could own the facts.
    announce(fact) {
      if (fact.type === "prepared") onPrepared(fact);
      return true;
    },
    retried: new Set(),
  };
}

/**
 * Runs a check on a base without any change, unless its result there is kept. What it shows is kept for the checks of candidates, and
 * for other runs.
 */
export async function measureCheck(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  checked: CheckedCommit,
): Promise<MeasuredCheck> {
  const { step } = checked;
  if (step.report === undefined) return measureExitCode(ctx, scope, repo, checked);
  const base = await baseResults(ctx, scope, repo, checked);
  if (base.as === "tests") {
    const { tests, durationMs } = base.run;
    const failing = tests.filter(({ outcome }) => outcome === "failed").length;
    const as = failing === 0 ? "passed" : "red";
    return {
      check: step.name,
      as,
      tests: tests.length,
      failing,
      ms: base.isEarlier !== true && durationMs ? durationMs : undefined,
    };
  }
  if (base.ended === undefined) return { check: step.name, as: "cannot-run", says: base.why };
  return byItsEnd(step, base.ended.result, base.ended.noProgram);
}

/** A check that only its exit code decides. That it passed is kept; what failed runs again, because somebody may have mended it. */
async function measureExitCode(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  { step, commit }: CheckedCommit,
): Promise<MeasuredCheck> {
  const key = resultsKey(ctx, scope, repo, { step, commit });
  if ((await ctx.manifests.kept(key)) !== undefined) return { check: step.name, as: "passed" };
  const log = `check-${step.name}-base`;
  const command = { step, commit, attributesOf: commit, log, part: "the base", purpose: "base" } as const;
  const ran = await runCheckCommand(ctx, scope, repo, command);
  if (!ran.ok) return { check: step.name, as: "cannot-run", says: ran.evidence.summary };
  const measured = byItsEnd(step, ran.result, ran.noProgram);
  const { durationMs } = ran.result;
  if (measured.as === "passed") await ctx.manifests.keep(key, { exitCode: 0, tests: [], durationMs }, { isBase: true });
  return measured;
}

/** The result of a check that tells no tests. */
function byItsEnd(step: Check, result: ExecResult, noProgram: boolean): MeasuredCheck {
  const { ending, exitCode, durationMs } = result;
  const measured = { check: step.name, ms: durationMs };
  if (ending === "exited" && exitCode === wantedExitCode(step)) return { ...measured, as: "passed" };
  const [first = ""] = whatFailed({ check: step.name, output: result.tail, roots: [], limit: SAYS_CHARS }).split("\n");
  const missing = missingModule(step, result);
  const says = plainText(`${howItEnded(result)}${(missing ?? first) === "" ? "" : `: ${missing ?? first}`}`, SAYS_CHARS);
  // A program of the repository may be what a ticket is to add.
  const isItsOwn = noProgram || (ending === "exited" && exitCode !== null && exitCode < NOT_ITS_OWN);
  return { ...measured, as: isItsOwn && missing === undefined ? "red" : "cannot-run", says };
}

/** The Python module that the command runs and that is not installed, as Python says it. Only the base's own words are read here. */
function missingModule({ command }: Check, { tail }: ExecResult): string | undefined {
  const name = command[command.indexOf("-m") + 1];
  if (!command.includes("-m") || name === undefined) return undefined;
  return tail.trimEnd().endsWith(`No module named ${name}`)
    ? `no module named ${name}: install it in prepare, and let the check use that environment (.venv/bin/python -m ${name})`
    : undefined;
}
