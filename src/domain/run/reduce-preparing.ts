import { withTicket } from "../schedule/queue.ts";
import { vecAt } from "../values/vec.ts";
import { withBlocked } from "./blocked-fact.ts";
import type { RunEvent } from "./event.ts";
import type { StepPart } from "./prepare-fact.ts";
import { tipKnown } from "./reduce-base-check.ts";
import { indexOf, type RunState } from "./state.ts";
import { countWait } from "./suite-fact.ts";
import type { Attempt } from "./ticket-state.ts";

/** Events of the programs that prepare an attempt, and of their connections. */
export type PreparingEvent = Extract<
  RunEvent,
  { type: "prepare-started" | "prepare-failed" | "step-part-started" | "connection-blocked" }
>;

/** Folds the start of a prepare command or of a part of a step, and a blocked connection of any program of an attempt. */
export function reducePreparing(state: RunState, event: PreparingEvent): RunState {
  const index = indexOf(state, event.ticket);
  const ticket = vecAt(state.tickets, index);
  const { attempt } = ticket;
  if (attempt === undefined || attempt.fence !== event.fence) throw new RangeError(`no attempt with fence ${event.fence}`);
  if (event.type === "connection-blocked")
    return withTicket(state, index, { ...ticket, attempt: { ...attempt, blocked: withBlocked(attempt.blocked, event) } });
  if (event.type === "prepare-failed") return unprepared(state, state.plan.tickets[index]?.repo ?? "", event);
  if (event.type === "step-part-started") {
    const { step } = attempt;
    if (step === undefined) return state;
    const next = withTicket(state, index, { ...ticket, attempt: { ...attempt, step: { ...step, part: partOf(event) } } });
    return step.kind === "check" && step.part === undefined ? countWait(next, event.at - step.startedAt) : next;
  }
  const preparing = { command: event.command, startedAt: event.at };
  return withTicket(state, index, { ...ticket, attempt: { ...attempt, preparing, lastOutputAt: event.at } });
}

function partOf({ part, at, expectedMs, train, behind }: Extract<PreparingEvent, { type: "step-part-started" }>): StepPart {
  return {
    ...{ text: part, startedAt: at },
    ...(expectedMs !== undefined && { expectedMs }),
    ...(train && { train }),
    ...(behind !== undefined && { behind }),
  };
}

/** Counts the failures of the same base in a row. */
function unprepared(
  state: RunState,
  repo: string,
  { base, summary, at, blocked }: Extract<PreparingEvent, { type: "prepare-failed" }>,
): RunState {
  const before = state.unprepared?.[repo];
  const same = before?.base === base ? before : undefined;
  const failures = (same?.failures ?? 0) + 1;
  const next = { base, seen: tipKnown(state, repo), failures, summary, since: same?.since ?? at, ...(blocked && { blocked }) };
  return { ...state, unprepared: { ...state.unprepared, [repo]: next } };
}

/** The attempt with its worktree prepared. */
export function withWorktree(
  { retried: _, preparing: __, ...rest }: Attempt,
  { path, branch, baseSha }: Extract<RunEvent, { type: "worktree-ready" }>,
): Attempt {
  return { ...rest, worktree: { path, branch, baseSha } };
}
