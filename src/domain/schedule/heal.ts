import type { RunState } from "../run/state.ts";
import { isSettled, type TicketState } from "../run/ticket-state.ts";
import { vecItems } from "../values/vec.ts";
import { describeHalt, isBackingOff } from "./backoff.ts";
import { attemptCap, reserveOf } from "./money.ts";

/** The choice before a run ends as not done: a heal, a wait until one may begin, or nothing. */
export type HealChoice = { readonly n: number; readonly reservedUsd: number } | "wait" | undefined;

/**
 * Gives a heal if a better harness might have spared the run its end: tickets have used up their attempts or a breaker stopped
 * them, a heal is left, and there is money for it and for one more attempt of such a ticket (S5.18, S5.21). A halt gives none.
 * After a heal that was not accepted, the real reason of the end is shown.
 */
export function healChoice(state: RunState, now: number): HealChoice {
  const { batch, heals, halted } = state;
  if (state.checksOnly || heals.started >= batch.limits.heals || heals.givenUp === true || halted !== undefined) return undefined;
  const reservedUsd = reserveOf(batch);
  const worth = [...vecItems(state.tickets)].some(
    (ticket) => isHealable(ticket) && attemptCap(state, ticket, reservedUsd) === undefined,
  );
  if (!worth) return undefined;
  // A heal's agent waits like any other.
  if (state.paused || isBackingOff(state, now)) return "wait";
  return { n: heals.started + 1, reservedUsd };
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
  return (signs?.turnedAway ?? 0) === 0;
}

/** The reason why a requested heal is impossible, in words; undefined if it is possible. */
export function whyNoHeal(state: RunState): string | undefined {
  const { batch, heals, halted } = state;
  const most = batch.limits.heals;
  if (state.checksOnly) return "this run only checks what has landed";
  if (most === 0) return "heals are off in this batch";
  if (heals.started >= most) return `no heal is left: ${heals.started} of ${most} are used up`;
  if (halted !== undefined) return describeHalt(halted);
  const candidates = [...vecItems(state.tickets)].filter(canHealHelp);
  if (candidates.length === 0) return "there is nothing to heal: no open ticket has failed by what its agents did";
  const reservedUsd = reserveOf(batch);
  const affordable = candidates.some((ticket) => attemptCap(state, ticket, reservedUsd) === undefined);
  return affordable ? undefined : "the money does not do for it and one more attempt";
}
