import { withTicket } from "../schedule/queue.ts";
import { vecAt } from "../values/vec.ts";
import type { AttemptOutcome } from "./attempt-fact.ts";
import type { RunEvent } from "./event.ts";
import { type DueRemedy, failedGateText, type Remedy } from "./remedy-fact.ts";
import { indexOf, type RunState } from "./state.ts";
import type { Attempt, TicketState } from "./ticket-state.ts";

/** Remediations that a ticket remembers. Each of a person's retries allows it some more. */
const KEPT = 100;

/**
 * Folds a remediation: unless its agent is only told something, the agent at work is to be ended, and the next attempt is as the action says,
 * or there is none.
 */
export function reduceRemedy(state: RunState, event: Extract<RunEvent, { type: "remediated" }>): RunState {
  const index = indexOf(state, event.ticket);
  const ticket = vecAt(state.tickets, index);
  const { attempt } = ticket;
  if (attempt === undefined || attempt.fence !== event.fence) throw new RangeError(`no attempt with fence ${event.fence}`);
  const { at, gate, action, was, did, now, bound } = event;
  const account = event.account === undefined ? {} : { account: event.account };
  const remedy: Remedy = { n: attempt.n, at, gate, action, was, did, now, bound, ...account };
  const { due: _, ...known } = ticket;
  const remedies = [...(ticket.remedies ?? []), remedy].slice(-KEPT);
  if (action === "nudge") return withTicket(state, index, { ...ticket, remedies });
  const next: TicketState = { ...known, remedies };
  const ended = endedBy(attempt);
  // No human gate: that would settle the ticket, and the signals of a gate are claims.
  if (action === "gate")
    return withTicket(state, index, {
      ...next,
      signs: { ...ticket.signs, behaviour: failedGateText(gate, was) },
      attempt: ended,
    });
  const due: DueRemedy = { n: attempt.n, gate, action, was, ...(event.from && { from: event.from }) };
  return withTicket(state, index, { ...next, due, attempt: ended });
}

/** The attempt, which is over: what its agent does from here on counts for nothing. */
function endedBy(attempt: Attempt): Attempt {
  const isAtWork = attempt.agent !== undefined && attempt.agent.endedAt === undefined;
  return { ...attempt, isRemedied: true, ...(isAtWork && { killing: attempt.killing ?? "remedied" }) };
}

/** What is left of a remediation once an attempt has ended. One that was cut off, or that had no agent, has not carried it out. */
export function dueAfter({ due }: TicketState, attempt: Attempt, outcome: AttemptOutcome): Pick<TicketState, "due"> {
  if (due === undefined || outcome === "done") return {};
  const isCutOff = outcome === "stopped" || outcome === "lost";
  return due.n === attempt.n || isCutOff || attempt.agent === undefined || attempt.isPlanning ? { due } : {};
}
