import { mostHeals } from "../batch/heals-spec.ts";
import type { HealerAnswer } from "../outbox/healer-answer.ts";
import { type PastHeal, usedHeals } from "../run/heals-state.ts";
import type { RunState } from "../run/state.ts";
import { isSettled, type TicketState } from "../run/ticket-state.ts";
import type { RepoId, TicketId } from "../values/ids.ts";
import { vecAt, vecItems } from "../values/vec.ts";
import { describeHalt, isBackingOff } from "./backoff.ts";
import { attemptCap, attemptReserveUsd } from "./money.ts";

/** The choice before a run ends as not done: a heal, a wait until one may begin, or nothing. */
export type HealChoice = { readonly n: number; readonly reservedUsd: number; readonly repo: RepoId } | "wait" | undefined;

/**
 * Gives a heal if a better harness might have spared the run its end: tickets have used up their attempts or a breaker stopped
 * them, a heal is left, and there is money for it and for one more attempt of such a ticket (S5.18, S5.21). A halt gives none.
 * After a heal that was not accepted, the real reason of the end is shown.
 */
export function healChoice(state: RunState, now: number): HealChoice {
  const { batch, heals, halted } = state;
  if (state.checksOnly || usedHeals(heals) >= mostHeals(batch) || heals.givenUp === true || halted !== undefined)
    return undefined;
  const repo = repoToHeal(state, isHealable);
  if (repo === undefined) return undefined;
  // A heal's agent waits like any other.
  if (state.paused || isBackingOff(state, now)) return "wait";
  return { n: heals.started + 1, reservedUsd: attemptReserveUsd(batch), repo };
}

/**
 * The repository that a heal is about: the one with the most tickets that it may help and that can start again, the first of
 * equals. A heal is about one repository, because what agents of one print must not reach the prompts of another.
 */
export function repoToHeal(state: RunState, canHelp: (ticket: TicketState) => boolean): RepoId | undefined {
  const reservedUsd = attemptReserveUsd(state.batch);
  const tickets = new Map<RepoId, number>();
  let index = 0;
  for (const ticket of vecItems(state.tickets)) {
    const repo = state.plan.tickets[index]?.repo;
    const canStart = canHelp(ticket) && attemptCap(state, ticket, reservedUsd) === undefined;
    if (repo !== undefined && canStart && gatesBefore(state, index).length === 0) tickets.set(repo, (tickets.get(repo) ?? 0) + 1);
    index += 1;
  }
  return [...tickets].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

/** The human-gated tickets that a ticket waits for, directly or behind others. No agent can help it before a person has acted. */
export function gatesBefore(state: RunState, index: number): readonly TicketId[] {
  if (state.counts["human-gated"] === 0) return [];
  const seen = new Set<number>();
  const gated: TicketId[] = [];
  const look = (at: number): void => {
    for (const id of state.plan.tickets[at]?.dependsOn ?? []) {
      const dep = state.plan.index[id];
      if (dep === undefined || seen.has(dep)) continue;
      seen.add(dep);
      const { phase } = vecAt(state.tickets, dep);
      if (phase === "human-gated") gated.push(id);
      else if (phase !== "done") look(dep);
    }
  };
  look(index);
  return gated;
}

/**
 * True if the agents used up the attempts of a ticket that was given up. A prompt does not fix a tracker that could not be told,
 * an attempt that a person ended, or a model that was not available.
 */
export function isHealable(ticket: TicketState): boolean {
  return ticket.phase === "stalled" && ticket.stalledBy === "attempts" && failedByItsAgents(ticket);
}

/** True if the agents' instructions may be why a ticket is open: it was given up for that, or attempts have failed so far. */
export function canHealHelp(ticket: TicketState): boolean {
  return isSettled(ticket.phase) ? isHealable(ticket) : ticket.failures > 0 && failedByItsAgents(ticket);
}

function failedByItsAgents({ gate, evidence, history, signs }: TicketState): boolean {
  if (gate !== undefined || evidence.at(-1)?.step === "assert" || history.at(-1)?.outcome === "killed") return false;
  // What only a person can decide, no prompt does.
  return (signs?.turnedAway ?? 0) === 0 && signs?.hopeless !== "unruled";
}

/** The reason why a requested heal is impossible, in words; undefined if it is possible. */
export function whyNoHeal(state: RunState): string | undefined {
  const { batch, heals, halted } = state;
  const most = mostHeals(batch);
  if (state.checksOnly) return "this run only checks what has landed";
  if (most === 0) return "heals are off in this batch";
  if (usedHeals(heals) >= most) return `no heal is left: ${usedHeals(heals)} of ${most} are used up`;
  if (halted !== undefined) return describeHalt(halted);
  if (repoToHeal(state, canHealHelp) !== undefined) return undefined;
  const candidates = [...vecItems(state.tickets)].filter(canHealHelp);
  const gated = candidates.length === 0 ? gatesBeforeAll(state) : gatesBeforeAll(state, canHealHelp);
  if (gated.length > 0) return `there is nothing to heal: what is open waits for ${gated.join(", ")}, which a person must finish`;
  if (candidates.length === 0) return "there is nothing to heal: no open ticket failed because of its agents";
  return "the budget does not cover a heal and one more attempt";
}

/** Gated tickets that are named in one line. */
const NAMED = 4;

/** The human-gated tickets that open tickets wait for. */
function gatesBeforeAll(state: RunState, only: (ticket: TicketState) => boolean = () => true): readonly TicketId[] {
  const all = [...vecItems(state.tickets)].flatMap((ticket, index) =>
    ticket.phase === "done" || ticket.phase === "human-gated" || !only(ticket) ? [] : gatesBefore(state, index),
  );
  return [...new Set(all)].slice(0, NAMED);
}

/** The reason why a healer's answer names wrong tickets; undefined if it does not. A wall may name only tickets of its prompt. */
export function whyMisnamed(state: RunState, repo: RepoId | undefined, { kind, prediction }: HealerAnswer): string | undefined {
  for (const id of prediction) {
    const index = Object.hasOwn(state.plan.index, id) ? state.plan.index[id] : undefined;
    if (index === undefined) return `names ${id}, which is not a ticket of this run`;
    const ticket = vecAt(state.tickets, index);
    if (ticket.phase === "done" || ticket.phase === "human-gated") return `names ${id}, which is not open`;
    const isInPrompt = canHealHelp(ticket) && (repo === undefined || state.plan.tickets[index]?.repo === repo);
    if (kind === "wall" && !isInPrompt) return `names ${id} as stopped by a wall, and it is none of the tickets that failed`;
  }
  return undefined;
}

/** The first heal that moved its stall and was not recorded yet. The oracle must be proven since, and the batch must want it. */
export function healToKeep({ heals, tripwire, batch }: RunState): PastHeal | undefined {
  if (tripwire.status !== "passed" || healKeepMode(batch) === "never") return undefined;
  return heals.past.find(({ outcome, moved, keep, reverted }) => {
    return outcome === "accepted" && reverted === undefined && moved.length > 0 && keep === undefined;
  });
}

/** The batch's setting for keeping heals for later runs; `auto` by default. */
export function healKeepMode({ heals }: RunState["batch"]): "auto" | "ask" | "never" {
  return heals?.keep ?? "auto";
}
