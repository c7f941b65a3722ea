import { type StepSpec, stepName } from "../batch/step-spec.ts";
import { endIncident, withIncident, withNextSuspect } from "../results/incident.ts";
import { plannedTicket } from "../schedule/plan.ts";
import { withTicket } from "../schedule/queue.ts";
import type { RepoId, TicketId } from "../values/ids.ts";
import { vecAt, vecItems } from "../values/vec.ts";
import type { BaseCheckFact, FailingCheck } from "./base-check.ts";
import type { BrokenBase } from "./broken-base.ts";
import type { RunEvent } from "./event.ts";
import { landedSize } from "./landed-size.ts";
import { type Landings, landedSince, upTo, withLandedCommit, withTrusted } from "./landings.ts";
import { isLandedNotLive, type LiveState } from "./live-check.ts";
import { baseKey } from "./people-fact.ts";
import { type LandedProof, withProven } from "./proof-fact.ts";
import { withBaseMoved } from "./reduce-people.ts";
import { type RunState, ticketById, ticketIndex } from "./state.ts";
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
  const known = findBrokenBase(state, repo);
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
    cause: base.cause,
    summary: `${describeSuspect(base)}: ${base.summary}`,
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
  const { phase, closedByPerson } = ticketById(state, id);
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
  return { since: known?.since ?? at, cause: "check", sha, step: name, summary, ticket: suspect };
}

/** The suspected commit and its ticket, in words. */
export function describeSuspect({ sha, ticket }: Pick<BrokenBase, "sha" | "ticket">): string {
  return ticket === undefined ? `${sha.slice(0, 7)}, which this run did not land` : `${sha.slice(0, 7)} of ${ticket}`;
}

/** Makes the checks due that waited for an earlier environment of a base that is whole now. */
function withHeldChecksDue(state: RunState, repo: string, at: number): RunState {
  let next = state;
  for (const [index, ticket] of [...vecItems(state.tickets)].entries()) {
    const { live, phase } = ticket;
    if (live?.waitsFor === undefined || live.checking || phase !== "landed" || plannedTicket(state.plan, ticket.id).repo !== repo)
      continue;
    const { givenUp: _, isOutOfAttempts: __, ...rest } = live;
    next = withTicket(next, index, { ...ticket, live: { ...rest, inconclusive: 0, nextAt: at } });
  }
  return next;
}

/** The failing base of a repository; undefined if nothing that landed on it is known to fail. */
export function findBrokenBase({ brokenBases }: Pick<RunState, "brokenBases">, repo: string): BrokenBase | undefined {
  return Object.hasOwn(brokenBases, repo) ? brokenBases[repo] : undefined;
}

function firstNotLive(state: RunState, repo: string): TicketState | undefined {
  const commits = Object.hasOwn(state.landings, repo) ? (state.landings[repo]?.commits ?? []) : [];
  let first: { readonly ticket: TicketState; readonly live: LiveState; readonly order: number } | undefined;
  for (const ticket of vecItems(state.tickets)) {
    const { live } = ticket;
    if (live === undefined || !isLandedNotLive(ticket) || live.waitsFor !== undefined || live.untold) continue;
    if (plannedTicket(state.plan, ticket.id).repo !== repo) continue;
    // What is no longer in the list landed before all that is.
    const order = commits.findIndex(({ sha }) => sha === live.sha);
    const isFirst = first === undefined || order < first.order || (order === first.order && live.landedAt < first.live.landedAt);
    if (isFirst) first = { ticket, live, order };
  }
  return first?.ticket;
}

function brokenBy(state: RunState, { id }: TicketState, live: LiveState, since: number): BrokenBase {
  const step = plannedTicket(state.plan, id).finish.find((spec) => spec.step === "verify" && live.check === stepName(spec));
  const environment = step?.step === "verify" && step.environment !== undefined ? { environment: step.environment } : {};
  const summary = live.history.at(-1)?.summary ?? "its live check failed";
  return { since, cause: "verify", sha: live.sha, ticket: id, step: live.check, summary, ...environment };
}

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
    const next: FailingCheck = { ...check, isRunning: true, seen, isRepeated: known.seen === seen || undefined };
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
  const suspect = repoLandings(state, repo)?.last === sha ? landedBy(state, sha) : undefined;
  const passed = spec?.step === "check" ? landedThrough(state, repo, spec).findLast((each) => each !== sha) : undefined;
  const fresh = { since: at, sha, foundBy, step, name, summary, suspect, ...(passed && { passed }) };
  const next: FailingCheck = { ...(known === undefined ? fresh : idle(known)), seen: known?.seen ?? sha };
  return withRepoBase({ ...state, failingChecks: { ...state.failingChecks, [repo]: next } }, repo, at);
}

/** The check that fails on a base. */
export function failingStep({ plan }: RunState, { foundBy, step }: Pick<FailingCheck, "foundBy" | "step">): StepSpec | undefined {
  return plannedTicket(plan, foundBy).finish[step];
}

/** Identifies a check in a finish line. A report that is found may turn out to be none: it is no part of that. */
export function checkKey(step: StepSpec): string {
  const isFound = step.step === "check" && step.report?.format === "found";
  return JSON.stringify(isFound ? { ...step, report: undefined } : step);
}

/** Commits that the run has landed through a check, oldest first: each passed it before it landed. */
export function landedThrough(state: RunState, repo: RepoId, check: StepSpec): readonly string[] {
  const key = checkKey(check);
  const landed = repoLandings(state, repo)?.commits ?? [];
  return landed
    .filter(({ ticket }) => plannedTicket(state.plan, ticket).finish.some((each) => checkKey(each) === key))
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

/** Adds a landing, or the revert of one, to the knowledge of its repository's base. */
export function withLanding(
  state: RunState,
  event: Pick<Extract<RunEvent, { type: "merge-landed" }>, "ticket" | "repo" | "from" | "to"> & {
    readonly proof?: LandedProof | undefined;
    readonly type?: RunEvent["type"];
  },
): RunState {
  const { ticket: id, repo, from, to, proof } = event;
  const index = ticketIndex(state, id);
  const { mergedSha, pendingWork } = vecAt(state.tickets, index);
  // The branch as it was found, with whatever others have pushed there.
  if (from === to) return withBaseMoved(state, event);
  // A landing that was cut off is reported once more; one of an earlier run belongs to the first base of this one.
  if (mergedSha === to || pendingWork?.landed?.to === to) return withBaseMoved(state, event);
  const only = state.plan.tickets[index]?.allow ?? {};
  const known = repoLandings(state, repo);
  const before = known === undefined ? { first: from, trusted: [] } : upTo(known, from);
  const approved = proof?.approved ?? [];
  const next = withTrusted(before, { from, to, only: approved.length === 0 ? only : { ...only, files: approved } });
  const commits = withLandedCommit(known?.commits ?? [], {
    sha: to,
    ticket: id,
    reverts: event.type === "revert-landed" || undefined,
  });
  const landed: Landings = { ...next, initial: known?.initial ?? from, last: to, commits };
  const isProven = proof !== undefined && proof.unproven !== true && coversEarlier(state, repo, id);
  const proofs = isProven ? withProven(state.proofs, repo, to) : state.proofs;
  return withBaseMoved({ ...state, proofs, landings: { ...state.landings, [repo]: landed } }, event);
}

/** True if a ticket has every check of what landed since the last proof, so that its own proof covers that too. */
function coversEarlier(state: RunState, repo: RepoId, id: TicketId): boolean {
  const { plan, proofs } = state;
  const ticketCheckKeys = (ticket: TicketId) =>
    plannedTicket(plan, ticket)
      .finish.filter(({ step }) => step === "check")
      .map((step) => JSON.stringify(step));
  const own = new Set(ticketCheckKeys(id));
  const earlier = landedSince(repoLandings(state, repo)?.commits ?? [], proofs[repo]?.proven);
  return earlier.every(({ ticket }) => ticketCheckKeys(ticket).every((check) => own.has(check)));
}

/** The knowledge of a repository's base; undefined if nothing has landed there. */
export function repoLandings({ landings }: Pick<RunState, "landings">, repo: RepoId): Landings | undefined {
  return Object.hasOwn(landings, repo) ? landings[repo] : undefined;
}

/** Records the landed commit of a ticket, and the base before it. */
export function withMergedCommit(
  state: RunState,
  index: number,
  { from, to }: Pick<Extract<RunEvent, { type: "merge-landed" }>, "from" | "to">,
): RunState {
  const { landedWith: _, ...ticket } = vecAt(state.tickets, index);
  const size = ticket.attempt && landedSize(ticket.attempt);
  return withTicket(state, index, { ...ticket, mergedSha: to, mergedFrom: from, ...(size && { landedWith: size }) });
}
