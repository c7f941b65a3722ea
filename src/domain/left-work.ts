import type { Batch, Ticket } from "./batch/schema.ts";
import type { RunEvent } from "./event.ts";
import { type RunState, ticketOf } from "./state.ts";

type LeftWork = NonNullable<Extract<RunEvent, { type: "run-started" }>["left"]>;

/**
 * What agents of the run before have built whose finish line was cut off: a new run judges it, whole and by its own finish line,
 * before it pays another agent. Only for tickets that are still what they were, on the same repository and base.
 */
export function leftWork(last: RunState, batch: Batch): LeftWork {
  const before = new Map(last.plan.tickets.map((ticket) => [ticket.id, ticket]));
  return batch.tickets.flatMap((ticket) => {
    const then = before.get(ticket.id);
    if (then === undefined || aim(then, last.batch) !== aim(ticket, batch)) return [];
    const { unfinished } = ticketOf(last, ticket.id);
    // What has landed, or ends at a person, is more than a change to be judged.
    if (unfinished === undefined || unfinished.landed !== undefined || unfinished.humanStep !== undefined) return [];
    return [{ id: ticket.id, tip: unfinished.tip, baseSha: unfinished.baseSha }];
  });
}

/** What a ticket asks for, and where. */
function aim({ title, body, repo, allow }: Ticket, { repos }: Batch): string {
  return JSON.stringify([title, body, allow ?? null, repo, repos[repo]?.path, repos[repo]?.base]);
}
