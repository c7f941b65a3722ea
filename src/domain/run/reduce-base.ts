import { stepName } from "../batch/step-spec.ts";
import { endIncident, withIncident, withNextSuspect } from "../results/incident.ts";
import { specOf } from "../schedule/plan.ts";
import { withTicket } from "../schedule/queue.ts";
import type { RepoId } from "../values/ids.ts";
import { vecItems } from "../values/vec.ts";
import type { BrokenBase } from "./broken-base.ts";
import { isLandedNotLive, type LiveState } from "./live-check.ts";
import { type RunState, ticketOf } from "./state.ts";
import type { TicketState } from "./ticket-state.ts";

/**
 * Updates the knowledge of the base that a ticket lands on, and the incidents of both. The base is broken while a change has landed
 * on it that is not live; the first of them to land is suspected. It is whole again once none is left.
 */
export function withBase(state: RunState, index: number, at: number): RunState {
  const repo = state.plan.tickets[index]?.repo;
  return repo === undefined ? state : withRepoBase(state, repo, at);
}

/** The same for a repository. A check that fails on the base without any change breaks it too. */
export function withRepoBase(state: RunState, repo: RepoId, at: number): RunState {
  const known = brokenBaseOf(state, repo);
  const base = whatBreaks(state, repo, known, at);
  if (base === known) return state;
  if (base === undefined) {
    const { [repo]: _, ...brokenBases } = state.brokenBases;
    const by = known === undefined ? undefined : settledByPerson(state, known);
    const end = { endedSeq: state.seq, ...(by !== undefined && { by }) };
    const incidents = endIncident(state.incidents, { kind: "broken-base", repo }, at, end);
    return withHeldChecksDue({ ...state, brokenBases, incidents }, repo, at);
  }
  const incident = {
    kind: "broken-base" as const,
    at: base.since,
    repo,
    seq: state.seq,
    summary: `${suspectOf(base)}: ${base.summary}`,
  };
  const isNext = known !== undefined && known.sha !== base.sha;
  return {
    ...state,
    brokenBases: { ...state.brokenBases, [repo]: base },
    incidents: isNext ? withNextSuspect(state.incidents, repo, incident.summary) : withIncident(state.incidents, incident),
  };
}

/** The act of a person that settled the suspected ticket, in words: no check has passed. Undefined if nobody has. */
function settledByPerson(state: RunState, { cause, ticket: id }: BrokenBase): string | undefined {
  if (cause === "check" || id === undefined) return undefined;
  const { phase, closedByPerson } = ticketOf(state, id);
  if (phase === "human-gated") return `${id} was left to a person`;
  return closedByPerson === "closed" ? `${id} was closed by a person` : undefined;
}

/** A landed change that is not live comes before a failing check. What is known stays as it is while its cause lasts. */
function whatBreaks(state: RunState, repo: RepoId, known: BrokenBase | undefined, at: number): BrokenBase | undefined {
  const next = firstNotLive(state, repo);
  if (next?.live !== undefined) {
    const base = brokenBy(state, next, next.live, known?.since ?? at);
    const isSame = known?.cause === "verify" && known.ticket === next.id && known.step === base.step;
    return isSame && known.summary === base.summary ? known : base;
  }
  const failing = Object.hasOwn(state.failingChecks, repo) ? state.failingChecks[repo] : undefined;
  if (failing === undefined) return undefined;
  if (known?.cause === "check" && known.sha === failing.sha) return known;
  const { sha, suspect, name, summary } = failing;
  return { since: known?.since ?? at, cause: "check", sha, step: name, summary, ...(suspect && { ticket: suspect }) };
}

/** The suspected commit and its ticket, in words. */
export function suspectOf({ sha, ticket }: Pick<BrokenBase, "sha" | "ticket">): string {
  return ticket === undefined ? `${sha.slice(0, 7)}, which this run did not land` : `${sha.slice(0, 7)} of ${ticket}`;
}

/** Makes the checks due that waited for an earlier environment of a base that is whole now. */
function withHeldChecksDue(state: RunState, repo: string, at: number): RunState {
  let next = state;
  for (const [index, ticket] of [...vecItems(state.tickets)].entries()) {
    const { live, phase } = ticket;
    if (live?.waitsFor === undefined || live.checking || phase !== "landed" || specOf(state.plan, ticket.id).repo !== repo)
      continue;
    const { givenUp: _, isOutOfAttempts: __, ...rest } = live;
    next = withTicket(next, index, { ...ticket, live: { ...rest, inconclusive: 0, nextAt: at } });
  }
  return next;
}

/** The failing base of a repository; undefined if nothing that landed on it is known to fail. */
export function brokenBaseOf({ brokenBases }: Pick<RunState, "brokenBases">, repo: string): BrokenBase | undefined {
  return Object.hasOwn(brokenBases, repo) ? brokenBases[repo] : undefined;
}

function firstNotLive(state: RunState, repo: string): TicketState | undefined {
  const commits = Object.hasOwn(state.landings, repo) ? (state.landings[repo]?.commits ?? []) : [];
  let first: { readonly ticket: TicketState; readonly live: LiveState; readonly order: number } | undefined;
  for (const ticket of vecItems(state.tickets)) {
    const { live } = ticket;
    if (live === undefined || !isLandedNotLive(ticket) || live.waitsFor !== undefined || live.untold) continue;
    if (specOf(state.plan, ticket.id).repo !== repo) continue;
    // What is no longer in the list landed before all that is.
    const order = commits.findIndex(({ sha }) => sha === live.sha);
    const isFirst = first === undefined || order < first.order || (order === first.order && live.landedAt < first.live.landedAt);
    if (isFirst) first = { ticket, live, order };
  }
  return first?.ticket;
}

function brokenBy(state: RunState, { id }: TicketState, live: LiveState, since: number): BrokenBase {
  const step = specOf(state.plan, id).finish.find((spec) => spec.step === "verify" && live.check === stepName(spec));
  const environment = step?.step === "verify" && step.environment !== undefined ? { environment: step.environment } : {};
  const summary = live.history.at(-1)?.summary ?? "its live check failed";
  return { since, cause: "verify", sha: live.sha, ticket: id, step: live.check, summary, ...environment };
}
