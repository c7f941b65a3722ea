import type { TicketPullRequest } from "../../domain/forge/pull-request-fact.ts";
import { waitsLine } from "../../domain/forge/pull-request-fact.ts";
import { pushTime } from "../../domain/forge/push-time.ts";
import { countChecks, failedNames } from "../../domain/forge/seen.ts";
import { findLanding } from "../../domain/run/carry-over.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { firstFewLine } from "../../domain/values/text.ts";
import { type DashboardState, ticketIn } from "../dashboard-state.ts";
import { displayText, formatAge, formatLeft, formatMinute } from "../format.ts";
import { isBeingEnded } from "./progress-label.ts";
import type { Tone } from "./tone.ts";

/** Names of checks of one state that a line has. */
const MOST_NAMES = 3;
const MINUTE = 60_000;

/** A ticket's pull request in the parts of one line, the most important first. */
export interface PullRequestStatus {
  readonly parts: readonly string[];
  readonly tone: Tone;
}

/** When a line is read (milliseconds since the epoch), and whether an engine works on the run then. */
export interface SeenAt {
  readonly now: number;
  readonly isLive: boolean;
}

/** The pull request on which a ticket's attempt waits now; undefined if something else is to be told of the attempt. */
export function waitingPullRequest(
  state: Pick<DashboardState, "run" | "ui" | "now">,
  id: TicketId,
): PullRequestStatus | undefined {
  const ticket = ticketIn(state, id);
  if (state.run === undefined || ticket === undefined || !isAtPullRequest(ticket)) return undefined;
  return pullRequestStatus(state.run, ticket, seenAt(state));
}

/** The time and the connection of a dashboard. */
export function seenAt({ now, ui }: Pick<DashboardState, "ui" | "now">): SeenAt {
  return { now, isLive: ui.connection.state === "live" || ui.connection.state === "replay" };
}

/** True if nothing else holds up the attempt: it waits for its pull request, or acts on it. */
export function isAtPullRequest({ attempt, pullRequest }: TicketState): boolean {
  if (pullRequest?.number === undefined || attempt === undefined || !isAtMerge(attempt) || isBeingEnded(attempt)) return false;
  return attempt.merge === undefined && (attempt.waiting === undefined || attempt.waiting === waitsLine(pullRequest));
}

function isAtMerge({ step }: NonNullable<TicketState["attempt"]>): boolean {
  return step?.kind === "merge";
}

/** A ticket's pull request in a line; undefined if it has none. Without `at`, nothing in it depends on the time. */
export function pullRequestStatus(run: RunState, ticket: TicketState, at?: SeenAt): PullRequestStatus | undefined {
  const { pullRequest } = ticket;
  if (pullRequest?.number === undefined) return undefined;
  const { number, seen } = pullRequest;
  const isLanded = findLanding(ticket) !== undefined;
  const stale = at && readingAge(run, ticket, at);
  const failed = seen === undefined || isLanded ? [] : failedNames(seen);
  const waits = isLanded ? undefined : waitsPart(pullRequest);
  const parts = [
    `#${number}`,
    ...(stale === undefined ? [] : [stale]),
    ...(failed.length === 0 ? [] : [`failed: ${firstFewLine(failed.map(displayText), MOST_NAMES)}`]),
    checksPart(pullRequest),
    ...(waits === undefined ? [] : [waits, ...untilPart(pullRequest, at)]),
    ...(at === undefined || isLanded ? [] : [...pushedPart(run, ticket, at), ...passedPart(pullRequest)]),
  ];
  const tone = failed.length > 0 ? "bad" : seen?.review === "approval-missing" ? "person" : "waiting";
  return { parts, tone };
}

/** The same as a text, without the clock: `pull request #12 · 3 of 4 checks passed`. */
export function pullRequestText(run: RunState, ticket: TicketState): string | undefined {
  const status = pullRequestStatus(run, ticket);
  return status && `pull request ${status.parts.join(" · ")}`;
}

/** The checks in numbers: `3 of 4 checks passed`. */
export function checksPart({ seen }: TicketPullRequest): string {
  if (seen === undefined) return "checks not read yet";
  const { passed, total } = countChecks(seen);
  if (total === 0) return "no checks yet";
  return `${passed} of ${total} ${total === 1 ? "check" : "checks"} passed`;
}

/** The time since the push, if it was loopdash's own. */
function pushedPart(run: RunState, ticket: TicketState, { now }: SeenAt): readonly string[] {
  const pushedAt = pushTime(run, ticket);
  return pushedAt === undefined ? [] : [`pushed ${agoText(now - pushedAt)}`];
}

/** The checks that have passed, by name: the others are named by what failed, and by what is waited for. */
function passedPart({ seen }: TicketPullRequest): readonly string[] {
  const names = seen?.checks.filter(({ state }) => state === "passed").map(({ name }) => displayText(name)) ?? [];
  return names.length === 0 ? [] : [`passed: ${firstFewLine(names, MOST_NAMES)}`];
}

function waitsPart({ seen }: TicketPullRequest): string | undefined {
  if (seen?.queuePosition !== undefined) return `merge queue: ${ordinal(seen.queuePosition)}`;
  return seen?.waits === undefined ? undefined : displayText(seen.waits);
}

/** How long the wait lasts at most. */
function untilPart({ seen }: TicketPullRequest, at: SeenAt | undefined): readonly string[] {
  const left = (seen?.waitsUntil ?? 0) - (at?.now ?? Number.POSITIVE_INFINITY);
  return left > 0 ? [`${formatLeft(left)} at most`] : [];
}

/**
 * A reading that may be out of date: the forge is away or busy, or nobody reads the pull request now, or no engine is there. `since`:
 * the begin of the outage, or the last reading, in milliseconds since the epoch. Undefined if it is up to date, or there is none.
 */
export function staleReading(
  run: RunState,
  ticket: TicketState,
  { isLive }: Pick<SeenAt, "isLive">,
): { readonly since: number; readonly forge?: "away" | "busy" } | undefined {
  const { attempt, pullRequest } = ticket;
  if (findLanding(ticket) !== undefined) return undefined;
  const isRead = isLive && run.end === undefined && attempt !== undefined && isAtMerge(attempt);
  const { forge } = run.outages ?? {};
  if (isRead && forge !== undefined) return { since: forge.since, forge: forge.isBusy ? "busy" : "away" };
  const { readAt } = pullRequest ?? {};
  return isRead || readAt === undefined ? undefined : { since: readAt };
}

/** The age or the reason of a reading that may be out of date, in a few words. */
function readingAge(run: RunState, ticket: TicketState, at: SeenAt): string | undefined {
  const stale = staleReading(run, ticket, at);
  if (stale === undefined) return undefined;
  const { forge, since } = stale;
  return forge === undefined ? `read ${agoText(at.now - since)}` : `forge ${forge} since ${formatMinute(since)}`;
}

/** A time that is over, in whole minutes: a text with it changes once a minute. */
export function agoText(ms: number): string {
  return ms < MINUTE ? "just now" : `${formatAge(ms)} ago`;
}

/** A place in a row: `1st`, `2nd`, `11th`. */
export function ordinal(n: number): string {
  const isTeen = n % 100 >= 11 && n % 100 <= 13;
  const suffix = isTeen ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${n}${suffix}`;
}
