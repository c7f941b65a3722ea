import { setAside } from "../schedule/money.ts";
import { isFromForge } from "./attempt-fact.ts";
import type { AuditResult } from "./audit-fact.ts";
import type { RunEvent } from "./event.ts";
import { stepsNotNeeded } from "./not-needed.ts";
import { type Attempt, claimsDone, type PastAttempt, type TicketState } from "./ticket-state.ts";

/** A process whose end is unknown cost all that was set aside for it, and so did a question without an answer (law 4). */
export function lostUsd(attempt: Attempt): number {
  return attempt.agent === undefined ? (attempt.asked?.reservedUsd ?? 0) : setAside(attempt);
}

/** True if the agent of an attempt claims to be done. One that was asked for a plan does not. */
export function hasClaimed({ agent, isPlanning }: Attempt): boolean {
  return agent !== undefined && !isPlanning && claimsDone(agent);
}

/** An attempt that has ended, as its ticket remembers it. */
export function toPastAttempt(
  { approval, history }: Pick<TicketState, "approval" | "history">,
  attempt: Attempt,
  event: Extract<RunEvent, { type: "attempt-ended" }>,
): PastAttempt {
  // An attempt begins without one, so it is its own.
  const isAwaiting = approval !== undefined && event.outcome === "stopped";
  const evidence = event.outcome === "done" ? undefined : (event.evidence ?? attempt.refused);
  return {
    n: attempt.n,
    slot: attempt.slot,
    startedAt: attempt.startedAt,
    slotLeftAt: attempt.slotLeftAt ?? event.at,
    endedAt: event.at,
    outcome: event.outcome,
    summary: event.evidence?.summary ?? "",
    ...(evidence && { failedAt: evidence.step, sentBack: isFromForge(evidence) || undefined }),
    claimed: hasClaimed(attempt),
    ...passedSteps(attempt),
    passedBeforeApproval: isAwaiting ? attempt.passed.map(({ index, ms }) => ({ index, ms })) : undefined,
    ...notNeededBy(attempt, history.at(-1)),
    ...(attempt.kept === undefined ? {} : { kept: attempt.kept }),
    ...(attempt.elsewhere && { elsewhere: attempt.elsewhere }),
    ...(attempt.notKept === undefined ? {} : { notKept: attempt.notKept }),
    ...(attempt.signals && { signals: attempt.signals }),
    ...(attempt.guard && { guard: attempt.guard }),
    ...pickAuditResult(attempt),
    costUsd: (attempt.agent?.costUsd ?? 0) + (attempt.questionsUsd ?? 0) + lostUsd(attempt),
    ...attemptKind(attempt, event),
  };
}

function passedSteps({ passed }: Attempt): Pick<PastAttempt, "passed"> {
  return passed.length === 0 ? {} : { passed };
}

function notNeededBy(attempt: Attempt, before: PastAttempt | undefined): Pick<PastAttempt, "notNeeded"> {
  const notNeeded = stepsNotNeeded(attempt, before);
  return notNeeded.length === 0 ? {} : { notNeeded };
}

/** What kind of attempt it was. */
function attemptKind({ agent, isPlanning }: Attempt, { readOnly, unplanned }: Extract<RunEvent, { type: "attempt-ended" }>) {
  return { readOnly, unplanned, hadAgent: agent && (true as const), ...(isPlanning && { isPlanning }) };
}

function pickAuditResult({ audited, auditUnread }: AuditResult): AuditResult {
  return { ...(audited !== undefined && { audited }), ...(auditUnread !== undefined && { auditUnread }) };
}
