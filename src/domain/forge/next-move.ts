import { boundedList, plainText } from "../values/text.ts";
import type { Comment, PullRequestState, RemoteCheck, ReviewThread } from "./pull-request.ts";
import type { WaitsOn } from "./pull-request-fact.ts";

/** The batch's rules for pull requests of a repository. */
export interface PullRequestRules {
  readonly base: string;
  /** Checks that must pass, beside those that the forge itself requires; undefined: all that are registered. */
  readonly checks: readonly string[] | undefined;
  /** The meaning of a missing approval: the ticket is left to a person, or the landing waits. */
  readonly approvals: "gate" | "wait";
  /** Milliseconds after a push within which a required check must appear. */
  readonly appearMs: number;
  /** Milliseconds for which nothing may change while its checks or a merge queue are waited for. */
  readonly stillMs: number;
}

/** Milliseconds for which the forge is asked whether a merge is possible before it counts that it does not say: it works that out once it is asked. */
const ASKED_MS = 60_000;

/** The engine's own record of its pull request. */
export interface OwnPullRequest {
  /** The commit that the engine has pushed. */
  readonly head: string;
  /** The time at which the push is known to have arrived, in milliseconds since the epoch. */
  readonly pushedAt: number;
  /** Ids of remarks that an agent has had already. */
  readonly answered: ReadonlySet<string>;
  /** The pushed commit at which people said the last of them; absent if only bots did. */
  readonly peopleHead?: string;
  /** True if the commit has workflows, whose checks may appear after others. */
  readonly hasWorkflows?: boolean;
  /** Since when the journal tells that nothing but the forge or an unknown rule holds up the merge, in milliseconds since the epoch; absent if it does not. */
  readonly blockedSince?: number | undefined;
  /** Since when this engine asks without an outage, in milliseconds since the epoch. */
  readonly askedSince?: number;
  /** Since when readings show no difference, in milliseconds since the epoch. */
  readonly stillSince?: number | undefined;
}

/** A wait. Its words are safe for a terminal. */
export interface PullRequestWait {
  readonly why: string;
  /** Present if it has one of these reasons. */
  readonly on?: WaitsOn;
  /** The end of the wait if nothing changes. Milliseconds since the epoch. */
  readonly until?: number;
}

/** The next thing to do about a pull request. Texts are safe for a terminal. */
export type PullRequestMove =
  | ({ readonly do: "wait" } & PullRequestWait)
  | { readonly do: "merge" }
  /** The base has moved: build and check the candidate again, and push it. */
  | { readonly do: "rebuild"; readonly why: string }
  | { readonly do: "landed"; readonly commit: string }
  /** An agent has to change something. */
  | {
      readonly do: "fix";
      readonly why: string;
      readonly checks: readonly RemoteCheck[];
      readonly remarks: readonly PullRequestRemark[];
    }
  /** A check has not appeared within the bound. `isAny`: none has, and none is required by name. `step`: a person's, should it be theirs. */
  | { readonly do: "absent"; readonly step: string; readonly isAny: boolean }
  /** Only a person can go on: the exact step. */
  | { readonly do: "gate"; readonly step: string };

/** A remark of a bot or a person for an agent: a thread, or a comment beside threads. Untrusted. */
export type PullRequestRemark = (ReviewThread & { readonly kind: "thread" }) | (Comment & { readonly kind: "comment" });

/**
 * Decides from one reading. Only checks of the pushed commit count, a check that is not registered is not green, and what a person did
 * to the pull request is left to a person.
 */
export function nextMove(
  pullRequest: PullRequestState,
  { rules, own, now }: { readonly rules: PullRequestRules; readonly own: OwnPullRequest; readonly now: number },
): PullRequestMove {
  const foreign = peoplesAct(pullRequest, { rules, own });
  if (foreign !== undefined) return foreign;
  if (pullRequest.state === "merged") {
    const wait = { why: "is merged, and the forge does not name the commit yet", stillMs: rules.appearMs };
    return bounded(wait, pullRequest, { own, now });
  }
  if (pullRequest.merge === "conflict") return { do: "rebuild", why: "the base has moved, and the change conflicts with it" };
  const remarks = newRemarks(pullRequest, own);
  const failing = requiredRemoteChecks(pullRequest, rules).filter(({ state }) => state === "failed");
  if (failing.length > 0 || remarks.length > 0) return fix(pullRequest, failing, remarks);
  const open =
    queued(pullRequest, rules) ??
    whyNotGreen(pullRequest, rules, { since: own.pushedAt, now }) ??
    moreExpected(pullRequest, { rules, own, now });
  if (open !== undefined) return bounded(open, pullRequest, { own, now });
  if (pullRequest.merge === "behind") return { do: "rebuild", why: "the base has moved" };
  const asked = askedOfPeople(pullRequest, { rules, own });
  if (asked !== undefined) return asked;
  if (pullRequest.merge === "unknown") return unknown(pullRequest, { rules, own, now });
  if (pullRequest.merge === "blocked") return blocked(pullRequest, { rules, own, now });
  return { do: "merge" };
}

/** A wait that ends for a person once nothing has changed for so many milliseconds. */
interface StillWait extends PullRequestWait {
  readonly stillMs: number;
}

/** The move for a wait during which something should change: a person's once nothing has for too long. */
function bounded(
  open: PullRequestMove | StillWait,
  { number, url }: PullRequestState,
  { own, now }: { readonly own: OwnPullRequest; readonly now: number },
): PullRequestMove {
  if (!("stillMs" in open)) return open;
  const { stillMs, ...wait } = open;
  const since = Math.max(own.stillSince ?? now, own.askedSince ?? 0);
  if (now - since < stillMs) return { do: "wait", ...wait, until: now + stillMs };
  const what = `${wait.why}, and nothing has changed for ${Math.round(stillMs / 60_000)} min`;
  return { do: "gate", step: `pull request #${number}: ${what}: see why, and merge it there or reopen the ticket (${url})` };
}

/** The wait for the merge queue. The first in it must be built soon: a workflow without `merge_group` never is. */
function queued({ queuePosition: place, isQueueChecking }: PullRequestState, rules: PullRequestRules): StillWait | undefined {
  if (place === undefined) return undefined;
  if (place > 1 || isQueueChecking !== false) return { why: `place ${place} in the merge queue`, stillMs: rules.stillMs };
  return { why: "place 1 in the merge queue, which has not begun its checks", stillMs: rules.appearMs };
}

/**
 * The move if all is well but for a rule that nothing tells. After the bound, failed checks that nobody requires are an agent's: such a
 * rule may want what they look at, and a change that breaks it is no person's. Without any, the rest is a person's.
 */
function blocked(
  pullRequest: PullRequestState,
  { rules, own, now }: { readonly rules: PullRequestRules; readonly own: OwnPullRequest; readonly now: number },
): PullRequestMove {
  const until = (own.blockedSince ?? now) + rules.appearMs;
  if (now < until) return { do: "wait", why: "a rule of the base blocks the merge", on: "rule", until };
  const failing = pullRequest.checks.filter(({ state }) => state === "failed");
  if (failing.length > 0) return fix(pullRequest, failing, []);
  const { number, url, threads } = pullRequest;
  const base = plainText(rules.base, 100);
  const conversations = threads.length === 1 ? "its open conversation" : `its ${threads.length} open conversations`;
  const todo =
    threads.length > 0 ? `resolve ${conversations}, then merge it` : "see there which rule is not met, meet it, and merge it";
  const what = `a rule of ${base} has blocked the merge for ${Math.round(rules.appearMs / 60_000)} min, and the required checks have passed`;
  return { do: "gate", step: `pull request #${number}: ${what}: ${todo} (${url})` };
}

/** The move while the forge does not say whether a merge is possible. After the bound, a person has to look. */
function unknown(
  { number, url }: PullRequestState,
  { rules, own, now }: { readonly rules: PullRequestRules; readonly own: OwnPullRequest; readonly now: number },
): PullRequestMove {
  const asked = (own.askedSince ?? now) + Math.min(ASKED_MS, rules.appearMs);
  const until = Math.max((own.blockedSince ?? now) + rules.appearMs, asked);
  if (now < until) return { do: "wait", why: "the forge works out whether it can be merged", on: "forge", until };
  const minutes = Math.round(rules.appearMs / 60_000);
  const what = `the forge has not said for ${minutes} min whether it can be merged, and the required checks have passed`;
  return { do: "gate", step: `pull request #${number}: ${what}: merge it there, or reopen the ticket (${url})` };
}

/** A merge, or what a person or a program of theirs did to the pull request. */
export function peoplesAct(
  { number, state, head, base, mergeCommit, url }: PullRequestState,
  { rules, own }: { readonly rules: PullRequestRules; readonly own: Pick<OwnPullRequest, "head"> },
): Extract<PullRequestMove, { do: "gate" | "landed" }> | undefined {
  const gate = (what: string, todo: string) =>
    ({ do: "gate", step: `pull request #${number} ${what}: ${todo} (${url})` }) as const;
  if (head !== own.head) {
    const todo = `look at ${plainText(head.slice(0, 12), 12)}, then merge it yourself, or close it and reopen the ticket`;
    return gate("has commits that loopdash did not push", todo);
  }
  if (state === "merged" && base === rules.base && mergeCommit !== undefined) return { do: "landed", commit: mergeCommit };
  const [there, wanted] = [plainText(base, 100), plainText(rules.base, 100)];
  if (base !== rules.base && state === "merged")
    return gate(`was merged into ${there}`, `bring it to ${wanted} yourself, and close the ticket`);
  if (base !== rules.base) return gate(`was pointed at ${there}`, `set its base back to ${wanted}`);
  if (state === "closed") return gate("was closed", "reopen it if the change is wanted, or close the ticket");
  return undefined;
}

/**
 * The checks that decide: those that the forge or the batch requires; without either, all that are registered. A required job that was skipped
 * counts as passed at the forge, also if that is because another job, which it needs, has failed: so that one decides, too.
 */
export function requiredRemoteChecks(pullRequest: PullRequestState, rules: PullRequestRules): readonly RemoteCheck[] {
  const { checks } = pullRequest;
  const names = new Set(requiredCheckNames(pullRequest, rules));
  if (names.size === 0 && rules.checks === undefined) return checks;
  const required = checks.filter(({ name, isRequired }) => isRequired || names.has(name));
  const skippedIn = new Set(required.flatMap(({ isSkipped, run }) => (isSkipped === true && run !== undefined ? [run] : [])));
  const failed = checks.filter(({ state, run }) => state === "failed" && run !== undefined && skippedIn.has(run));
  return [...new Set([...required, ...failed])];
}

/** The names of the checks that the forge or the batch requires by name. */
function requiredCheckNames({ requiredChecks }: PullRequestState, rules: PullRequestRules): readonly string[] {
  return [...new Set([...requiredChecks, ...(rules.checks ?? [])])];
}

/** The names of required checks that are not registered. */
export function missingCheckNames(pullRequest: PullRequestState, rules: PullRequestRules): readonly string[] {
  const known = new Set(pullRequest.checks.map(({ name }) => name));
  return requiredCheckNames(pullRequest, rules).filter((name) => !known.has(name));
}

function whyNotGreen(
  pullRequest: PullRequestState,
  rules: PullRequestRules,
  { since, now }: { readonly since: number; readonly now: number },
): PullRequestMove | StillWait | undefined {
  const required = requiredRemoteChecks(pullRequest, rules);
  const named = requiredCheckNames(pullRequest, rules);
  const missing = missingCheckNames(pullRequest, rules);
  const mustHaveOne = rules.checks === undefined && named.length === 0 && required.length === 0;
  if (missing.length > 0 || mustHaveOne) {
    const what = mustHaveOne ? "any check" : `the check ${plainText(missing.join(", "), 200)}`;
    const until = since + rules.appearMs;
    if (now < until) return { do: "wait", why: `waits for ${what} to appear`, until };
    const minutes = Math.round(rules.appearMs / 60_000);
    const todo = mustHaveOne
      ? 'give the repository a check, or say that none is needed ("checks": [] of its forge)'
      : `start it, or take it out of the rules of ${plainText(rules.base, 100)}`;
    const step = `pull request #${pullRequest.number}: ${what} did not appear within ${minutes} min: ${todo} (${pullRequest.url})`;
    return { do: "absent", step, isAny: mustHaveOne };
  }
  const open = required.filter(({ state }) => state === "waiting" || state === "running");
  if (open.length === 0) return undefined;
  const names = plainText(open.map(({ name }) => name).join(", "), 200);
  return { why: `waits for ${names}`, on: "checks", stillMs: rules.stillMs };
}

/**
 * The wait for checks that nobody requires by name, while all that are there have passed: a job that needs another one appears once
 * that is over, and what other services say may come before any workflow has started.
 */
function moreExpected(
  pullRequest: PullRequestState,
  { rules, own, now }: { readonly rules: PullRequestRules; readonly own: OwnPullRequest; readonly now: number },
): PullRequestMove | StillWait | undefined {
  const { workflows } = pullRequest;
  if (rules.checks !== undefined || requiredCheckNames(pullRequest, rules).length > 0) return undefined;
  if (workflows === "running") return { why: "waits for its workflows to end", stillMs: rules.stillMs };
  const until = own.pushedAt + rules.appearMs;
  if (workflows === "none" && own.hasWorkflows === true && now < until)
    return { do: "wait", why: "waits for its workflows to start", until };
  return undefined;
}

function newRemarks({ threads, comments }: PullRequestState, { answered }: OwnPullRequest): readonly PullRequestRemark[] {
  const isNew = ({ id }: { readonly id: string }): boolean => !answered.has(id);
  return [
    ...threads
      .filter((thread) => isNew(thread) && thread.isOutdated !== true)
      .map((thread) => ({ ...thread, kind: "thread" as const })),
    ...comments.filter(isNew).map((comment) => ({ ...comment, kind: "comment" as const })),
  ];
}

function fix(
  { number }: PullRequestState,
  checks: readonly RemoteCheck[],
  remarks: readonly PullRequestRemark[],
): PullRequestMove {
  const people = [...new Set(remarks.map(({ author }) => plainText(author, 40)))];
  const why = [
    ...(checks.length > 0
      ? [`failed on #${number}: ${boundedList(checks.map(({ name }) => plainText(name, 100))).replaceAll("\n", ", ")}`]
      : []),
    ...(people.length > 0 ? [`${people.slice(0, 3).join(", ")} asked for changes on #${number}`] : []),
  ];
  return { do: "fix", why: why.join("; "), checks, remarks };
}

/**
 * Gives the part that is left to people once the checks have passed: an approval, or a look at remarks of theirs that an agent had and pushed no other
 * commit for. Another commit alone does not take back a request for changes.
 */
function askedOfPeople(
  { number, review, url }: PullRequestState,
  { rules, own }: { readonly rules: PullRequestRules; readonly own: OwnPullRequest },
): PullRequestMove | undefined {
  const name = `pull request #${number}`;
  const gate = (step: string): PullRequestMove => ({ do: "gate", step: `${step} (${url})` });
  const isRefused = review === "changes-requested";
  if (isRefused || review === "approval-missing") {
    if (rules.approvals === "wait") return { do: "wait", why: "waits for an approval" };
    return gate(
      `${isRefused ? "look at the changes that were requested, then " : ""}approve and merge ${name}, whose checks have passed`,
    );
  }
  if (own.peopleHead !== own.head) return undefined;
  return gate(`look at what was said on ${name}, which an agent has left as it was, then merge it, or reopen the ticket`);
}
