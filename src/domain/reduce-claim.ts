import type { RunEvent } from "./event.ts";
import { withTicket } from "./queue.ts";
import { type Attempt, indexOf, type RunState, type TicketState } from "./state.ts";
import { vecAt } from "./vec.ts";

/** What an attempt claims beside its change, and what the second model says of it. */
export type ClaimEvent = Extract<
  RunEvent,
  {
    type:
      | "second-model-asked"
      | "second-model-answered"
      | "step-retried"
      | "outbox-refused"
      | "blocker-claimed"
      | "blocker-ruled"
      | "discovery-refused";
  }
>;

/** Folds them. Facts of another fence never arrive here: `admit` drops them before the journal. */
export function reduceClaim(state: RunState, event: ClaimEvent): RunState {
  const index = indexOf(state, event.ticket);
  const ticket = vecAt(state.tickets, index);
  const { attempt } = ticket;
  if (attempt === undefined || attempt.fence !== event.fence) throw new RangeError(`no attempt with fence ${event.fence}`);
  const set = (next: Partial<Attempt>): RunState => withTicket(state, index, { ...ticket, attempt: { ...attempt, ...next } });
  switch (event.type) {
    case "second-model-asked": {
      const { question, reservedUsd } = event;
      const { secondModel } = state;
      const asked = { ...set({ asked: { question, reservedUsd } }), reservedUsd: state.reservedUsd + reservedUsd };
      return { ...asked, secondModel: { ...secondModel, asked: secondModel.asked + 1 } };
    }
    case "second-model-answered":
      return answered(state, index, ticket, attempt, event);
    case "step-retried":
      return {
        ...set({ retried: { step: event.step, transient: event.transient } }),
        transients: { ...state.transients, retried: state.transients.retried + 1 },
      };
    case "blocker-claimed":
      return { ...state, blockers: { ...state.blockers, claimed: state.blockers.claimed + 1 } };
    case "blocker-ruled":
      if (!event.upheld) return state;
      return { ...set({ humanStep: event.step }), blockers: { ...state.blockers, upheld: state.blockers.upheld + 1 } };
    case "discovery-refused":
      return { ...state, discoveries: { ...state.discoveries, refused: state.discoveries.refused + 1 } };
    case "outbox-refused":
      return state;
  }
}

function answered(
  state: RunState,
  index: number,
  ticket: TicketState,
  attempt: Attempt,
  event: Extract<ClaimEvent, { type: "second-model-answered" }>,
): RunState {
  const { asked, ...rest } = attempt;
  const { costUsd, valid, canary } = event;
  const { secondModel } = state;
  return {
    ...withTicket(state, index, { ...ticket, costUsd: ticket.costUsd + costUsd, attempt: rest }),
    spentUsd: state.spentUsd + costUsd,
    reservedUsd: state.reservedUsd - (asked?.reservedUsd ?? 0),
    secondModel: {
      ...secondModel,
      valid: secondModel.valid + (valid ? 1 : 0),
      usd: secondModel.usd + costUsd,
      canaries:
        canary === undefined ? secondModel.canaries : { ...secondModel.canaries, [canary]: secondModel.canaries[canary] + 1 },
    },
  };
}
