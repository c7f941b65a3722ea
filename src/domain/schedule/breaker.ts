import type { AgentStopKind, AttemptOutcome, Evidence } from "../run/event.ts";
import { type Attempt, claimsDone, type Signs, type TicketState } from "../run/state.ts";

/** Failures alike in a row after which another try is not worth its money: once may be chance, twice a hard start (S4.13). */
export const SAME_FAILURES = 3;

/**
 * Attempts in a row that changed nothing (S4.14). Two, and not three as for failures alike: the second agent was told that the
 * first had changed nothing, and said again that it was done.
 */
export const UNCHANGED = 2;

/** Attempts in a row that a model's API may turn away, the agents' or the second one's, before one more of them counts as failed. */
export const TURNED_AWAY = 5;

/** What a stop of an agent means for what comes after it. */
type StopReach =
  /** It passes with time, and is no failure of the work: agents are held for a while. */
  | "waits"
  /** Every other agent would meet it until somebody does something: no more are started. */
  | "run"
  /** This ticket's next agent would meet it again. */
  | "ticket"
  /** It is about this attempt alone. */
  | "attempt";

const REACH: Readonly<Record<AgentStopKind, StopReach>> = {
  "rate-limited": "waits",
  overloaded: "waits",
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

/** How far a stop reaches. */
export function reachOf(kind: AgentStopKind): StopReach {
  return REACH[kind];
}

/** Outcomes that use up one of the ticket's attempts. A stop or a lost engine is not the agent's failure. */
const COUNTED: ReadonlySet<AttemptOutcome> = new Set(["failed", "silent", "out-of-time", "killed"]);

/**
 * Whether an attempt that ends uses up one of its ticket's attempts. A check that refused the change is a failure, whatever
 * became of the attempt after it. What is not about the work does not count: a model's API that turned the agent away, or the
 * question to the second model, so many times in a row, and what ends every one of them.
 */
export function countsAsFailure({ signs }: TicketState, attempt: Attempt, outcome: AttemptOutcome): boolean {
  if (attempt.refused !== undefined) return outcome !== "done";
  const waitsInVain = (signs?.turnedAway ?? 0) >= TURNED_AWAY;
  const { agent, unanswered } = attempt;
  if (outcome === "stopped" && unanswered !== undefined) return reachOf(unanswered) === "waits" && waitsInVain;
  if (!COUNTED.has(outcome)) return false;
  if (agent?.stop === undefined || outcome === "killed") return true;
  const reach = reachOf(agent.stop);
  return reach === "waits" ? waitsInVain : reach !== "run";
}

/** The signs after an attempt has ended. What did not count, and was not turned away, changes none of them. */
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
  const stop = attempt.agent?.stop;
  const waits = [stop, attempt.unanswered].some((kind) => kind !== undefined && reachOf(kind) === "waits");
  const turnedAway = waits ? { turnedAway: (signs.turnedAway ?? 0) + 1 } : {};
  if (!counted) return { ...signs, ...turnedAway };
  const unchanged = attempt.change?.files === 0 && attempt.agent !== undefined && claimsDone(attempt.agent);
  return {
    // That a person ended it says nothing of the work.
    ...(outcome === "killed" ? withFailure(signs.failure) : failedAgain(signs, evidence)),
    ...turnedAway,
    ...(unchanged ? { unchanged: (signs.unchanged ?? 0) + 1 } : {}),
    ...(stop !== undefined && reachOf(stop) === "ticket" ? { hopeless: stop } : {}),
  };
}

/** The signs after a failure with this evidence. One that left none is like no other. */
export function failedAgain({ failure }: Signs, evidence: Evidence | undefined): Signs {
  if (evidence === undefined) return {};
  const identity = identityOf(evidence);
  return { failure: { identity, times: failure?.identity === identity ? failure.times + 1 : 1 } };
}

function withFailure(failure: Signs["failure"]): Signs {
  return failure === undefined ? {} : { failure };
}

/** Why a ticket is left alone although it has attempts left, by name and in words; undefined while it is not. */
export function breakerOf({ signs, evidence }: TicketState): string | undefined {
  if (signs === undefined) return undefined;
  if (signs.hopeless !== undefined) return `${signs.hopeless}: ${evidence.at(-1)?.summary ?? "no evidence was left"}`;
  if ((signs.unchanged ?? 0) >= UNCHANGED) return `no-change: ${signs.unchanged} attempts in a row changed nothing`;
  const { failure } = signs;
  if (failure === undefined || failure.times < SAME_FAILURES) return undefined;
  return `same-failure: ${failure.times} attempts in a row failed alike; the last: ${evidence.at(-1)?.summary ?? "no evidence was left"}`;
}

/** Characters of an identity; two that differ only after them are taken for one. */
const IDENTITY_CHARS = 4_000;

/**
 * What stays of a failure when it happens again: step, name, and the tests it is about; where it is about none, its words
 * without what differs from run to run, whatever their order (S4.37, S4.38). A failure that is told in other words each time is
 * not known again: the attempts are bounded all the same.
 */
export function identityOf({ step, name, summary, detail, tests }: Evidence): string {
  const about =
    tests !== undefined && tests.length > 0
      ? tests.toSorted()
      : [lasting(summary), ...new Set(detail.split("\n").map(lasting).toSorted())].filter((line) => line !== "");
  return [step, name, ...about].join("\n").slice(0, IDENTITY_CHARS);
}

const FOLDERS = /(?:[^\s/:"'`()<>[\]]*\/)+/g;
const DAYS_AND_MONTHS =
  /\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b(?=[,.]?\s+(?:\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))/gi;
/** UUIDs, and hexadecimal digits with at least one figure among them: object names, digests, addresses. */
const HEX = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:0x)?(?=[0-9a-f]*[0-9])[0-9a-f]{6,})\b/gi;
const NUMBERS = /\d+(?:[.,:]\d+)*/g;
/** Numbers in a row, as dates, clocks and positions have them, with the unit behind them. */
const GROUPS =
  /#(?:\s*[-+.,:/TZ]*\s*#)*(?:\s?(?:[µnm]?s|sec(?:onds?)?|min(?:utes?)?|hours?|h|[kmg]i?b|bytes|%|[ap]m|z|utc|gmt)\b)?/gi;

/** A line without folders, numbers, times and hashes. */
function lasting(line: string): string {
  return line
    .replace(FOLDERS, "")
    .replace(DAYS_AND_MONTHS, "#")
    .replace(HEX, "#")
    .replace(NUMBERS, "#")
    .replace(GROUPS, "#")
    .replace(/\s+/g, " ")
    .trim();
}
