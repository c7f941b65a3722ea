import type { Batch, Ticket } from "../batch/schema.ts";
import type { CarriedOverWork } from "./event.ts";
import { type RunState, ticketOf } from "./state.ts";

/**
 * What agents of the run before have built whose finish line was cut off: a new run judges it, whole and by its own finish line,
 * before it pays another agent. What had landed by then it only verifies and tells the tracker, for another agent would find
 * nothing left to do. Only for tickets that are still what they were, on the same repository and base.
 */
export function carriedOverWork(last: RunState, batch: Batch): readonly CarriedOverWork[] {
  const before = new Map(last.plan.tickets.map((ticket) => [ticket.id, ticket]));
  return batch.tickets.flatMap((ticket) => {
    const then = before.get(ticket.id);
    if (then === undefined || aim(then, last.batch) !== aim(ticket, batch)) return [];
    const { unfinished } = ticketOf(last, ticket.id);
    // What ends at a person is more than a change to be judged.
    if (unfinished === undefined || unfinished.humanStep !== undefined) return [];
    const { tip, baseSha, landed } = unfinished;
    if (landed === undefined) return [{ id: ticket.id, tip, baseSha }];
    // It cannot be judged anew by another finish line: it is in the base.
    return judges(then) === judges(ticket) ? [{ id: ticket.id, tip, baseSha, landed }] : [];
  });
}

/** What judges a change before it lands. */
function judges({ finish }: Ticket): string {
  return JSON.stringify(
    finish.slice(
      0,
      finish.findIndex(({ step }) => step === "merge"),
    ),
  );
}

/** What a ticket asks for, and where. */
function aim({ title, body, repo, allow }: Ticket, { repos }: Batch): string {
  return JSON.stringify([title, body, allow ?? null, repo, repos[repo]?.path, repos[repo]?.base]);
}
