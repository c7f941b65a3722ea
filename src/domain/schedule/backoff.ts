import type { SanitizedStop } from "../run/attempt-fact.ts";
import type { RunEvent } from "../run/event.ts";
import type { RunState } from "../run/state.ts";
import { claimsDone } from "../run/ticket-state.ts";
import { formatUtc } from "../values/time.ts";
import { firstToRecover } from "./accounts.ts";
import { reachOf } from "./breaker.ts";
import type { Halt, Party } from "./halt.ts";

/** The first wait after a model's API turned somebody away. It doubles with each further time in a row. Milliseconds. */
const FIRST_MS = 30_000;
/** The longest wait that the engine chooses itself. Milliseconds. */
const LONGEST_OWN_MS = 30 * 60_000;

/** The longest total backoff, in milliseconds. A run that would wait longer is parked. */
export const LONGEST_BACKOFF_MS = 6 * 3_600_000;

/** Applies an agent's end to the whole run: a backoff, a halt, or the model's API works again. */
export function afterAgent(state: RunState, event: Extract<RunEvent, { type: "agent-ended" }>): RunState {
  const { at, stop, ending, exitCode, account = 0 } = event;
  if (stop !== undefined) return stoppedBy(state, { party: "agent", account, stop, at });
  // An agent that came to its own end got its answers.
  return claimsDone({ launchedAt: at, ending, exitCode }) ? clearRateLimit(state, "agent", account) : state;
}

/** The same for an answer of the reviewer. Nothing lands without one, and further agents would only add to the waiting work. */
export function afterAnswer(state: RunState, event: Extract<RunEvent, { type: "reviewer-answered" }>): RunState {
  const { at, stop, valid, account = 0 } = event;
  if (stop !== undefined) return stoppedBy(state, { party: "reviewer", account, stop, at });
  return valid ? clearRateLimit(state, "reviewer", account) : state;
}

/** A stop, and the time at which it was reported. */
interface Stopped {
  readonly party: Party;
  readonly account: number;
  readonly stop: SanitizedStop;
  readonly at: number;
}

function stoppedBy(state: RunState, stopped: Stopped): RunState {
  const reach = reachOf(stopped.stop.kind);
  if (reach === "run") return halt(state, haltOf(stopped));
  return reach === "waits" ? turnedAway(state, stopped) : state;
}

function clearRateLimit(state: RunState, party: Party, account: number): RunState {
  const limits = state.rateLimited?.[party];
  if (limits?.[account] === undefined) return state;
  const { [account]: _, ...others } = limits;
  const { [party]: __, ...rest } = state.rateLimited ?? {};
  return { ...state, rateLimited: Object.keys(others).length === 0 ? rest : { ...rest, [party]: others } };
}

function turnedAway(state: RunState, stopped: Stopped): RunState {
  const { party, account, stop, at } = stopped;
  const limits = state.rateLimited?.[party];
  const limited = limits?.[account];
  // Requests that were under way together are turned away together, and count as once.
  const isWaiting = state.backoffDue !== undefined || isBackingOff(state, at);
  const together = isWaiting || (limited !== undefined && at < limited.until);
  const times = Math.max(1, (limited?.times ?? 0) + (together ? 0 : 1));
  const since = limited?.since ?? at;
  const own = Math.min(LONGEST_OWN_MS, FIRST_MS * 2 ** Math.min(times - 1, 20));
  // A program may report its own wait as the API's, and it may be too short.
  const until = Math.max(limited?.until ?? 0, at + Math.max(own, Math.ceil(stop.retryAfterMs ?? 0)));
  const rateLimited = { ...state.rateLimited, [party]: { ...limits, [account]: { since, times, until } } };
  const next: RunState = { ...state, rateLimited };
  const first = firstToRecover(next, party, at);
  if (first === undefined) return next;
  if (first.until - first.since > LONGEST_BACKOFF_MS) return halt(next, { ...haltOf(stopped), until: first.until });
  if (first.until <= Math.max(state.backoff?.until ?? 0, state.backoffDue?.until ?? 0)) return next;
  const who = party === "agent" ? "the model's API rejected an agent's request" : "the reviewer's API rejected a request";
  return { ...next, backoffDue: { until: first.until, reason: `${who} (${stop.kind}): ${stop.says}` } };
}

function haltOf({ party, stop: { kind, says } }: Stopped): Halt {
  return { kind, says, ...(party === "reviewer" ? { party: party } : {}) };
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
  const { halted: _, rateLimited: __, ...rest } = state;
  return rest;
}

/** True if no agent may start at this moment. */
export function isBackingOff({ backoff }: Pick<RunState, "backoff">, now: number): boolean {
  return backoff !== undefined && now < backoff.until;
}

const FIX_SPEND = "fix it, or set limits.countOtherSessions to false";

const TODO: Readonly<Partial<Record<Halt["kind"], Readonly<Record<Party, string>>>>> = {
  authentication: {
    agent: "use an API key that the model's API accepts",
    reviewer: "use an API key that the reviewer's API accepts",
  },
  permission: {
    agent: "grant the key the missing permission, or name another key or model",
    reviewer: "grant the reviewer's key the missing permission, or name another key or model for it",
  },
  model: {
    agent: "name a model that the key can use",
    reviewer: "name a model for the reviewer that its key can use",
  },
  "spend-unknown": { agent: FIX_SPEND, reviewer: FIX_SPEND },
};

/** The reason of a halt and what to do about it. One line. */
export function describeHalt({ kind, says, until, party }: Halt): string {
  if (kind === "outage") return `no agent starts any more: ${says}`;
  const cause = party === "reviewer" ? `the reviewer: ${kind}` : kind;
  const why = `no agent starts any more (${cause}): ${says}`;
  const todo = TODO[kind]?.[party ?? "agent"];
  if (until !== undefined) return `${why}; try again after ${formatUtc(until)}`;
  return todo === undefined ? why : `${why}; ${todo}, then run the same command again`;
}
