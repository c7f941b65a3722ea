import { firstFewLine, plainText, plural } from "../values/text.ts";
import type { AwaitedApproval } from "./approval-fact.ts";
import type { TicketState } from "./ticket-state.ts";

/** Approved changes that a ticket remembers. */
const MOST_APPROVED = 20;

/** True if the work of a ticket waits for a person's approval. Without that work there is nothing to approve. */
export function awaitsApproval({ approval, approved, pendingWork }: TicketState): boolean {
  return approval !== undefined && pendingWork !== undefined && approved?.includes(approval.change) !== true;
}

/** True if a person has approved exactly this change of the ticket. */
export function isApproved({ approved }: Pick<TicketState, "approved">, change: string): boolean {
  return approved?.includes(change) === true;
}

/** The approved changes with one more. */
export function withApproved({ approved = [] }: Pick<TicketState, "approved">, change: string): readonly string[] {
  return [...approved.filter((one) => one !== change), change].slice(-MOST_APPROVED);
}

/** A change that a person has to approve, in a few words: `the change of src/payments/ (2 files)`, `the architectural change (12 files)`. */
export function describeAwaited({ zones, files, complexity }: Pick<AwaitedApproval, "zones" | "files" | "complexity">): string {
  const kind = complexity === undefined ? "change" : `${complexity} change`;
  const of = zones.length === 0 ? "" : ` of ${firstFewLine(zones, 3)}`;
  return plainText(`the ${kind}${of} (${plural(files, "file")})`, 200);
}

/** The exact step that is left to a person. */
export function approvalStep(run: string, { id, approval }: Pick<TicketState, "id" | "approval">): string {
  if (approval === undefined) return "";
  const { commit } = approval;
  const what = describeAwaited(approval);
  return plainText(
    `look at ${what}: loopdash bound approve ${run} ${id}; approve it with the commit: loopdash bound approve ${run} ${id} ${commit.slice(0, 12)}`,
    500,
  );
}
