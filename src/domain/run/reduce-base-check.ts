import { type StepSpec, stepName } from "../batch/step-spec.ts";
import { specOf } from "../schedule/plan.ts";
import type { RepoId } from "../values/ids.ts";
import { vecItems } from "../values/vec.ts";
import type { BaseCheckFact, FailingCheck } from "./base-check.ts";
import type { RunEvent } from "./event.ts";
import { baseKey } from "./people-fact.ts";
import { withRepoBase } from "./reduce-base.ts";
import { landingsOf } from "./reduce-landing.ts";
import type { RunState } from "./state.ts";

/** Events of checks that run on a base without a change. */
export type BaseCheckEvent = Extract<RunEvent, { type: BaseCheckFact["type"] }>;
type Ended = Extract<BaseCheckEvent, { type: "base-check-ended" }>;

/** Folds the events of checks on a base. */
export function reduceBaseCheck(state: RunState, event: BaseCheckEvent): RunState {
  const { repo } = event;
  const known = state.failingChecks[repo];
  if (event.type === "base-check-ended") return end(state, known, event);
  if (known === undefined) return state;
  if (event.type === "base-check-started") {
    const { isRepeated: _, ...check } = known;
    const seen = tipKnown(state, repo);
    const next: FailingCheck = { ...check, isRunning: true, seen, ...(known.seen === seen && { isRepeated: true }) };
    return { ...state, failingChecks: { ...state.failingChecks, [repo]: next } };
  }
  if (event.nextAt !== undefined) return state;
  return { ...state, failingChecks: { ...state.failingChecks, [repo]: idle(known) } };
}

function idle({ isRunning: _, ...check }: FailingCheck): FailingCheck {
  return check;
}

/** As known from another engine: this one has run no check yet. */
function unseen({ isRunning: _, seen: __, ...check }: FailingCheck): FailingCheck {
  return check;
}

function end(state: RunState, known: FailingCheck | undefined, event: Ended): RunState {
  const { at, repo, sha, foundBy, step, ok, summary } = event;
  const spec = failingStep(state, event);
  const name = spec === undefined ? "check" : stepName(spec);
  if (ok) {
    const { [repo]: _, ...failingChecks } = state.failingChecks;
    return withRepoBase({ ...state, failingChecks, reverified: false }, repo, at);
  }
  const suspect = landingsOf(state, repo)?.last === sha ? landedBy(state, sha) : undefined;
  const passed = spec?.step === "check" ? landedThrough(state, repo, spec).findLast((each) => each !== sha) : undefined;
  const fresh = { since: at, sha, foundBy, step, name, summary, ...(suspect && { suspect }), ...(passed && { passed }) };
  const next: FailingCheck = { ...(known === undefined ? fresh : idle(known)), seen: known?.seen ?? sha };
  return withRepoBase({ ...state, failingChecks: { ...state.failingChecks, [repo]: next } }, repo, at);
}

/** The check that fails on a base. */
export function failingStep({ plan }: RunState, { foundBy, step }: Pick<FailingCheck, "foundBy" | "step">): StepSpec | undefined {
  return specOf(plan, foundBy).finish[step];
}

/** Identifies a check in a finish line. A report that is found may turn out to be none: it is no part of that. */
export function checkKey(step: StepSpec): string {
  const isFound = step.step === "check" && step.report?.format === "found";
  return JSON.stringify(isFound ? { ...step, report: undefined } : step);
}

/** Commits that the run has landed through a check, oldest first: each passed it before it landed. */
export function landedThrough(state: RunState, repo: RepoId, check: StepSpec): readonly string[] {
  const key = checkKey(check);
  const landed = landingsOf(state, repo)?.commits ?? [];
  return landed
    .filter(({ ticket }) => specOf(state.plan, ticket).finish.some((each) => checkKey(each) === key))
    .map(({ sha }) => sha);
}

function landedBy(state: RunState, sha: string) {
  return [...vecItems(state.tickets)].find(({ mergedSha }) => mergedSha === sha)?.id;
}

/** The tip of a base as far as the run knows it: as last seen, or as last landed. */
export function tipKnown({ fingerprints, landings }: Pick<RunState, "fingerprints" | "landings">, repo: string): string {
  return fingerprints?.[baseKey(repo)] ?? landings[repo]?.last ?? "";
}

/** Failed checks of bases as a new engine finds them: each runs once more. */
export function withBaseChecksDue(state: RunState): RunState {
  const failingChecks = Object.fromEntries(Object.entries(state.failingChecks).map(([repo, check]) => [repo, unseen(check)]));
  return { ...state, failingChecks };
}
