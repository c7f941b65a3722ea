import type { PullRequestWait } from "../forge/next-move.ts";
import type { RemoteCheck } from "../forge/pull-request.ts";
import { plainText } from "../values/text.ts";
import { CHECK_CHARS } from "./ci-fact.ts";

/** A branch at the forge as one reading shows it. */
export interface BranchReading {
  /** The commit at its tip; undefined if there is no branch of this name. */
  readonly tip: string | undefined;
  /** The checks of that commit, and of no other. */
  readonly checks: readonly RemoteCheck[];
  /**
   * Present if there are checks, and none of them is a job of a workflow: when the oldest of them began, in milliseconds since the epoch. The
   * forge has had the commit since then at least.
   */
  readonly withoutWorkflowSince?: number;
  /** Present if all of these checks have passed, and a workflow of theirs still runs: jobs that need others are still to appear. */
  readonly isWorkflowRunning?: true;
}

/** The engine's own knowledge of the branch. */
export interface OwnBranch {
  /** The commit that it has pushed, or that it found there. */
  readonly head: string;
  /** The time at which it is known to have arrived, in milliseconds since the epoch. */
  readonly since: number;
  /** Milliseconds after that within which a check must appear. */
  readonly appearMs: number;
  /** True if the commit has workflows, whose checks may appear after others. */
  readonly hasWorkflows?: boolean;
  /** The workflow whose checks count, for people. */
  readonly workflow?: string | undefined;
  /** Names of checks that must have run on the commit: see `failedBefore`. */
  readonly expected?: readonly string[];
}

/** The next thing to do about a branch. Texts are safe for a terminal. */
export type BranchMove =
  | ({ readonly do: "wait" } & PullRequestWait)
  | { readonly do: "green" }
  | { readonly do: "fix"; readonly checks: readonly RemoteCheck[] }
  /** Somebody else has pushed: build on their commit, and check that. */
  | { readonly do: "rebuild" }
  /** Nothing tells whether it is green. */
  | { readonly do: "stop"; readonly why: string };

/**
 * Decides from one reading. Only checks of the known commit count, no check at all is not green, and a failed check is looked at once
 * all others are over: their failures belong to the same attempt. A check that failed before must have run: one that was skipped, is
 * neutral, or is not there does not show that it passes.
 */
export function nextBranchMove(reading: BranchReading, own: OwnBranch, now: number): BranchMove {
  const { tip, checks } = reading;
  if (tip === undefined) return { do: "stop", why: "the branch was removed" };
  if (tip !== own.head) return { do: "rebuild" };
  if (checks.length === 0) {
    const what = own.workflow === undefined ? "no check" : `no check of the workflow ${plainText(own.workflow, 100)}`;
    const minutes = Number((own.appearMs / 60_000).toFixed(2));
    if (now - own.since < own.appearMs) return { do: "wait", why: `waits for a check to appear, ${minutes} min at most` };
    return { do: "stop", why: `${what} appeared within ${minutes} min for ${plainText(tip.slice(0, 12), 12)}` };
  }
  const open = checks.filter(({ state }) => state === "waiting" || state === "running");
  if (open.length > 0)
    return { do: "wait", why: `waits for ${plainText(open.map(({ name }) => name).join(", "), 200)}`, on: "checks" };
  if (areWorkflowsAwaited(reading, own, now)) return { do: "wait", why: "waits for its workflows to start" };
  const failed = checks.filter(({ state }) => state === "failed");
  if (failed.length > 0) return { do: "fix", checks: failed };
  if (reading.isWorkflowRunning === true) return { do: "wait", why: "waits for its workflows to end" };
  return unlessMissing(tip, checks, own, now);
}

/** True while workflows may still begin: what others say of the commit comes at any time. */
function areWorkflowsAwaited({ withoutWorkflowSince: oldest }: BranchReading, own: OwnBranch, now: number): boolean {
  return own.hasWorkflows === true && oldest !== undefined && now - Math.min(oldest, own.since) < own.appearMs;
}

/** Green if each expected check has run. */
function unlessMissing(tip: string, checks: readonly RemoteCheck[], own: OwnBranch, now: number): BranchMove {
  const { expected = [], since, appearMs } = own;
  const ran = new Set(
    checks.filter(({ isInconclusive }) => isInconclusive !== true).map(({ name }) => plainText(name, CHECK_CHARS)),
  );
  const missing = [...new Set(expected)].filter((name) => !ran.has(name));
  if (missing.length === 0) return { do: "green" };
  const names = plainText(missing.join(", "), 200);
  if (now - since < appearMs) return { do: "wait", why: `waits for ${names} to run` };
  return { do: "stop", why: `${names} failed before and did not run on ${plainText(tip.slice(0, 12), 12)}` };
}
