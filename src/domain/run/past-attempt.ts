import { setAside } from "../schedule/money.ts";
import { isFromForge } from "./attempt-fact.ts";
import type { RunEvent } from "./event.ts";

import { type Attempt, claimsDone, type PastAttempt } from "./ticket-state.ts";

type AttemptEnded = Extract<RunEvent, { type: "attempt-ended" }>;

/** A process whose end is unknown cost all that was set aside for it, and so did a question without an answer (law 4). */
export function lostUsd(attempt: Attempt): number {
  return attempt.agent === undefined ? (attempt.asked?.reservedUsd ?? 0) : setAside(attempt);
}

/** True if the agent ended as one does that says it is done. */
export function hasClaimed({ agent }: Attempt): boolean {
  return agent !== undefined && claimsDone(agent);
}

/** What stays of an attempt when it has ended. */
export function pastOf(attempt: Attempt, event: AttemptEnded): PastAttempt {
  const evidence = event.outcome === "done" ? undefined : (event.evidence ?? attempt.refused);
  return {
    n: attempt.n,
    slot: attempt.slot,
    startedAt: attempt.startedAt,
    slotLeftAt: attempt.slotLeftAt ?? event.at,
    endedAt: event.at,
    outcome: event.outcome,
    summary: event.evidence?.summary ?? "",
    ...(evidence && { failedAt: evidence.step, ...(isFromForge(evidence) && { sentBack: true }) }),
    claimed: hasClaimed(attempt),
    ...(attempt.kept === undefined ? {} : { kept: attempt.kept }),
    ...(attempt.notKept === undefined ? {} : { notKept: attempt.notKept }),
    ...(attempt.signals && { signals: attempt.signals }),
    ...(attempt.guard && { guard: attempt.guard }),
    costUsd: (attempt.agent?.costUsd ?? 0) + (attempt.questionsUsd ?? 0) + lostUsd(attempt),
    ...(event.readOnly && { readOnly: true }),
    ...(attempt.agent !== undefined && { hadAgent: true }),
  };
}
