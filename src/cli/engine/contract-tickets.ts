import { hintFor } from "../../domain/batch/nearest.ts";
import { type BatchProblem, displayValue, type Locate, problemAt } from "../../domain/batch/problem.ts";
import type { TrackerSpec } from "../../domain/batch/tracker-spec.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { type OutsideTracker, refuseUnread } from "./outside-tracker.ts";

/**
 * A problem for each of these tickets, which have contracts and are not selected by the batch's query, that the tracker does not have at all:
 * its id is mistyped. Closed and archived ones are there. Asks the tracker if there are any. Throws a UserError (exit 3) if it does not answer.
 */
export async function missingContractTickets(
  unselected: readonly TicketId[],
  { outside, kind, known, locate }: MissingOptions,
): Promise<readonly BatchProblem[]> {
  if (outside === undefined || unselected.length === 0) return [];
  const { service } = outside.serviceOf(unselected);
  const found = await service.snapshot("whole").catch((cause: unknown) => refuseUnread(cause, kind));
  // A reading leaves archived tickets out; their keys are known.
  const keys = service.keys?.() ?? new Map<TicketId, string>();
  const missing = unselected.filter((id) => !found.has(id) && (keys.get(id) ?? "") === "");
  return missing.map((id) =>
    problemAt(locate, ["contracts", id], `${service.name} has no ticket ${displayValue(id)}`, hintFor(id, known, "known here")),
  );
}

interface MissingOptions {
  /** Undefined if the tickets are on this machine. */
  readonly outside: OutsideTracker | undefined;
  readonly kind: TrackerSpec["kind"];
  /** Ids of the batch's tickets. */
  readonly known: readonly string[];
  readonly locate: Locate;
}
