import type { StepSpec } from "../../domain/batch/step-spec.ts";
import { failingAmong } from "../../domain/evidence/broken-tests.ts";
import { tests as numberOfTests, type Remark } from "../../domain/evidence/compare.ts";
import { type TestRun, tallies } from "../../domain/evidence/results.ts";
import { namedAsOn } from "../../domain/evidence/suite-name.ts";
import { findRunnersInScripts } from "../../domain/proof/find-runner.ts";
import { selectTests } from "../../domain/proof/selection.ts";
import { ticketOf } from "../../domain/run/state.ts";
import { plainText } from "../../domain/values/text.ts";
import type { Repo } from "../../ports/vcs.ts";
import { secondsOf } from "../programs/run-in.ts";
import { runOnCommit } from "../programs/run-on-commit.ts";
import type { StepScope } from "../programs/scope.ts";
import { type ResultsContext, resultsKey, resultsOf } from "./base-results.ts";
import type { Built } from "./landing.ts";
import type { TimedRun } from "./manifests.ts";

type Check = Extract<StepSpec, { step: "check" }>;

/** A check's command that takes less is as good as a selection of its tests: each run has a checkout of its own. Milliseconds. */
const LEAST_MS = 10_000;
/** Characters of a test's id in evidence; see Evidence.tests. */
const ID_CHARS = 300;

/** Tests that failed in the ticket's last attempt and fail again, and the end of the output. */
export interface FailedSoon {
  readonly finding: Remark;
  readonly output: string;
}

/** What is to run, and on which commit; `trusted` decides about the selection and how files are checked out. */
interface SelectedRun {
  readonly step: Check;
  readonly commit: string;
  readonly trusted: string;
  readonly ids: readonly string[];
  /** The results of a whole run on a base, with the names as they are there. */
  readonly base: TestRun;
  readonly part: string;
  /** For a proof: the whole command runs if the runner cannot select. */
  readonly forProof?: boolean;
}

/**
 * Runs some tests of a check, and little else. Gives the results of whatever ran; undefined if the runner cannot select, or left no
 * report. A test that is not among the results has none.
 */
export async function runSelected(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  { step, commit, trusted, ids, base, part, forProof = false }: SelectedRun,
): Promise<(TestRun & { readonly output: string; readonly durationMs: number }) | undefined> {
  const packageJson = await repo.readFile({ commit: trusted, path: "package.json" });
  const files = await repo.files(commit);
  const found = findRunnersInScripts(step.command, packageJson);
  const selection = selectTests({ command: step.command, found, packageJson, ids, files });
  const command = selection ?? (forProof ? step.command : undefined);
  if (command === undefined) return undefined;
  const selected = { ...step, command };
  const of = {
    step: selected,
    commit,
    attributesOf: trusted,
    log: `check-${step.name}-selected`,
    part,
    purpose: forProof ? "proof" : "check",
  } as const;
  const ran = await runOnCommit(ctx, scope, repo, of);
  if (!ran.ok) return undefined;
  const run = namedAsOn(base, resultsOf(selected, ran.result, ran.reading), command);
  return "says" in run ? undefined : { ...run, output: ran.result.tail, durationMs: ran.result.durationMs };
}

/**
 * Runs the tests first that failed in the ticket's last attempt, if the whole check takes long and its runner can select. If some fail
 * that pass on the base in the same selection, the whole suite would only say the same later. Otherwise it decides: undefined.
 */
export async function failSoon(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  {
    step,
    candidate,
    base,
    leastMs = LEAST_MS,
  }: { readonly step: Check; readonly candidate: Built; readonly base: TimedRun; readonly leastMs?: number },
): Promise<FailedSoon | undefined> {
  const key = resultsKey(ctx, scope, repo, { step, commit: candidate.base });
  const wholeMs = base.durationMs ?? (await ctx.manifests.expectedMs(key)) ?? 0;
  const failed = failedBefore(ctx, scope, step);
  if (wholeMs < leastMs || failed.size === 0) return undefined;
  const flaky = await ctx.manifests.flakyTests(key);
  // What the base does not have could not be compared with it, and a test may need others to run before it.
  const ids = [...tallies(base.tests)].flatMap(([id, { passed, failed: red }]) =>
    red === 0 && passed > 0 && failed.has(plainText(id, ID_CHARS)) && !flaky.has(id) ? [id] : [],
  );
  const of = { step, trusted: candidate.base, base };
  const part = "what failed in the last attempt";
  const now = ids.length === 0 ? undefined : await runSelected(ctx, scope, repo, { ...of, commit: candidate.commit, ids, part });
  const failing = now === undefined ? [] : failingAmong(ids, now);
  if (now === undefined || failing.length === 0) return undefined;
  const onBase = { ...of, commit: candidate.base, ids: failing, part: "the same on the base" };
  const before = await runSelected(ctx, scope, repo, onBase);
  const results = tallies(before?.tests ?? []);
  const still = failing.filter((id) => results.get(id)?.failed === 0 && (results.get(id)?.passed ?? 0) > 0);
  if (still.length === 0) return undefined;
  const says = `${numberOfTests(still.length)} failed again that failed in the last attempt (run alone, in ${secondsOf(now)} s)`;
  return { finding: { says, ids: still }, output: now.output };
}

/** The tests by which this check failed in the ticket's last attempt that left evidence, as they stand there. */
function failedBefore(ctx: ResultsContext, { ticket }: StepScope, { name }: Check): ReadonlySet<string> {
  const last = ticketOf(ctx.state(), ticket.id).evidence.at(-1);
  return new Set(last?.step === "check" && last.name === name ? last.tests : []);
}
