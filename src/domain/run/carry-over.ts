import type { Batch, Ticket } from "../batch/schema.ts";
import { serializeTicketText } from "../schedule/plan.ts";
import type { RunId, TicketId } from "../values/ids.ts";
import { vecItems } from "../values/vec.ts";
import type { FailingCheck } from "./base-check.ts";
import type { CarriedOverWork, EarlierLanding } from "./event.ts";
import { isLandedNotLive } from "./live-check.ts";
import { failingStep } from "./reduce-base.ts";
import { type RunState, ticketById } from "./state.ts";
import type { TicketState } from "./ticket-state.ts";

/**
 * Work of the previous run's agents whose finish line was cut off. A new run puts it through the whole finish line before it pays
 * another agent. If the work had landed, the run only verifies it and tells the tracker, because another agent would find nothing
 * to do: it is in the base, whatever a person has changed in the ticket or its finish line since. Other work is carried over only
 * if the ticket asks for the same. Repository and base must be the same for both.
 */
export function carriedOverWork(last: RunState, batch: Batch): readonly CarriedOverWork[] {
  const before = new Map(last.plan.tickets.map((ticket) => [ticket.id, ticket]));
  const known = landingsUpTo(last);
  const landings = (id: TicketId) => {
    const landedEarlier = known.get(id);
    return landedEarlier === undefined ? {} : { landedEarlier };
  };
  return batch.tickets.flatMap((ticket) => {
    const then = before.get(ticket.id);
    if (then === undefined || ticketBaseKey(then, last.batch) !== ticketBaseKey(ticket, batch)) return [];
    const { live, phase, pendingWork } = ticketById(last, ticket.id);
    const rewritten = serializeTicketText(then) === serializeTicketText(ticket) ? {} : { rewritten: true as const };
    if (live !== undefined && isLandedNotLive({ live, phase })) {
      const { sha, from, tip = sha } = live;
      const landed = { from, to: sha };
      return [{ id: ticket.id, tip, baseSha: from, landed, live: { ...live, ...rewritten }, ...landings(ticket.id) }];
    }
    // Work that ends at a person is more than a change to check.
    if (pendingWork === undefined || pendingWork.humanStep !== undefined) return [];
    const { tip, baseSha, landed } = pendingWork;
    if (landed !== undefined) return [{ id: ticket.id, tip, baseSha, landed, ...rewritten }];
    return ticketTaskKey(then) === ticketTaskKey(ticket) ? [{ id: ticket.id, tip, baseSha }] : [];
  });
}

/**
 * Checks that failed on a base when the last run ended, and that the batch still has, by repository: its finished changes wait for
 * them here too. A check with a report is left out, because it tells by itself what fails without a change.
 */
export function carriedOverChecks(last: RunState, batch: Batch): Readonly<Record<string, FailingCheck>> {
  const carried = Object.entries(last.failingChecks).flatMap(([repo, failing]): [string, FailingCheck][] => {
    const { isRunning: _, isRepeated: __, notReverted: ___, seen: ____, ...check } = failing;
    const [then, now] = [last.plan.tickets, batch.tickets].map((all) => all.find(({ id }) => id === failing.foundBy));
    const step = failingStep(last, failing);
    if (then === undefined || now === undefined || ticketBaseKey(then, last.batch) !== ticketBaseKey(now, batch)) return [];
    if (step?.step !== "check" || step.report !== undefined) return [];
    return JSON.stringify(now.finish[failing.step]) === JSON.stringify(step) ? [[repo, check]] : [];
  });
  return Object.fromEntries(carried);
}

/** The repository of a ticket, and its base. */
function ticketBaseKey({ repo }: Ticket, { repos }: Batch): string {
  return JSON.stringify([repo, repos[repo]?.path, repos[repo]?.base]);
}

/** The task of a ticket. */
function ticketTaskKey({ title, body, allow }: Ticket): string {
  return JSON.stringify([title, body, allow ?? null]);
}

/** The landings that a later run of the batch can show: those of `last` itself, and those that it knew from the runs before it. */
export function landingsUpTo(last: RunState): ReadonlyMap<TicketId, EarlierLanding> {
  const known = new Map<TicketId, EarlierLanding>();
  for (const { id, mergedSha, mergedFrom, landedEarlier, closedByPerson } of vecItems(last.tickets)) {
    const from = mergedFrom === undefined ? {} : { from: mergedFrom };
    const closed = closedByPerson === "closed" ? { closedByPerson: true as const } : {};
    if (mergedSha !== undefined && mergedSha !== landedEarlier?.sha)
      known.set(id, { run: last.run, sha: mergedSha, ...from, ...closed });
    else if (landedEarlier !== undefined) known.set(id, { ...landedEarlier, ...closed });
  }
  return known;
}

/**
 * True if a person has reopened a ticket that is open now and had landed: it was settled at the end of the last run, or that run
 * had found it reopened and landed nothing more.
 */
export function isReopenedSince(last: RunState, id: TicketId): boolean {
  if (!Object.hasOwn(last.plan.index, id)) return false;
  const { phase, mergedSha, landedEarlier } = ticketById(last, id);
  return phase === "done" || phase === "human-gated" || (mergedSha === undefined && landedEarlier !== undefined);
}

/**
 * True if a person has closed a ticket that is done now: at the end of the last run it had landed and was not known to be live. If
 * that run could only not tell the tracker, its own write may have come through.
 */
export function isClosedSince(last: RunState, id: TicketId): boolean {
  if (!Object.hasOwn(last.plan.index, id)) return false;
  const { live, phase } = ticketById(last, id);
  return live !== undefined && isLandedNotLive({ live, phase }) && live.untold === undefined;
}

/**
 * The commit to show for a ticket; undefined if it has not landed. `earlierRun` is set if an earlier run landed it, and only
 * while the ticket is settled: once it is open again, that commit says nothing about it.
 */
export function findLanding(ticket: TicketState): { readonly sha: string; readonly earlierRun?: RunId } | undefined {
  const { mergedSha, landedEarlier, phase } = ticket;
  if (mergedSha !== undefined && mergedSha !== landedEarlier?.sha) return { sha: mergedSha };
  const isSettled = phase === "done" || phase === "human-gated";
  if (landedEarlier === undefined || (mergedSha === undefined && !isSettled)) return undefined;
  return { sha: landedEarlier.sha, earlierRun: landedEarlier.run };
}
