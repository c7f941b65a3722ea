import { PARTIES, PARTY_NAMES, type Party } from "../batch/party.ts";
import type { AgentStopKind } from "../run/attempt-fact.ts";
import { describeFatalOutage, type FatalOutage, type Outage } from "../run/outage-fact.ts";
import type { RunState } from "../run/state.ts";
import { runTimeAfter } from "../run/suspension.ts";
import { accountRateLimits } from "./accounts.ts";

/** The first wait for a model's API that is away. It doubles each time. Milliseconds. */
export const FIRST_AWAY_MS = 10_000;
/** The longest one. Milliseconds. */
export const LONGEST_AWAY_MS = 2 * 60_000;

const MINUTE_MS = 60_000;

/**
 * True for a stop that is an outage of the model's API: nothing answers there, or it answers with an error of its own. A rate
 * limit is no outage, because the API says how long to wait.
 */
export function isOutage(kind: AgentStopKind): boolean {
  return kind === "unreachable" || kind === "overloaded";
}

/** Minutes for which a model's API may be away. */
export function outageMinutes({ batch }: Pick<RunState, "batch">): number {
  return batch.limits.outageMinutes;
}

/** The time at which an outage that began at `since` ends the run. Milliseconds since the epoch. */
export function outageDeadline(state: Pick<RunState, "batch" | "suspensions">, since: number): number {
  return runTimeAfter(state, since, outageMinutes(state) * MINUTE_MS);
}

/** The outage of a party's model: the time since which each of its accounts is away. Undefined if one of them is not. */
export function modelOutage(state: RunState, party: Party): Pick<Outage, "since" | "why"> | undefined {
  const away = accountRateLimits(state, party).map((limit) => limit?.away);
  const latest = away.reduce((a, b) => (a === undefined || b === undefined ? undefined : b.since > a.since ? b : a));
  if (latest === undefined) return undefined;
  return { since: latest.since, why: party === "agent" ? latest.says : `the ${PARTY_NAMES[party]}: ${latest.says}` };
}

/** The state with the outage of a model's API as it is now, for the screen. `nextAt`: the time of the next retry. */
export function withModelOutage(state: RunState, nextAt: number): RunState {
  const { model: _, ...others } = state.outages ?? {};
  const [outage] = PARTIES.flatMap((party) => modelOutage(state, party) ?? []);
  if (outage === undefined) return state.outages?.model === undefined ? state : { ...state, outages: others };
  return { ...state, outages: { ...others, model: { ...outage, nextAt, until: outageDeadline(state, outage.since) } } };
}

/** The outage of a party's model, if it has lasted too long. */
export function fatalModelOutage(state: RunState, party: Party, at: number): FatalOutage | undefined {
  const outage = modelOutage(state, party);
  if (outage === undefined || at < outageDeadline(state, outage.since)) return undefined;
  return { what: "model", why: outage.why, ms: at - outage.since };
}

/** The state of a run that this outage ends: no agent starts any more. An earlier cause stays the cause. */
export function haltByOutage(state: RunState, fatalOutage: FatalOutage): RunState {
  if (state.fatalOutage !== undefined) return state;
  const halted = state.halted ?? { kind: "outage" as const, says: describeFatalOutage(fatalOutage) };
  return { ...state, fatalOutage, halted };
}
