import type { Finding } from "@loopdash/triage";
import type { AttemptRef, RepoId } from "../values/ids.ts";
import type { ForgeRequest } from "./forge-request.ts";
import type { PullRequestState, RemoteCheck } from "./pull-request.ts";

/** A check of a pull request as the run records it. */
export interface SeenCheck extends Pick<RemoteCheck, "name" | "state" | "url"> {
  /** True if the pull request cannot land without it. */
  readonly isRequired?: boolean;
}

/**
 * Reasons of a wait that are more than words. `checks`: required ones that have not ended. `rule`: a rule of the base that nothing else in a reading
 * tells. `forge`: it does not say yet whether a merge is possible. `rerun`: it starts failed jobs again only after others.
 */
export type WaitsOn = "checks" | "rule" | "forge" | "rerun";

/** One reading of a pull request, as people are told it. */
export interface SeenPullRequest {
  readonly checks: readonly SeenCheck[];
  /** The thing that it waits for, in words; absent if it waits for nothing. */
  readonly waits?: string;
  /** Absent if it waits for something else. */
  readonly waitsOn?: WaitsOn;
  /** The end of that wait if nothing changes. Milliseconds since the epoch; absent if it has none. */
  readonly waitsUntil?: number;
  readonly base?: string;
  readonly review?: PullRequestState["review"];
  /** Its place in the merge queue, from 1; absent if it is in none. */
  readonly queuePosition?: number;
  /** Names of required checks that are not registered. */
  readonly missing?: readonly string[];
  /** Checks beyond those of `checks`. */
  readonly unlisted?: { readonly total: number; readonly passed: number };
}

/** Why checks are started again: their tests are flaky on the base, or a machine or a registry failed. */
export type RerunCategory = Extract<Finding["category"], "flaky" | "infrastructure">;

/** Facts of an attempt's pull request. The intent stands before each effect at the forge. */
export type PullRequestFact =
  /** The commit is about to be pushed to the branch, which holds `previous` if the engine has pushed there before. */
  | ({
      readonly type: "pull-request-intended";
      readonly repo: RepoId;
      readonly branch: string;
      readonly head: string;
      readonly previous?: string;
    } & AttemptRef)
  | ({ readonly type: "pull-request-opened"; readonly number: number; readonly url: string } & AttemptRef)
  /** Reported when it differs from the last one. */
  | ({ readonly type: "pull-request-read" } & SeenPullRequest & AttemptRef)
  | ({ readonly type: "pull-request-merging"; readonly number: number; readonly head: string } & AttemptRef)
  /** An agent gets these remarks of bots and people. `people`: those that people wrote. */
  | ({ readonly type: "pull-request-words"; readonly ids: readonly string[]; readonly people: number } & AttemptRef)
  /** Checks that failed by something outside the change are started again, once for each commit. */
  | ({
      readonly type: "pull-request-rerun";
      readonly names: readonly string[];
      readonly category?: RerunCategory;
    } & AttemptRef)
  /** Only a person can go on. */
  | ({ readonly type: "pull-request-gated"; readonly number: number; readonly step: string } & AttemptRef);

/** A ticket's pull request, kept from one attempt to the next. */
export interface TicketPullRequest {
  readonly branch: string;
  /** The commit that was pushed last, or is about to be, and when. Milliseconds since the epoch. */
  readonly head: string;
  readonly pushedAt: number;
  /** The time of the first reading after that push, which may have taken long. Milliseconds since the epoch; absent before. */
  readonly arrivedAt?: number;
  /** The commit at the branch before that push; absent before the first one. */
  readonly tipBeforePush?: string;
  /** The commit that the engine pushes it on top of; absent if it found the commit there. */
  readonly onto?: string;
  readonly number?: number;
  readonly url?: string;
  readonly seen?: SeenPullRequest;
  /** The time at which the last difference was read, and that from which each of `seen.checks` has its state. Milliseconds since the epoch. */
  readonly readAt?: number;
  readonly checksSince?: readonly number[];
  /** Since when readings show that nothing but a rule or the forge holds up `head`, or that a re-run has to wait. Milliseconds since the epoch. */
  readonly heldSince?: number;
  /** Requests of people to the forge that have no answer yet. */
  readonly requests?: readonly ForgeRequest[];
  /** People of whom a review was requested here, by login. */
  readonly reviewers?: readonly string[];
  /** Checks of this commit that were started again. */
  readonly rerun?: readonly string[];
  /** Why the last of them were. */
  readonly rerunCategory?: RerunCategory;
  /** Those of them that no reading has shown otherwise than failed since: nobody knows whether the forge was asked. */
  readonly unseenReruns?: readonly string[];
  /** Set if a reading has shown a check, at whichever commit. */
  readonly hadChecks?: true;
  /** Set once the forge was asked to merge `head`: its commit may be on the base before the run knows of it. */
  readonly isMerging?: true;
  /** The step with which `head` was left to a person; absent if it was not. */
  readonly leftTo?: string;
  /** Remarks that an agent has had, and the commit at which it had the last of them. */
  readonly answered: readonly string[];
  readonly answeredHead?: string;
  /** The commit at which people, not bots alone, had said the last of them. */
  readonly peopleHead?: string;
}

/** True if the forge is known to have taken the push of `head`: the pull request was opened for it, or read after it. */
export function hasArrived({ seen, number, tipBeforePush }: TicketPullRequest): boolean {
  return seen !== undefined || (number !== undefined && tipBeforePush === undefined);
}

/** The commit that the branch is known to have held; undefined if it may not be there. */
function knownBranchTip(known: TicketPullRequest): string | undefined {
  return hasArrived(known) ? known.head : known.tipBeforePush;
}

/** Remarks whose ids are kept. */
const MOST_ANSWERED = 500;

/** The pull request after a fact about it. */
export function reducePullRequest(
  known: TicketPullRequest | undefined,
  event: PullRequestFact & { readonly at: number },
): TicketPullRequest | undefined {
  return event.type === "pull-request-intended" ? intended(known, event) : known && reduceKnown(known, event);
}

function reduceKnown(
  known: TicketPullRequest,
  event: Exclude<PullRequestFact, { type: "pull-request-intended" }> & { readonly at: number },
): TicketPullRequest {
  switch (event.type) {
    case "pull-request-opened":
      return { ...known, number: event.number, url: event.url };
    case "pull-request-read":
      return withReading(known, event);
    case "pull-request-words": {
      const answered = [...known.answered, ...event.ids].slice(-MOST_ANSWERED);
      return { ...known, answered, answeredHead: known.head, ...(event.people > 0 && { peopleHead: known.head }) };
    }
    case "pull-request-rerun": {
      const { rerun = [], unseenReruns = [] } = known;
      const names = { rerun: [...rerun, ...event.names], unseenReruns: [...unseenReruns, ...event.names] };
      return { ...known, ...names, ...(event.category !== undefined && { rerunCategory: event.category }) };
    }
    case "pull-request-merging":
      return { ...known, isMerging: true };
    case "pull-request-gated": {
      const { isMerging: _, ...rest } = known;
      return rest;
    }
  }
}

function intended(
  known: TicketPullRequest | undefined,
  { branch, head, previous: onto, at }: Extract<PullRequestFact, { type: "pull-request-intended" }> & { readonly at: number },
): TicketPullRequest {
  if (known?.branch === branch && known.head === head) return known;
  const tipBeforePush = known?.branch === branch ? knownBranchTip(known) : undefined;
  const { number, url, requests, reviewers, hadChecks, answered = [], answeredHead, peopleHead } = known ?? {};
  return {
    branch,
    head,
    pushedAt: at,
    tipBeforePush,
    onto,
    number,
    url,
    requests,
    reviewers,
    hadChecks,
    answered,
    answeredHead,
    peopleHead,
  };
}

function withReading(
  known: TicketPullRequest,
  {
    at,
    checks,
    waits,
    waitsOn,
    waitsUntil,
    base,
    review,
    queuePosition,
    missing,
    unlisted,
  }: SeenPullRequest & { readonly at: number },
): TicketPullRequest {
  const seen: SeenPullRequest = {
    checks,
    ...(waits !== undefined && { waits }),
    ...(waitsOn !== undefined && { waitsOn }),
    waitsUntil,
    ...(base !== undefined && { base }),
    ...(review !== undefined && { review }),
    ...(queuePosition !== undefined && { queuePosition }),
    ...(missing !== undefined && { missing }),
    ...(unlisted !== undefined && { unlisted }),
  };
  const { unseenReruns = [], heldSince: before, ...rest } = known;
  const failed = new Set(checks.filter(({ state }) => state === "failed").map(({ name }) => name));
  const unseen = unseenReruns.filter((name) => failed.has(name));
  const checksSince = checks.map((check) => checkStateSince(known, check) ?? at);
  const had = (checks.length > 0 || known.hadChecks === true) && { hadChecks: true as const };
  const isHeld = waitsOn !== undefined && waitsOn !== "checks";
  const wasHeld = (known.seen?.waitsOn === "rerun") === (waitsOn === "rerun");
  const heldSince = (wasHeld ? before : undefined) ?? at;
  const kept = { ...had, unseenReruns: unseen.length > 0 ? unseen : undefined, heldSince: isHeld ? heldSince : undefined };
  return { arrivedAt: at, ...rest, ...kept, seen, readAt: at, checksSince };
}

/** Since when a check is in this state, if the reading before had it so. Checks of two apps may share a name. */
function checkStateSince({ seen, checksSince }: TicketPullRequest, { name, state, url }: SeenCheck): number | undefined {
  const before = seen?.checks.findIndex((each) => each.name === name && each.url === url) ?? -1;
  return seen?.checks[before]?.state === state ? checksSince?.[before] : undefined;
}

/** Since when the journal tells that the pull request waits on this. Milliseconds since the epoch; undefined if it does not. */
export function heldSince(known: TicketPullRequest | undefined, on: "merge" | "rerun"): number | undefined {
  return (known?.seen?.waitsOn === "rerun") === (on === "rerun") ? known?.heldSince : undefined;
}

/** Says in words what an attempt waits for while its pull request, or its branch without one, does; undefined if for nothing. */
export function waitsLine({ number, branch, seen }: TicketPullRequest): string | undefined {
  if (seen?.waits === undefined) return undefined;
  return `${number === undefined ? branch : `pull request #${number}`}: ${seen.waits}`;
}
