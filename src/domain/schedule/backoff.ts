import { allAccounts, PARTIES, PARTY_NAMES, type Party, refusalAdvice, reviewerParty, type VendorSpec } from "../batch/party.ts";
import type { SanitizedStop } from "../run/attempt-fact.ts";
import type { RunEvent } from "../run/event.ts";
import type { RunState } from "../run/state.ts";
import { type Attempt, claimsDone } from "../run/ticket-state.ts";
import { nthDelay } from "../values/delays.ts";
import { plural } from "../values/text.ts";
import { formatUtc } from "../values/time.ts";
import { firstToRecover, isAnotherFree, partyAccountCount } from "./accounts.ts";
import { stopReach } from "./breaker.ts";
import type { Halt, RateLimit } from "./halt.ts";
import {
  FIRST_AWAY_MS,
  fatalModelOutage,
  haltByOutage,
  isOutage,
  LONGEST_AWAY_MS,
  modelOutage,
  outageDeadline,
  outageMinutes,
  withModelOutage,
} from "./model-outage.ts";

/** The first wait after a model's API turned somebody away. It doubles with each further time in a row. Milliseconds. */
const FIRST_MS = 30_000;
/** The longest wait that the engine chooses itself. Milliseconds. */
const LONGEST_OWN_MS = 30 * 60_000;

/** The longest total backoff, in milliseconds. A run that would wait longer ends. */
export const LONGEST_BACKOFF_MS = 6 * 3_600_000;

/** Applies an agent's end to the whole run: a backoff, a halt, or the model's API works again. */
export function afterAgent(state: RunState, event: Extract<RunEvent, { type: "agent-ended" }>): RunState {
  const { at, stop, ending, exitCode, account = 0 } = event;
  if (stop !== undefined) return stoppedBy(state, { party: "agent", account, stop, at });
  // An agent that came to its own end got its answers.
  return claimsDone({ launchedAt: at, ending, exitCode }) ? clearRateLimit(state, { party: "agent", account, at }) : state;
}

/** The same for an answer of a reviewer. Nothing lands without one, and further agents would only add to the waiting work. */
export function afterAnswer(state: RunState, event: Extract<RunEvent, { type: "reviewer-answered" }>): RunState {
  const { at, stop, valid, account = 0 } = event;
  const party = reviewerParty(event);
  if (stop !== undefined) return stoppedBy(state, { party, account, stop, at });
  return valid ? clearRateLimit(state, { party, account, at }) : state;
}

/** The same for the agent of a heal. Of its stops, only an outage concerns the run. */
export function afterHealer(state: RunState, event: Extract<RunEvent, { type: "heal-ended" }>): RunState {
  const { at, stop, outcome, account = 0 } = event;
  if (stop !== undefined) return isOutage(stop.kind) ? stoppedBy(state, { party: "agent", account, stop, at }) : state;
  const isOver = outcome === "failed" || outcome === "lost";
  return isOver ? state : clearRateLimit(state, { party: "agent", account, at });
}

/** A stop, and the time at which it was reported. */
interface Stopped {
  readonly party: Party;
  readonly account: number;
  readonly stop: SanitizedStop;
  readonly at: number;
}

function stoppedBy(state: RunState, stopped: Stopped): RunState {
  const reach = stopReach(stopped.stop.kind);
  if (reach === "run") return halt(state, toHalt(state, stopped));
  if (reach === "waits") return turnedAway(state, stopped);
  return stopped.stop.answered ? clearRateLimit(state, stopped) : state;
}

/** Marks an attempt that a model's API turned away during an outage that the run knew before. */
export function markOutage(state: RunState, party: Party, { stop, account = 0 }: ReportedStop): Pick<Attempt, "inOutage"> {
  if (stop === undefined || !isOutage(stop.kind) || stop.answered) return {};
  return state.rateLimited?.[party]?.[account]?.away === undefined ? {} : { inOutage: true };
}

/** The stop of an agent or a reviewer, and the number of the account that it used, as an event reports them. */
interface ReportedStop {
  readonly stop?: SanitizedStop;
  readonly account?: number;
}

function clearRateLimit(state: RunState, { party, account, at }: Omit<Stopped, "stop">): RunState {
  const limits = state.rateLimited?.[party];
  if (limits?.[account] === undefined) return state;
  const { [account]: _, ...others } = limits;
  const { [party]: __, ...rest } = state.rateLimited ?? {};
  const rateLimited = Object.keys(others).length === 0 ? rest : { ...rest, [party]: others };
  const cleared = withModelOutage({ ...state, rateLimited }, state.lastEventAt);
  return partyAccountCount(state, party) > 1 ? endBackoff(cleared, at) : cleared;
}

/**
 * Ends the wait if each party has a free account again. A party with a single account waits as long as its API asked for,
 * whatever answer another request got.
 */
function endBackoff(state: RunState, at: number): RunState {
  if (PARTIES.some((party) => firstToRecover(state, party, at) !== undefined)) return state;
  const { backoff: _, backoffDue: __, ...rest } = state;
  return rest;
}

function turnedAway(state: RunState, stopped: Stopped): RunState {
  const { party, account, at } = stopped;
  const limits = { ...state.rateLimited?.[party], [account]: limitAfter(state, stopped) };
  const limited: RunState = { ...state, rateLimited: { ...state.rateLimited, [party]: limits } };
  const first = firstToRecover(limited, party, at);
  if (first === undefined) return withModelOutage(limited, at);
  const over = fatalModelOutage(limited, party, at);
  if (over !== undefined) return haltByOutage(withModelOutage(limited, at), over);
  const next = withModelOutage(limited, first.until);
  if (first.until - first.since > LONGEST_BACKOFF_MS) return halt(next, { ...toHalt(state, stopped), until: first.until });
  if (first.until <= Math.max(state.backoff?.until ?? 0, state.backoffDue?.until ?? 0)) return next;
  return { ...next, backoffDue: { until: first.until, reason: whyTurnedAway(next, stopped) } };
}

/** The rate limit of an account that its API has turned away once more. */
function limitAfter(state: RunState, { party, account, stop, at }: Stopped): RateLimit {
  const limited = state.rateLimited?.[party]?.[account];
  const away = awayAfter(limited, stop, at);
  // An answer in between begins a new outage.
  const before = away !== undefined && stop.answered ? undefined : limited;
  const times = Math.max(1, (before?.times ?? 0) + (isTogether(state, limited, at) ? 0 : 1));
  const since = before?.since ?? at;
  // If another account is free, this one can wait longer.
  const isSoon = away !== undefined && !isAnotherFree(state, party, account, at);
  const [firstMs, mostMs] = isSoon ? [FIRST_AWAY_MS, LONGEST_AWAY_MS] : [FIRST_MS, LONGEST_OWN_MS];
  const own = nthDelay(times, firstMs, mostMs);
  // A program may report its own wait as the API's, and it may be too short.
  const asked = at + Math.max(own, Math.ceil(stop.retryAfterMs ?? 0));
  const end = away === undefined ? 0 : outageDeadline(state, away.since);
  const until = Math.max(limited?.until ?? 0, isSoon && at < end ? Math.min(asked, end) : asked);
  return { since, times, until, away };
}

/** True if the request was under way together with others that were turned away: they count once. */
function isTogether(state: RunState, limited: RateLimit | undefined, at: number): boolean {
  return state.backoffDue !== undefined || isBackingOff(state, at) || (limited !== undefined && at < limited.until);
}

/** The outage of an account after this stop: a new one, or the same one if nothing was answered since. */
function awayAfter(limited: RateLimit | undefined, { kind, says, answered }: SanitizedStop, at: number): RateLimit["away"] {
  if (!isOutage(kind)) return undefined;
  const since = answered ? at : (limited?.away?.since ?? at);
  return { since, says };
}

function whyTurnedAway(state: RunState, { party, stop: { kind, says } }: Stopped): string {
  const reviewer = `the ${PARTY_NAMES[party]}`;
  const isAsked = party === "agent" && state.batch.agent.kind === "command" && kind === "rate-limited";
  if (isAsked) return `an agent asks to wait (${kind}): ${says}`;
  const [who, api] = party === "agent" ? ["an agent", "the model's API"] : [reviewer, `${reviewer}'s API`];
  const rejected = party === "agent" ? `${api} rejected an agent's request` : `${api} rejected a request`;
  const why = `${kind === "unreachable" ? `${who} cannot reach its model's API` : rejected} (${kind}): ${says}`;
  return modelOutage(state, party) === undefined ? why : `${why}; gives up after ${plural(outageMinutes(state), "minute")}`;
}

function toHalt({ batch }: RunState, { party, account, stop: { kind, says } }: Stopped): Halt {
  const spec = batch[party];
  const isRefused = kind === "authentication" || kind === "permission";
  const todo =
    isRefused && spec && spec.kind !== "command" ? refusalAdvice(allAccounts<VendorSpec>(spec)[account], kind) : undefined;
  return { kind, says, party: party === "agent" ? undefined : party, todo };
}

/** No agent starts any more. The first cause stays. */
export function halt(state: RunState, halted: Halt): RunState {
  return state.halted === undefined ? { ...state, halted } : state;
}

/** Money that nobody can count is not spent: no agent starts any more (law 4). */
export function haltOnUnknownSpend(state: RunState, { why }: Extract<RunEvent, { type: "day-spend-unknown" }>): RunState {
  return halt(state, { kind: "spend-unknown", says: `what other sessions have cost today is not known: ${why}` });
}

/** No agent starts until then. */
export function backOff(state: RunState, { until, reason }: Extract<RunEvent, { type: "backoff-started" }>): RunState {
  const { backoffDue: _, ...rest } = state;
  return { ...rest, backoff: { until, reason } };
}

/** Clears the halt for a new engine, because somebody may have fixed its cause. A backoff stays. */
export function clearHalt(state: RunState): RunState {
  const { halted: _, rateLimited: __, sharedFault: ___, recentEnds: ____, ...rest } = state;
  return rest;
}

/** True if no agent may start at this moment. */
export function isBackingOff({ backoff }: Pick<RunState, "backoff">, now: number): boolean {
  return backoff !== undefined && now < backoff.until;
}

const FIX_SPEND = "fix it, or set limits.countOtherSessions to false";

/** The remedy for a halt that concerns the agents, and for one that concerns a reviewer, by its name. */
const TODO: Readonly<Partial<Record<Halt["kind"], { readonly agent: string; readonly reviewer: (name: string) => string }>>> = {
  authentication: {
    agent: "use an API key that the model's API accepts",
    reviewer: (name) => `use an API key that the ${name}'s API accepts`,
  },
  permission: {
    agent: "grant the key the missing permission, or name another key or model",
    reviewer: (name) => `grant the ${name}'s key the missing permission, or name another key or model for it`,
  },
  model: {
    agent: "name a model that the key can use",
    reviewer: (name) => `name a model for the ${name} that its key can use`,
  },
  "spend-unknown": { agent: FIX_SPEND, reviewer: () => FIX_SPEND },
};

/** The reason of a halt and what to do about it. One line. */
export function describeHalt({ kind, says, until, party, todo: own }: Halt): string {
  if (kind === "outage") return `no agent starts any more: ${says}`;
  const cause = party === undefined ? kind : `the ${PARTY_NAMES[party]}: ${kind}`;
  const why = `no agent starts any more (${cause}): ${says}`;
  const todo = own ?? (party === undefined ? TODO[kind]?.agent : TODO[kind]?.reviewer(PARTY_NAMES[party]));
  if (until !== undefined) return `${why}; try again after ${formatUtc(until)}`;
  return todo === undefined ? why : `${why}; ${todo}, then run the same command again`;
}
