import { isShownWhole, type WholeChange } from "../../domain/review/shown-change.ts";
import { describeAwaited } from "../../domain/run/approval.ts";
import type { ApprovalFact } from "../../domain/run/approval-fact.ts";
import type { DashboardState } from "../dashboard-state.ts";
import type { Modal } from "../ui.ts";
import { type EventLabel, STYLES } from "./tone.ts";

/** Describes the wait for a person's approval of a change, and the approval. */
export function approvalLabel(fact: ApprovalFact): EventLabel {
  return fact.type === "approval-awaited"
    ? [STYLES.needsYou, `waits for your approval of ${describeAwaited(fact)}`]
    : [STYLES.again, `a person approved its change, ${fact.commit.slice(0, 7)}`];
}

/** The change of the question of its approval if all of it is shown behind that; else why it cannot be approved here, and what to do. */
export function shownForApproval(
  { viewed, run }: Pick<DashboardState, "viewed" | "run">,
  { ticket, commit }: Extract<Modal, { kind: "approve" }>,
): WholeChange | string {
  const shown = viewed?.change?.commit === commit ? viewed.change : undefined;
  if (isShownWhole(shown)) return shown;
  if (shown === undefined && typeof viewed?.file !== "object") return "its diff is being read: try again";
  return `its diff is not shown whole here: loopdash bound approve ${run?.run ?? ""} ${ticket} shows all of it`;
}
