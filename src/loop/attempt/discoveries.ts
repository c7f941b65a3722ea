import { admitDiscovery } from "../../domain/outbox/discovery.ts";
import type { Discovery } from "../../domain/outbox/schema.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import type { FiledTicket } from "../../ports/tracker.ts";
import { writeTracker } from "../steps/assert.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";

/**
 * Makes tickets of an agent's discoveries (the outbox reads a bounded number), as far as the batch takes them. Each is announced;
 * its event launches the filing in the tracker. People and the next attempt are told of refused ones.
 */
export async function fileDiscoveries(ctx: LoopContext, open: OpenAttempt, discoveries: readonly Discovery[]): Promise<void> {
  if (discoveries.length === 0) return;
  const taken = await takenIds(ctx, open.signal);
  const ref = { ticket: open.ticket.id, fence: open.fence };
  for (const discovery of discoveries) {
    const admission = admitDiscovery(ctx.state(), ref.ticket, discovery, taken);
    const reason = plainText(discovery.reason, 1_000);
    const admitted = admission.ok
      ? ctx.report({ type: "ticket-discovered", ...ref, discovered: admission.ticket, reason, blocks: discovery.blocks })
      : ctx.report({ type: "discovery-refused", ...ref, title: plainText(discovery.title, 80), why: admission.why });
    if (!admitted) return;
  }
}

/**
 * The tracker's ids beyond the batch. Empty after a stop, or if the tracker is away for too long: a ticket whose id is already
 * taken is then stalled at filing, and nothing is overwritten.
 */
function takenIds({ outages, tracker }: LoopContext, signal: AbortSignal): Promise<readonly string[]> {
  return outages.persist("tracker", () => tracker.taken(), { signal }).catch(() => []);
}

/**
 * Writes a discovered ticket to the tracker and reports it. If the tracker refuses it, the ticket is stalled with the reason: it
 * stays in the batch, and the oracle reports it as missing. If filing is cancelled or given up, the run's next engine files it.
 */
export async function fileTicket(ctx: LoopContext, ticket: TicketId, signal: AbortSignal): Promise<void> {
  const filed = filedTicket(ctx.state(), ticket);
  const result = await writeTracker(ctx, signal, () => ctx.tracker.file(filed));
  if (result.ok) ctx.report({ type: "discovery-filed", ticket });
  // Re-verification or a person's command may have filed it meanwhile.
  else if (result.isRefused && ticketById(ctx.state(), ticket).unfiled === true) {
    const reason = plainText(`the tracker does not hold it: ${result.problem}`, 500);
    ctx.report({ type: "ticket-stalled", ticket, reason });
  }
}

/** Files discovered tickets that the tracker lacks: an engine was lost, or the tracker was down. Filing twice does no harm. */
export async function fileUnfiled(ctx: LoopContext, signal: AbortSignal): Promise<void> {
  await Promise.all(unfiledTickets(ctx.state()).map((id) => fileTicket(ctx, id, signal)));
}

/** Discovered tickets that the tracker does not hold yet, as far as is known. */
export function unfiledTickets(state: RunState): readonly TicketId[] {
  const found = state.plan.tickets.slice(state.batch.tickets.length);
  return found.map(({ id }) => id).filter((id) => ticketById(state, id).unfiled === true);
}

/** A discovered ticket as the tracker stores it. Throws a RangeError if the run has no such ticket. */
export function filedTicket({ plan, run }: RunState, ticketId: TicketId): FiledTicket {
  const { id, title, body, repo, dependsOn, exclusive, foundBy } = plannedTicket(plan, ticketId);
  const who = foundBy === undefined ? "added by a person" : `found by the worker on ${foundBy}`;
  return { id, title, body, repo, dependsOn, exclusive, note: `${who} in run ${run}` };
}
