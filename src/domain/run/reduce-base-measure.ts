import { defaultFinishLine } from "../batch/default-finish.ts";
import type { Check } from "../batch/step-spec.ts";
import type { RepoId } from "../values/ids.ts";
import { vecAt } from "../values/vec.ts";
import type { BaseMeasure, BaseMeasureFact } from "./base-measure.ts";
import type { RunEvent } from "./event.ts";
import { hasMovedOn, withoutUnprepared } from "./prepare-fact.ts";
import { checkKey, tipKnown } from "./reduce-base.ts";
import type { RunState } from "./state.ts";
import { isSettled } from "./ticket-state.ts";

/** The usual checks of a repository that open tickets have: those of its finish line, not those of one ticket alone. */
export function checksToMeasure(
  { batch, plan, tickets }: Pick<RunState, "batch" | "plan" | "tickets">,
  repo: RepoId,
): readonly Check[] {
  const open = plan.tickets.filter((spec, index) => spec.repo === repo && !isSettled(vecAt(tickets, index).phase));
  const used = new Set(open.flatMap(({ finish }) => finish.map(checkKey)));
  return defaultFinishLine(batch, repo).flatMap((step) => (step.step === "check" && used.has(checkKey(step)) ? [step] : []));
}

/** The bases whose checks run before any agent does. */
export function basesToMeasure(state: RunState): readonly RepoId[] {
  const repos = [...new Set(state.plan.tickets.map(({ repo }) => repo))];
  return state.checksOnly ? [] : repos.filter((repo) => checksToMeasure(state, repo).length > 0);
}

/** Folds the facts of measurements. A check that cannot run keeps agents from its base as a preparation that fails does. */
export function reduceBaseMeasure(state: RunState, event: Extract<RunEvent, { type: BaseMeasureFact["type"] }>): RunState {
  if (event.type === "base-measure-due") {
    const due = Object.fromEntries(event.repos.map((repo) => [repo, { as: "due" } as const]));
    return { ...state, baseMeasures: { ...state.baseMeasures, ...due } };
  }
  const { repo } = event;
  const next = { ...state, baseMeasures: { ...state.baseMeasures, [repo]: measureAfter(event) } };
  return event.type === "base-measured" ? withMeasured(next, event) : next;
}

function withMeasured(before: RunState, event: Extract<RunEvent, { type: "base-measured" }>): RunState {
  const { repo, at, preparations } = event;
  const { made, reused } = before.preparations ?? { made: 0, reused: 0 };
  const counted = preparations && { preparations: { made: made + preparations.made, reused: reused + preparations.reused } };
  const state = { ...before, ...counted };
  const broken = event.checks.find(({ as }) => as === "cannot-run");
  if (broken === undefined) return { ...state, unprepared: withoutUnprepared(state.unprepared, repo) };
  const { check, says: summary = "" } = broken;
  const seen = tipKnown(state, repo) || event.sha;
  const unprepared = { base: event.sha, seen, failures: 1, check, summary, since: at };
  return { ...state, unprepared: { ...state.unprepared, [repo]: unprepared } };
}

function measureAfter(event: Extract<RunEvent, { type: Exclude<BaseMeasureFact["type"], "base-measure-due"> }>): BaseMeasure {
  switch (event.type) {
    case "base-measure-started": {
      const { check, expectedMs, at } = event;
      return { as: "running", since: at, check, expectedMs };
    }
    case "base-measured":
      return { as: "measured", checks: event.checks };
    case "base-measure-stopped":
      return { as: "due" };
  }
}

/** Measurements as a new engine finds them: what was cut off or did not pass runs once more, because somebody may have mended it. */
export function withMeasuresDue(state: RunState): RunState {
  if (state.baseMeasures === undefined) return state;
  const isSure = (measure: BaseMeasure) => measure.as === "measured" && measure.checks.every(({ as }) => as === "passed");
  const measures = Object.entries(state.baseMeasures).map(([repo, measure]) => [repo, isSure(measure) ? measure : { as: "due" }]);
  return { ...state, baseMeasures: Object.fromEntries(measures) };
}

/**
 * The measurement that keeps a ticket from starting; undefined if none does. Work that is built already goes on. A base on which a
 * check could not run is measured again once it has moved on.
 */
export function unmeasuredFor(state: RunState, index: number): Exclude<BaseMeasure, { as: "measured" }> | undefined {
  const repo = state.plan.tickets[index]?.repo ?? "";
  const measure = state.baseMeasures?.[repo];
  if (measure === undefined || vecAt(state.tickets, index).pendingWork !== undefined) return undefined;
  if (measure.as !== "measured") return measure;
  const broken = state.unprepared?.[repo];
  return broken?.check !== undefined && hasMovedOn(broken, tipKnown(state, repo)) ? { as: "due" } : undefined;
}

/** The bases whose measurement is due for a ticket that could start. */
export function dueMeasures(state: RunState): readonly RepoId[] {
  const repos = state.ready.flatMap((index) =>
    unmeasuredFor(state, index)?.as === "due" ? [state.plan.tickets[index]?.repo] : [],
  );
  return [...new Set(repos)].filter((repo) => repo !== undefined);
}

/** True while a base is being measured. */
export function isMeasuring({ baseMeasures = {} }: Pick<RunState, "baseMeasures">): boolean {
  return Object.values(baseMeasures).some(({ as }) => as === "running");
}

/** True if a check was red on the base before any agent worked on it, and its exit code alone counts. */
export function isRedOnBase({ baseMeasures }: Pick<RunState, "baseMeasures">, repo: RepoId, name: string): boolean {
  const measure = baseMeasures?.[repo];
  return (
    measure?.as === "measured" &&
    measure.checks.some(({ check, as, tests }) => check === name && as === "red" && tests === undefined)
  );
}
