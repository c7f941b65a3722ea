import { isHeld } from "./hold.ts";
import { attemptCap, reserveOf } from "./money.ts";
import type { RunState, TicketState } from "./state.ts";
import { vecItems } from "./vec.ts";

/** What is to happen before a run ends as not done: a heal, a wait until one may begin, or nothing. */
export type HealChoice = { readonly n: number; readonly reservedUsd: number } | "wait" | undefined;

/**
 * Whether a stop is one that a better harness might have spared the run: tickets have used up their attempts or a breaker stopped
 * them, a heal is left, and there is money for it and for one more attempt of such a ticket after it (S5.18, S5.21). A stop by what
 * ended all starts is none, and after a heal that was not accepted the real stop is shown.
 */
export function healChoice(state: RunState, now: number): HealChoice {
  const { batch, heals, tripped } = state;
  if (heals.started >= batch.limits.heals || heals.givenUp === true || tripped !== undefined) return undefined;
  const reservedUsd = reserveOf(batch);
  const worth = [...vecItems(state.tickets)].some(
    (ticket) => isHealable(ticket) && attemptCap(state, ticket, reservedUsd) === undefined,
  );
  if (!worth) return undefined;
  // Its agent is one like any other.
  if (state.paused || isHeld(state, now)) return "wait";
  return { n: heals.started + 1, reservedUsd };
}

/**
 * Whether the attempts of a ticket that is given up were used up by its agents. That a tracker could not be told is nothing that a
 * prompt mends, and what a person has ended is the person's; nor does one mend a model that was not to be had.
 */
export function isHealable({ phase, stalledBy, gate, evidence, history, signs }: TicketState): boolean {
  if (phase !== "stalled" || stalledBy !== "attempts" || gate !== undefined) return false;
  if (evidence.at(-1)?.step === "assert" || history.at(-1)?.outcome === "killed") return false;
  return (signs?.turnedAway ?? 0) === 0;
}
