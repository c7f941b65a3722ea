import { describeAwaited } from "../../domain/run/approval.ts";
import type { ApprovalFact } from "../../domain/run/approval-fact.ts";
import { type EventLabel, STYLES } from "./tone.ts";

/** Describes the wait for a person's approval of a change, and the approval. */
export function approvalLabel(fact: ApprovalFact): EventLabel {
  return fact.type === "approval-awaited"
    ? [STYLES.needsYou, `waits for your approval of ${describeAwaited(fact)}`]
    : [STYLES.person, `a person approved its change, ${fact.commit.slice(0, 7)}`];
}
