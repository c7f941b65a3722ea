import { isSettled, type RunState, type TicketState } from "../run/state.ts";
import { vecItems } from "../values/vec.ts";
import { describeHalt, isBackingOff } from "./backoff.ts";
import { attemptCap, reserveOf } from "./money.ts";

/** What is to happen before a run ends as not done: a heal, a wait until one may begin, or nothing. */
export type HealChoice = { readonly n: number; readonly reservedUsd: number } | "wait" | undefined;

/**
 * Whether a stop is one that a better harness might have spared the run: tickets have used up their attempts or a breaker stopped
 * them, a heal is left, and there is money for it and for one more attempt of such a ticket after it (S5.18, S5.21). A stop by what
 * ended all starts is none, and after a heal that was not accepted the real stop is shown.
 */
export function healChoice(state: RunState, now: number): HealChoice {
  const { batch, heals, halted } = state;
  if (heals.started >= batch.limits.heals || heals.givenUp === true || halted !== undefined) return undefined;
  const reservedUsd = reserveOf(batch);
  const worth = [...vecItems(state.tickets)].some(
    (ticket) => isHealable(ticket) && attemptCap(state, ticket, reservedUsd) === undefined,
  );
  if (!worth) return undefined;
  // Its agent is one like any other.
  if (state.paused || isBackingOff(state, now)) return "wait";
  return { n: heals.started + 1, reservedUsd };
}

/**
 * Whether the attempts of a ticket that is given up were used up by its agents. That a tracker could not be told is nothing that a
 * prompt mends, and what a person has ended is the person's; nor does one mend a model that was not to be had.
 */
export function isHealable(ticket: TicketState): boolean {
  return ticket.phase === "stalled" && ticket.stalledBy === "attempts" && failedByItsAgents(ticket);
}

/** Whether what its agents were told may be why a ticket is open: it was given up for that, or attempts have failed so far. */
export function canHealHelp(ticket: TicketState): boolean {
  return isSettled(ticket.phase) ? isHealable(ticket) : ticket.failures > 0 && failedByItsAgents(ticket);
}

function failedByItsAgents({ gate, evidence, history, signs }: TicketState): boolean {
  if (gate !== undefined || evidence.at(-1)?.step === "assert" || history.at(-1)?.outcome === "killed") return false;
  return (signs?.turnedAway ?? 0) === 0;
}

/** Why a heal that a person wants cannot be, in words; undefined where it can. */
export function whyNoHeal(state: RunState): string | undefined {
  const { batch, heals, halted } = state;
  const most = batch.limits.heals;
  if (most === 0) return "heals are off in this batch";
  if (heals.started >= most) return `no heal is left: ${heals.started} of ${most} are used up`;
  if (halted !== undefined) return describeHalt(halted);
  const candidates = [...vecItems(state.tickets)].filter(canHealHelp);
  if (candidates.length === 0) return "there is nothing to heal: no open ticket has failed by what its agents did";
  const reservedUsd = reserveOf(batch);
  const affordable = candidates.some((ticket) => attemptCap(state, ticket, reservedUsd) === undefined);
  return affordable ? undefined : "the money does not do for it and one more attempt";
}
