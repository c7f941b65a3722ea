import type { Ticket } from "../batch/schema.ts";
import { plansUsedUp } from "../complexity/planned.ts";
import type { AgentStopKind, AttemptOutcome, Evidence } from "../run/attempt-fact.ts";
import { type Attempt, claimsDone, type Signs, type TicketState } from "../run/ticket-state.ts";
import { usedUp } from "./stop-conditions.ts";

/** Equal failures in a row after which another attempt is not worth its money (S4.13). One may be chance, two a hard start. */
export const SAME_FAILURES = 3;

/**
 * Attempts in a row that changed nothing (S4.14). Two, and not three as for equal failures: the second agent was told that the
 * first had changed nothing, and claimed again to be done.
 */
export const UNCHANGED = 2;

/** Attempts in a row that a model's API may turn away, the agents' or the reviewer's, before one more counts as failed. */
export const TURNED_AWAY = 5;

/** The reach of an agent's stop. */
type StopReach =
  /** It passes with time and is no failure of the work: agents wait for a while. */
  | "waits"
  /** Every other agent would meet it until somebody acts: no more are started. */
  | "run"
  /** This ticket's next agent would meet it again. */
  | "ticket"
  /** It concerns this attempt alone. */
  | "attempt";

const REACH: Readonly<Record<AgentStopKind, StopReach>> = {
  "rate-limited": "waits",
  overloaded: "waits",
  unreachable: "waits",
  authentication: "run",
  permission: "run",
  model: "run",
  memory: "ticket",
  budget: "attempt",
  turns: "attempt",
  context: "attempt",
  refused: "attempt",
  unfinished: "attempt",
};

/** Gives the reach of a stop. */
export function stopReach(kind: AgentStopKind): StopReach {
  return REACH[kind];
}

/** Outcomes that use up one of the ticket's attempts. A stop or a lost engine is not the agent's failure. */
const COUNTED: ReadonlySet<AttemptOutcome> = new Set(["failed", "silent", "out-of-time", "killed"]);

/**
 * True if an attempt that ends uses up one of its ticket's attempts. A refusal by a check always does, whatever became of the
 * attempt after it, and so does a remediation. An attempt that a model's API turned away, or whose question to the reviewer it turned away, does not count
 * for the first times in a row, and never during an outage that others have met already: the time of that is bounded. A stop that
 * halts the run never counts.
 */
export function countsAsFailure({ signs }: TicketState, attempt: Attempt, outcome: AttemptOutcome): boolean {
  if (attempt.refused !== undefined) return outcome !== "done";
  if (attempt.isRemedied && (outcome === "stopped" || outcome === "lost")) return true;
  const waitsInVain = attempt.inOutage !== true && (signs?.turnedAway ?? 0) >= TURNED_AWAY;
  const { agent, unanswered } = attempt;
  if (outcome === "stopped" && unanswered !== undefined) return stopReach(unanswered) === "waits" && waitsInVain;
  if (!COUNTED.has(outcome)) return false;
  if (agent?.stop === undefined || outcome === "killed") return true;
  const reach = stopReach(agent.stop);
  return reach === "waits" ? waitsInVain : reach !== "run";
}

/** The signs after an attempt has ended. An attempt that did not count, and was not turned away, changes none of them. */
export function signsAfter(
  { signs = {} }: TicketState,
  attempt: Attempt,
  {
    outcome,
    counted,
    evidence,
  }: { readonly outcome: AttemptOutcome; readonly counted: boolean; readonly evidence: Evidence | undefined },
): Signs {
  if (outcome === "done") return {};
  if (evidence?.cause !== undefined && evidence.cause !== "blocked-path") return { ...signs, hopeless: evidence.cause };
  const stop = attempt.agent?.stop;
  const waits = [stop, attempt.unanswered].some((kind) => kind !== undefined && stopReach(kind) === "waits");
  const turnedAway = waits ? { turnedAway: (signs.turnedAway ?? 0) + (attempt.inOutage === true ? 0 : 1) } : {};
  if (!counted) return { ...signs, ...turnedAway };
  const unchanged = attempt.change?.files === 0 && attempt.agent !== undefined && claimsDone(attempt.agent);
  return {
    // A kill by a person says nothing about the work.
    ...(outcome === "killed" ? withFailure(signs.failure) : failedAgain(signs, evidence)),
    ...turnedAway,
    ...(unchanged ? { unchanged: (signs.unchanged ?? 0) + 1 } : {}),
    ...(stop !== undefined && stopReach(stop) === "ticket" ? { hopeless: stop } : {}),
    ...(signs.behaviour !== undefined && { behaviour: signs.behaviour }),
  };
}

/** The signs after a failure with this evidence. A failure without evidence equals no other. */
export function failedAgain({ failure }: Signs, evidence: Evidence | undefined): Signs {
  if (evidence === undefined) return {};
  const identity = failureIdentity(evidence);
  return { failure: { identity, times: failure?.identity === identity ? failure.times + 1 : 1 } };
}

function withFailure(failure: Signs["failure"]): Signs {
  return failure === undefined ? {} : { failure };
}

/**
 * The breaker that stops a ticket although it has attempts left, by name and in words; undefined if none does. The ticket's contract
 * may set tighter ones.
 */
export function trippedBreaker(ticket: TicketState, spec?: Pick<Ticket, "contract">): string | undefined {
  const { signs, evidence } = ticket;
  const minutes = usedUp(spec, ticket);
  if (minutes !== undefined) return minutes;
  const plans = plansUsedUp(ticket);
  if (plans !== undefined) return plans;
  if (signs === undefined) return undefined;
  if (signs.behaviour !== undefined) return `behaviour: ${signs.behaviour}; a person decides how it goes on`;
  if (signs.hopeless !== undefined) return `${signs.hopeless}: ${evidence.at(-1)?.summary ?? "no reason given"}`;
  if ((signs.unchanged ?? 0) >= UNCHANGED) return `no-change: ${signs.unchanged} attempts in a row changed nothing`;
  const { failure } = signs;
  if (failure === undefined || failure.times < sameFailuresFor(spec)) return undefined;
  return `same-failure: ${failure.times} attempts in a row failed alike; the last: ${evidence.at(-1)?.summary ?? "no reason given"}`;
}

function sameFailuresFor(spec: Pick<Ticket, "contract"> | undefined): number {
  return Math.min(SAME_FAILURES, spec?.contract?.stopWhen?.sameFailure ?? SAME_FAILURES);
}

/** Characters of an identity. Two that differ only after them count as equal. */
const IDENTITY_CHARS = 4_000;

/**
 * The parts of a failure that stay the same when it is repeated: step, name, and its signature or its tests. If there are none, its words without
 * those that differ from run to run, in any order (S4.37, S4.38). A failure with other words each time is not recognised; the
 * number of attempts is bounded anyway.
 */
export function failureIdentity({ step, name, summary, detail, tests, signature }: Evidence): string {
  if (signature !== undefined) return [step, name, signature].join("\n");
  const about =
    tests !== undefined && tests.length > 0
      ? tests.toSorted()
      : [lastingWords(summary), ...new Set(detail.split("\n").map(lastingWords).toSorted())].filter((line) => line !== "");
  return [step, name, ...about].join("\n").slice(0, IDENTITY_CHARS);
}

const FOLDERS = /(?<![^\s/:"'`()<>[\]])(?:[^\s/:"'`()<>[\]]*\/)+/g;
const DAYS_AND_MONTHS =
  /\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b(?=[,.]?\s+(?:\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))/gi;
/** UUIDs, and hexadecimal numbers with at least one digit from 0 to 9: object names, digests, addresses. */
const HEX = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:0x)?(?=[0-9a-f]*[0-9])[0-9a-f]{6,})\b/gi;
const NUMBERS = /\d+(?:[.,:]\d+)*/g;
/** Numbers in a row, as in dates, clocks and positions, with their unit. */
const GROUPS =
  /#(?:\s*(?:[-+.,:/TZ]+\s*)?#)*(?:\s?(?:[µnm]?s|sec(?:onds?)?|min(?:utes?)?|hours?|h|[kmg]i?b|bytes|%|[ap]m|z|utc|gmt)\b)?/gi;

/** A line without folders, numbers, times and hashes. */
export function lastingWords(line: string): string {
  return line
    .replace(FOLDERS, "")
    .replace(DAYS_AND_MONTHS, "#")
    .replace(HEX, "#")
    .replace(NUMBERS, "#")
    .replace(GROUPS, "#")
    .replace(/\s+/g, " ")
    .trim();
}
