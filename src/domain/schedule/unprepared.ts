import { hasMovedOn, type Unprepared } from "../run/prepare-fact.ts";
import { tipKnown } from "../run/reduce-base.ts";
import type { RunState } from "../run/state.ts";
import type { TicketState } from "../run/ticket-state.ts";
import type { RepoId } from "../values/ids.ts";
import { vecAt } from "../values/vec.ts";

/**
 * Failures of the same preparation in a row, from which on nothing of its repository starts: the first is repeated once, unless
 * the sandbox blocked a connection.
 */
const FAILURES = 2;

/**
 * The base that keeps a ticket from starting because it cannot be prepared; undefined if it may start. It may again once the base
 * has moved on. Work that is built already goes on: its checks are prepared on their own.
 */
export function unpreparedFor(state: RunState, index: number): Unprepared | undefined {
  const repo = state.plan.tickets[index]?.repo;
  const known = repo === undefined ? undefined : state.unprepared?.[repo];
  if (repo === undefined || known === undefined || hasMovedOn(known, tipKnown(state, repo))) return undefined;
  if (known.failures < FAILURES && known.blocked !== true && known.check === undefined) return undefined;
  return isBuilt(vecAt(state.tickets, index)) ? undefined : known;
}

/** Attempts that are only preparing what cannot be prepared, by index. They are postponed. */
export function attemptsInVain(state: RunState): readonly number[] {
  if (state.unprepared === undefined) return [];
  return state.slots.flatMap((index) => {
    if (index === null || unpreparedFor(state, index) === undefined) return [];
    return vecAt(state.tickets, index).attempt?.worktree === undefined ? [index] : [];
  });
}

function isBuilt({ pendingWork }: TicketState): boolean {
  return pendingWork !== undefined;
}

/** An unprepared base in words. */
export function describeUnprepared({ check, summary, failures }: Unprepared, repo: string): string {
  if (check !== undefined) return `the check ${check} cannot run on the base of ${repo}: ${summary}`;
  return `${repo} cannot be prepared${failures === 1 ? "" : ` (${failures} failures)`}: ${summary}`;
}

/** The bases that keep tickets from starting, each in words. `only`: that of one repository. */
export function unpreparedBases(state: RunState, only?: RepoId): readonly string[] {
  const repos = new Set(
    state.plan.tickets.flatMap(({ repo }, index) => {
      if (only !== undefined && repo !== only) return [];
      return unpreparedFor(state, index) === undefined ? [] : [repo];
    }),
  );
  return [...repos].flatMap((repo) => {
    const known = state.unprepared?.[repo];
    return known === undefined ? [] : [describeUnprepared(known, repo)];
  });
}
