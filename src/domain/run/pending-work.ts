import type { Evidence } from "./attempt-fact.ts";
import type { RunEvent } from "./event.ts";
import { type Attempt, claimsDone, type PendingWork, type TicketState } from "./ticket-state.ts";

type AttemptEnded = Extract<RunEvent, { type: "attempt-ended" }>;

/**
 * The work that the next attempt can continue. There is some only if this attempt was cut off, not if it failed. If landed work
 * could not be told to the tracker, or the engine itself could not go on (a full disk), that is no failure of the work: another
 * agent would find nothing to do.
 */
function nextPendingWork(
  attempt: Attempt,
  { outcome, evidence }: AttemptEnded,
  before: PendingWork | undefined,
): Pick<TicketState, "pendingWork"> {
  const { agent, change, worktree, merge } = attempt;
  const cutOff = (outcome === "stopped" || outcome === "lost") && attempt.refused === undefined;
  const isLanded = merge?.landed ?? before?.landed !== undefined;
  if (!cutOff && !(isLanded && outcome === "failed" && isEngines(evidence))) return {};
  // An attempt without an agent continues another one's work, with the claims made for it.
  const same = agent === undefined ? before : undefined;
  const humanStep = attempt.humanStep ?? same?.humanStep;
  const gate = humanStep === undefined ? {} : { humanStep };
  const landed = { ...landedBy(attempt), ...gate };
  if (change !== undefined && worktree !== undefined) {
    return {
      pendingWork: {
        tip: change.tip,
        files: change.files,
        baseSha: worktree.baseSha,
        claimed: (agent !== undefined && claimsDone(agent)) || same?.claimed === true,
        ...landed,
      },
    };
  }
  return before === undefined ? {} : { pendingWork: { ...before, ...landed } };
}

/**
 * The work that an attempt leaves. Before its wall is upheld, a ruling leaves none: nobody has worked in it. Nor does a change that
 * has not landed and answers a text that a person has rewritten meanwhile, or whose attempt was remedied.
 */
export function leftWork(...[attempt, event, before]: Parameters<typeof nextPendingWork>): Pick<TicketState, "pendingWork"> {
  const isRuling = attempt.wall !== undefined && attempt.humanStep === undefined && before?.humanStep === undefined;
  const isLanded = attempt.merge?.landed ?? before?.landed !== undefined;
  if (attempt.isRemedied && !isLanded) return {};
  return isRuling || (attempt.isOutdated && !isLanded) ? {} : nextPendingWork(attempt, event, before);
}

/** What the attempt has landed, and whether a person has rewritten the ticket meanwhile. */
function landedBy({ merge, isOutdated }: Attempt): Pick<PendingWork, "landed" | "rewritten"> {
  if (merge?.landed !== true) return {};
  return { landed: { from: merge.from, to: merge.to }, ...(isOutdated && { rewritten: true }) };
}

/** True if the evidence is about the engine, and not about the work. */
function isEngines(evidence: Evidence | undefined): boolean {
  return evidence?.step === "assert" || evidence?.step === "worktree";
}
