import type { RunState } from "../run/state.ts";
import type { PastAttempt } from "../run/ticket-state.ts";
import { unpreparedBases } from "../schedule/unprepared.ts";
import { EXIT } from "../values/user-error.ts";
import { vecAt } from "../values/vec.ts";
import type { CiIteration } from "./ci-fact.ts";
import { type CiStopReason, ciStopReason } from "./stop-reason.ts";

/** One iteration of the loop. The first one, 0, has only read the checks of the branch as it was. */
export interface CiResultIteration {
  readonly number: number;
  /** The attempt of the run: its files are `attempt-<n>`. */
  readonly attempt: number;
  /** The commit that it pushed; null if it pushed none. */
  readonly commit: string | null;
  readonly changedFiles: number;
  /** Names of the repository's own commands that made the change; empty if an agent did. */
  readonly fixers: readonly string[];
  /** Checks that failed on its commit, and the signature of their failures; empty and null if they passed or were not read. */
  readonly failedChecks: readonly string[];
  readonly signature: string | null;
  readonly outcome: string;
  readonly summary: string;
  readonly costUsd: number;
}

/** The output of `loopdash ci --json`: a stable contract. */
export interface CiResult {
  readonly run: string;
  readonly branch: string;
  readonly stopReason: CiStopReason;
  /** One line. */
  readonly summary: string;
  readonly exitCode: number;
  /** The commit whose checks were read last; null if none were. */
  readonly headSha: string | null;
  readonly iterations: readonly CiResultIteration[];
  readonly durationSeconds: number;
  readonly costUsd: number;
  readonly links: { readonly pullRequest: string | null; readonly folder: string };
  /** Suggested next actions; empty if it is green. */
  readonly suggestions: readonly string[];
}

/** The result of a run over the checks of one branch. `folder`: where the attempts of its ticket have their files. */
export function ciResult(state: RunState, { branch, folder }: { readonly branch: string; readonly folder: string }): CiResult {
  const ticket = vecAt(state.tickets, 0);
  const stopReason = ciStopReason(state);
  const iterations = listIterations(ticket.history, ticket.ci?.iterations ?? []);
  const [unprepared] = stopReason === "infrastructure" ? unpreparedBases(state) : [];
  const last = unprepared ?? ticket.evidence.at(-1)?.summary;
  return {
    run: state.run,
    branch,
    stopReason,
    summary: stopReason === "green" ? `the checks of ${branch} pass` : (last ?? state.end?.reason ?? "it has not ended"),
    exitCode: ciExitCode(state, stopReason),
    headSha: ticket.pullRequest?.head ?? null,
    iterations,
    durationSeconds: Math.round(((state.end?.at ?? state.lastEventAt) - state.startedAt) / 1000),
    costUsd: state.spentUsd,
    links: { pullRequest: ticket.pullRequest?.url ?? null, folder },
    suggestions:
      state.end === undefined
        ? whileItWorks(state)
        : suggestNextSteps(stopReason, { folder, last: iterations.at(-1), isPrepared: unprepared === undefined }),
  };
}

/** 0 only if the run itself ended so and the branch is green. */
function ciExitCode({ end }: RunState, reason: CiStopReason): number {
  if (reason === "green") return end?.exitCode ?? EXIT.notDone;
  if (reason === "interrupted") return EXIT.interrupted;
  return end === undefined || end.exitCode === EXIT.done ? EXIT.notDone : end.exitCode;
}

/** Outcomes of attempts that are no iteration unless they pushed a commit. */
const UNCOUNTED: ReadonlySet<string> = new Set(["done", "lost", "planned", "stopped"]);

function listIterations(history: readonly PastAttempt[], known: readonly CiIteration[]): readonly CiResultIteration[] {
  let number = 0;
  return history.map(({ n, outcome, summary, costUsd, readOnly, hadAgent }) => {
    const { commit = null, files = 0, fixers = [], failure } = known.find(({ attempt }) => attempt === n) ?? {};
    // One that only read the branch, or what another had pushed, or was cut off before it pushed, is none of its own.
    const isContinued = known.some((other) => other.attempt < n && other.commit !== undefined && other.commit === failure?.head);
    const isOwn = readOnly !== true && !isContinued && !UNCOUNTED.has(outcome);
    if (commit !== null || isOwn) number += 1;
    // A change that was cut off is an iteration, and the one that takes its place has the same number.
    const isCutOff = commit === null && !isContinued && (outcome === "stopped" || outcome === "lost");
    const hasWorked = hadAgent === true || fixers.length > 0;
    return {
      number: isCutOff && hasWorked ? number + 1 : number,
      attempt: n,
      ...{ commit, changedFiles: files, fixers },
      failedChecks: failure?.failed ?? [],
      signature: failure?.signature ?? null,
      ...{ outcome, summary: iterationSummary(outcome, summary), costUsd },
    };
  });
}

/** An attempt that is done has no evidence of a failure. */
function iterationSummary(outcome: string, summary: string): string {
  return summary === "" && outcome === "done" ? "all checks of its commit passed" : summary;
}

/** The next thing to do after each stop reason; empty if there is nothing. */
const NEXT: Readonly<Record<CiStopReason, string>> = {
  green: "",
  max_iterations: "Look at what the last iteration left, or give it more: --max-iterations.",
  max_minutes: "Give it more time: --max-minutes.",
  no_change: "Nothing was changed. Repair it yourself, give another agent (--agent), or, after report-only, run it without that.",
  same_failure: "The same failed three times: what fails may need a person.",
  flaky: "Only tests that have both passed and failed on one commit failed: repair them.",
  infrastructure:
    "The checks could not run, or the loop could not: see the summary. If no check appeared, see that a workflow starts for this branch.",
  blocked_path: 'The change touches protected paths. Make it yourself, or change "protect" in a batch (--batch).',
  budget: "Give it more money in a batch (--batch, limits).",
  interrupted: "The same command goes on, with the same options.",
};

/** The next thing to do if the branch itself cannot be prepared. */
const UNPREPARED = 'Repair what the prepare commands need, or set another "prepare" of the repository in a batch: --batch FILE.';

/** The dashboard was left, or the engine is gone: from here nobody can tell. */
function whileItWorks({ run }: RunState): readonly string[] {
  return [`It may still be at work. Watch it, or see how to go on: loopdash attach ${run}`];
}

function suggestNextSteps(
  reason: CiStopReason,
  {
    folder,
    last,
    isPrepared,
  }: { readonly folder: string; readonly last: CiResultIteration | undefined; readonly isPrepared: boolean },
): readonly string[] {
  if (reason === "green") return [];
  if (!isPrepared) return [UNPREPARED];
  const triage = last !== undefined && last.failedChecks.length > 0 ? [`Read ${folder}/attempt-${last.attempt}/triage.md.`] : [];
  return [NEXT[reason], ...triage];
}
