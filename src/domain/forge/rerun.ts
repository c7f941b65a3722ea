import type { TriageJson } from "@loopdash/triage";
import { jobsToRerun } from "@loopdash/triage";
import type { RerunCategory, TicketPullRequest } from "./pull-request-fact.ts";

/** Failed checks that are started again, by name, and why. */
export interface Rerun {
  readonly names: readonly string[];
  readonly category: RerunCategory;
}

/**
 * The failed checks that are started again, each once for a commit; undefined if the change, or what is known by now, is to be judged by
 * their failures. Tests that fail by chance excuse all of their checks. Machines excuse theirs, if no other check has failed beside them:
 * an agent has to look at that one anyway.
 */
export function planRerun(
  failed: readonly string[],
  { findings, stopReason }: Pick<TriageJson, "findings" | "stopReason">,
  already: ReadonlySet<string>,
): Rerun | undefined {
  const isFlaky = stopReason === "flaky";
  const names = isFlaky ? [...new Set(failed)].filter((name) => !already.has(name)) : jobsToRerun(findings, already);
  const isForAgent = !isFlaky && failed.some((name) => !names.includes(name));
  if (names.length === 0 || isForAgent) return undefined;
  return { names, category: isFlaky ? "flaky" : "infrastructure" };
}

/**
 * The checks that were started again: those that this engine asked for, and those that a reading has shown otherwise than failed since. The
 * engine before this one may have died between the intent and the request.
 */
export function startedAgain(
  known: Pick<TicketPullRequest, "rerun" | "unseenReruns"> | undefined,
  asked: readonly string[],
): ReadonlySet<string> {
  const unseen = new Set(known?.unseenReruns);
  return new Set((known?.rerun ?? []).filter((name) => asked.includes(name) || !unseen.has(name)));
}
