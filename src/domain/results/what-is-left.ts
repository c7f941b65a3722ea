import type { RunState } from "../run/state.ts";
import { isSettled } from "../run/ticket-state.ts";
import { describeHalt } from "../schedule/backoff.ts";
import { unpreparedBases } from "../schedule/unprepared.ts";
import { describeReason, type Reason, whyNot } from "../schedule/why-not.ts";
import type { RepoId } from "../values/ids.ts";
import { firstFew, firstFewLine, plural } from "../values/text.ts";
import { vecItems } from "../values/vec.ts";

/** Open tickets named in one sentence; the rest are counted. */
const NAMED = 5;

/**
 * The reason why a run that ends now is not done: its open tickets, and what each waits for. One line. `repo`: the tickets of one
 * repository only.
 */
export function whatIsLeft(state: RunState, repo?: RepoId): string {
  const { halted } = state;
  const open: string[] = [];
  let index = -1;
  let total = 0;
  for (const ticket of vecItems(state.tickets)) {
    index += 1;
    if (repo !== undefined && state.plan.tickets[index]?.repo !== repo) continue;
    total += 1;
    if (ticket.phase === "stalled") open.push(`${ticket.id} stalled (${ticket.stalledReason ?? "no reason given"})`);
    else if (!isSettled(ticket.phase)) open.push(`${ticket.id} ${describeLeftReason(whyNot(state, index))}`);
  }
  if (open.length === 0) return `every ticket is settled here, but the oracle has not said done: ${trackerOpen(state)}`;
  const shared = [...(halted === undefined ? [] : [describeHalt(halted)]), ...unpreparedBases(state, repo)];
  const why = shared.map((each) => `${each}; `).join("");
  return `${why}${open.length} of ${plural(total, "ticket")} ${open.length === 1 ? "is" : "are"} open: ${firstFew(open, NAMED).join("; ")}`;
}

/** The ids of the tickets that are neither done nor left to a person, in a line; undefined if there are none. */
export function openTickets({ tickets }: RunState): string | undefined {
  const open = [...vecItems(tickets)].flatMap(({ id, phase }) => (phase === "done" || phase === "human-gated" ? [] : [id]));
  return open.length === 0 ? undefined : firstFewLine(open, NAMED);
}

/** A reason that all of them share is given once, before them. */
function describeLeftReason(reason: Reason): string {
  return reason.kind === "halted" || reason.kind === "unprepared" ? "not done" : describeReason(reason);
}

function trackerOpen(state: RunState): string {
  const ids = state.oracle.last?.open ?? [];
  return ids.length === 0 ? "it has named none" : `${ids.slice(0, NAMED).join(", ")} open`;
}
