import { isHealable } from "../schedule/heal.ts";
import { requeue, withTicket } from "../schedule/queue.ts";
import { vecAt, vecItems } from "../values/vec.ts";
import type { RunEvent } from "./event.ts";
import type { HealsState } from "./heal-fact.ts";
import { renewed } from "./reduce-ticket.ts";
import type { RunState } from "./state.ts";

export type HealEvent = Extract<
  RunEvent,
  { type: "heal-asked" | "heal-dropped" | "heal-started" | "heal-agent-started" | "heal-ended" }
>;
type Running = NonNullable<HealsState["running"]>;

/** Folds the events of heals. */
export function reduceHeal(state: RunState, event: HealEvent): RunState {
  switch (event.type) {
    case "heal-asked":
      return { ...state, heals: { ...state.heals, asked: true } };
    case "heal-dropped": {
      const { asked: _, ...heals } = state.heals;
      return { ...state, heals };
    }
    case "heal-started":
      return begin(state, event);
    case "heal-agent-started": {
      const { pid, startTime } = event;
      return { ...state, heals: { ...state.heals, running: { ...running(state, event.n), pid, startTime } } };
    }
    case "heal-ended":
      return end(state, event);
  }
}

function begin(state: RunState, { n, token, at, reason, reservedUsd }: Extract<HealEvent, { type: "heal-started" }>): RunState {
  const { asked, ...before } = state.heals;
  const running = { n, token, startedAt: at, reason, reservedUsd, ...(asked && { asked }) };
  const heals = { ...before, started: n, running };
  return { ...state, stage: "healing", heals, lastFence: token, reservedUsd: state.reservedUsd + reservedUsd };
}

function end(state: RunState, event: Extract<HealEvent, { type: "heal-ended" }>): RunState {
  const { reservedUsd, asked = false, reason, startedAt } = running(state, event.n);
  const { running: _, ...before } = state.heals;
  const { n, outcome, why, changed, costUsd, at: endedAt } = event;
  const past = [...before.past, { n, outcome, why, changed, costUsd, reason, startedAt, endedAt }];
  const heals = { ...before, past, usd: before.usd + costUsd };
  const settled: RunState = {
    ...state,
    stage: state.stage === "stopping" ? "stopping" : "working",
    heals,
    reservedUsd: state.reservedUsd - reservedUsd,
    spentUsd: state.spentUsd + event.costUsd,
  };
  if (event.outcome === "accepted") return accept(settled, event.n);
  // A stop, or the loss of its engine, says nothing about the heal's outcome. A requested heal does not replace an end.
  const toldNothing = event.outcome === "lost" || state.stage === "stopping" || asked;
  return toldNothing ? settled : { ...settled, heals: { ...heals, givenUp: true } };
}

/** The oracle must be proven again, and tickets that ran out of attempts start again as if they were new. */
function accept(state: RunState, version: number): RunState {
  let next: RunState = {
    ...state,
    heals: { ...state.heals, accepted: state.heals.accepted + 1, version },
    tripwire: { status: "due", canaries: 0, ms: 0 },
    reverified: false,
  };
  let index = 0;
  for (const ticket of vecItems(state.tickets)) {
    if (isHealable(ticket)) next = requeue(withTicket(next, index, renewed(vecAt(next.tickets, index))), index);
    index += 1;
  }
  return next;
}

function running({ heals }: RunState, n: number): Running {
  if (heals.running?.n !== n) throw new RangeError(`heal ${n} does not run`);
  return heals.running;
}
