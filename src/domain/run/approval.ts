import { firstFewLine } from "../values/first-few.ts";
import { plural } from "../values/plural.ts";
import { plainText } from "../values/text.ts";
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

/** The zones of a change in a few words: `src/payments/ (2 files)`. */
export function describeZones({ zones, files }: { readonly zones: readonly string[]; readonly files: number }): string {
  return plainText(`${firstFewLine(zones, 3)} (${plural(files, "file")})`, 200);
}

/** The exact step that is left to a person. */
export function approvalStep(run: string, { id, approval }: Pick<TicketState, "id" | "approval">): string {
  if (approval === undefined) return "";
  const { commit } = approval;
  const what = `the change of ${describeZones(approval)}`;
  return plainText(
    `look at ${what}: loopdash bound approve ${run} ${id}; approve it with the commit: loopdash bound approve ${run} ${id} ${commit.slice(0, 12)}`,
    500,
  );
}
