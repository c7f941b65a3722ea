import type { RunState } from "../run/state.ts";
import type { TicketState } from "../run/ticket-state.ts";
import { describeReason, type Reason, whyNot } from "../schedule/why-not.ts";
import { vecItems } from "../values/vec.ts";

/** Lists the done tickets, those left to a person, and the open ones with the reason, in words. */
export function outcomes(state: RunState): {
  done: TicketState[];
  gated: TicketState[];
  open: { ticket: TicketState; why: string }[];
} {
  const all = [...vecItems(state.tickets)];
  const open = all.flatMap((ticket, index) => {
    if (ticket.phase === "done" || ticket.phase === "human-gated") return [];
    return [{ ticket, why: ticket.stalledReason ?? whyOpen(state, ticket, index) }];
  });
  return { done: all.filter((t) => t.phase === "done"), gated: all.filter((t) => t.phase === "human-gated"), open };
}

/** Reasons that another attempt would not have changed. */
const REASONS_BEYOND_ATTEMPTS: ReadonlySet<Reason["kind"]> = new Set([
  "depends",
  "money",
  "filing",
  "halted",
  "landed",
  "checks-only",
  "base-broken",
  "unprepared",
  "unavailable",
]);

/** The reason why a ticket is open: its wait, or the end of its last attempt if the run has ended. */
function whyOpen(state: RunState, { history }: TicketState, index: number): string {
  const reason = whyNot(state, index);
  if (state.end === undefined || REASONS_BEYOND_ATTEMPTS.has(reason.kind)) return describeReason(reason);
  const last = history.at(-1);
  return last === undefined
    ? "not started"
    : `attempt ${last.n} ${last.outcome}${last.summary === "" ? "" : `: ${last.summary}`}`;
}

/** True for an open ticket that nobody has worked on in a run that is over. */
export function hasNeverStarted({ attempt, history, phase }: TicketState, { end }: Pick<RunState, "end">): boolean {
  return end !== undefined && phase === "waiting" && attempt === undefined && history.length === 0;
}
