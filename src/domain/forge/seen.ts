import { plainText } from "../values/text.ts";
import { missingCheckNames, type PullRequestRules, type PullRequestWait, requiredRemoteChecks } from "./next-move.ts";
import type { PullRequestState, RemoteCheck } from "./pull-request.ts";
import type { SeenCheck, SeenPullRequest } from "./pull-request-fact.ts";

/** Checks of one reading that the run records; GitHub may list some thousand. */
const MOST_CHECKS = 100;
/** Characters of a name, and of a reason. */
const [NAME_CHARS, WHY_CHARS] = [200, 300];

/** The worst first: what has passed is left out before anything else. */
const ORDER: readonly RemoteCheck["state"][] = ["failed", "running", "waiting", "passed"];

/** Gives the part of a reading that the run records and people are told. `wait`: undefined if the pull request waits for nothing. */
export function summarizePullRequest(
  read: PullRequestState,
  rules: PullRequestRules,
  wait: PullRequestWait | undefined,
): SeenPullRequest {
  const required = new Set(requiredRemoteChecks(read, rules));
  const missing = missingCheckNames(read, rules).slice(0, MOST_CHECKS);
  return {
    ...seenChecks(read.checks, wait, (check) => ({ ...seenCheck(check), isRequired: required.has(check) })),
    base: plainText(read.base, NAME_CHARS),
    review: read.review,
    ...(read.queuePosition !== undefined && { queuePosition: read.queuePosition }),
    ...(missing.length > 0 && { missing: missing.map((name) => plainText(name, NAME_CHARS)) }),
  };
}

/** Gives the part of a reading of a branch without a pull request that the run records. A branch has no rules, so none of its checks is said to be required. */
export function seenOfBranch(checks: readonly RemoteCheck[], wait: PullRequestWait | undefined): SeenPullRequest {
  return seenChecks(checks, wait, seenCheck);
}

function seenChecks(
  checks: readonly RemoteCheck[],
  wait: PullRequestWait | undefined,
  toSeen: (check: RemoteCheck) => SeenCheck,
): SeenPullRequest {
  const listed = mostTelling(checks);
  const left = checks.filter((check) => !listed.includes(check));
  return {
    checks: listed.map(toSeen),
    ...(wait !== undefined && { waits: plainText(wait.why, WHY_CHARS) }),
    ...(wait?.on !== undefined && { waitsOn: wait.on }),
    ...(wait?.until !== undefined && { waitsUntil: wait.until }),
    ...(left.length > 0 && { unlisted: { total: left.length, passed: left.filter(({ state }) => state === "passed").length } }),
  };
}

function mostTelling(checks: readonly RemoteCheck[]): readonly RemoteCheck[] {
  if (checks.length <= MOST_CHECKS) return checks;
  return checks.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state)).slice(0, MOST_CHECKS);
}

function seenCheck({ name, state, url }: RemoteCheck): SeenCheck {
  return { name: plainText(name, NAME_CHARS), state, ...(url !== undefined && { url }) };
}

/** The checks of a reading in numbers. A required one that is not registered counts as one that has not passed. */
export function countChecks({ checks, missing = [], unlisted }: SeenPullRequest): {
  readonly passed: number;
  readonly total: number;
} {
  const passed = checks.filter(({ state }) => state === "passed").length + (unlisted?.passed ?? 0);
  return { passed, total: checks.length + missing.length + (unlisted?.total ?? 0) };
}

/** The names of the checks that have failed. */
export function failedNames({ checks }: SeenPullRequest): readonly string[] {
  return checks.flatMap(({ name, state }) => (state === "failed" ? [name] : []));
}
