import { withTicket } from "../schedule/queue.ts";
import { vecAt } from "../values/vec.ts";
import type { BundleFact } from "./bundle-fact.ts";
import { type RunState, ticketIndex } from "./state.ts";
import type { PastAttempt } from "./ticket-state.ts";

/** Records whether the files of a past attempt are listed. */
export function reduceBundle(state: RunState, fact: BundleFact): RunState {
  const index = ticketIndex(state, fact.ticket);
  const ticket = vecAt(state.tickets, index);
  const history = ticket.history.map((past) => (past.n === fact.attempt ? withBundle(past, fact) : past));
  return withTicket(state, index, { ...ticket, history });
}

function withBundle({ bundleSha: _, notBundled: __, ...past }: PastAttempt, fact: BundleFact): PastAttempt {
  return fact.type === "attempt-bundled" ? { ...past, bundleSha: fact.sha256 } : { ...past, notBundled: fact.why };
}
