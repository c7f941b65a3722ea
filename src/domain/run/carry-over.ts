import type { Batch, Ticket } from "../batch/schema.ts";
import type { RunId, TicketId } from "../values/ids.ts";
import { vecItems } from "../values/vec.ts";
import type { CarriedOverWork, EarlierLanding } from "./event.ts";
import { isLandedNotLive } from "./live-check.ts";
import { type RunState, ticketOf } from "./state.ts";
import type { TicketState } from "./ticket-state.ts";

/**
 * Work of the previous run's agents whose finish line was cut off. A new run puts it through the whole finish line before it pays
 * another agent. If the work had landed, the run only verifies it and tells the tracker, because another agent would find nothing
 * to do. Only tickets that have not changed, on the same repository and base, are carried over.
 */
export function carriedOverWork(last: RunState, batch: Batch): readonly CarriedOverWork[] {
  const before = new Map(last.plan.tickets.map((ticket) => [ticket.id, ticket]));
  return batch.tickets.flatMap((ticket) => {
    const then = before.get(ticket.id);
    if (then === undefined || aim(then, last.batch) !== aim(ticket, batch)) return [];
    const { live, phase, unfinished } = ticketOf(last, ticket.id);
    if (live !== undefined && isLandedNotLive({ live, phase }) && judges(then) === judges(ticket)) {
      const { sha, from, tip = sha } = live;
      return [{ id: ticket.id, tip, baseSha: from, landed: { from, to: sha }, live }];
    }
    // Work that ends at a person is more than a change to check.
    if (unfinished === undefined || unfinished.humanStep !== undefined) return [];
    const { tip, baseSha, landed } = unfinished;
    if (landed === undefined) return [{ id: ticket.id, tip, baseSha }];
    // Another finish line cannot check it again: it is in the base.
    return judges(then) === judges(ticket) ? [{ id: ticket.id, tip, baseSha, landed }] : [];
  });
}

/** The steps that check a change before it lands. */
function judges({ finish }: Ticket): string {
  return JSON.stringify(
    finish.slice(
      0,
      finish.findIndex(({ step }) => step === "merge"),
    ),
  );
}

/** The task of a ticket and its place: both must be the same for a carry-over. */
function aim({ title, body, repo, allow }: Ticket, { repos }: Batch): string {
  return JSON.stringify([title, body, allow ?? null, repo, repos[repo]?.path, repos[repo]?.base]);
}

/** The landings that a later run of the batch can show: those of `last` itself, and those that it knew from the runs before it. */
export function landingsUpTo(last: RunState): ReadonlyMap<TicketId, EarlierLanding> {
  const known = new Map<TicketId, EarlierLanding>();
  for (const { id, mergedSha, landedEarlier } of vecItems(last.tickets)) {
    if (mergedSha !== undefined) known.set(id, { run: last.run, sha: mergedSha });
    else if (landedEarlier !== undefined) known.set(id, landedEarlier);
  }
  return known;
}

/**
 * The commit to show for a ticket; undefined if it has not landed. `earlierRun` is set if an earlier run landed it, and only
 * while the ticket is settled: once it is open again, that commit says nothing about it.
 */
export function landingOf(ticket: TicketState): { readonly sha: string; readonly earlierRun?: RunId } | undefined {
  const { mergedSha, landedEarlier, phase } = ticket;
  if (mergedSha !== undefined) return { sha: mergedSha };
  if (landedEarlier === undefined || (phase !== "done" && phase !== "human-gated")) return undefined;
  return { sha: landedEarlier.sha, earlierRun: landedEarlier.run };
}
