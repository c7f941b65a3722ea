import type { AttemptOutcome } from "../../src/domain/run/attempt-fact.ts";
import { ticketById as stateOf } from "../../src/domain/run/state.ts";
import { type Fence, TicketId } from "../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "./simulate.ts";

type Deed = (sim: Simulation, ticket: TicketId, yes: boolean) => void;

const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];

function begin(sim: Simulation, ticket: TicketId): void {
  const slot = sim.state.slots.indexOf(null);
  if (slot < 0 || stateOf(sim.state, ticket).phase !== "waiting") return;
  const fence = (sim.state.lastFence + 1) as Fence;
  sim.report({ type: "attempt-claimed", ticket, fence, attempt: 1, slot, reservedUsd: 0 });
}

function ask(sim: Simulation, ticket: TicketId, valid: boolean, canary?: "seen" | "missed"): void {
  const of = sim.of(ticket);
  sim.report({ type: "reviewer-asked", ...of, question: "review", reservedUsd: 1 });
  const planted = canary === undefined ? {} : { canary };
  sim.report({ type: "reviewer-answered", ...of, question: "review", costUsd: 0.25, valid, says: "said", ...planted });
}

function transient(sim: Simulation, ticket: TicketId, ok: boolean): void {
  const of = sim.of(ticket);
  sim.report({ type: "step-started", ...of, step: 0, kind: "merge", name: "merge" });
  sim.report({ type: "step-retried", ...of, step: 0, name: "merge", transient: "registry", waitMs: 5 });
  sim.report({ type: "step-ended", ...of, step: 0, ok, summary: "said" });
}

function claim(sim: Simulation, ticket: TicketId, upheld?: boolean): void {
  const of = sim.of(ticket);
  sim.report({ type: "blocker-claimed", ...of, claim: "a wall", humanStep: "set the record" });
  if (upheld !== undefined) sim.report({ type: "blocker-ruled", ...of, upheld, reason: "looked at", step: "set the record" });
}

function end(sim: Simulation, ticket: TicketId, outcome: AttemptOutcome): void {
  sim.endAttempt(ticket, outcome);
}

function within(deeds: readonly Deed[]): readonly Deed[] {
  return deeds.map((deed) => (sim, ticket, yes) => {
    if (stateOf(sim.state, ticket).attempt !== undefined) deed(sim, ticket, yes);
  });
}

/** Whatever may happen to a ticket that is worked on; to one that is not, nothing does. */
export const DEEDS: readonly Deed[] = [
  begin,
  ...within([
    (sim, ticket, yes) => ask(sim, ticket, yes),
    (sim, ticket, yes) => ask(sim, ticket, true, yes ? "seen" : "missed"),
    (sim, ticket) => sim.report({ type: "reviewer-asked", ...sim.of(ticket), question: "adjudicate", reservedUsd: 1 }),
    (sim, ticket, yes) => transient(sim, ticket, yes),
    (sim, ticket, yes) => claim(sim, ticket, yes),
    (sim, ticket) => claim(sim, ticket),
    (sim, ticket) => sim.report({ type: "discovery-refused", ...sim.of(ticket), title: "more", why: "enough" }),
    (sim, ticket) => sim.endAgent(ticket),
    (sim, ticket, yes) => end(sim, ticket, yes ? "done" : "failed"),
    (sim, ticket, yes) => end(sim, ticket, yes ? "stopped" : "lost"),
    (sim, ticket) => end(sim, ticket, "gated"),
  ]),
];

/** One ticket shipped after a transient, one built up to a wall and left to a person, one that fails, one that was found. */
export function beside(): Simulation {
  const tickets = [ticketOf("T-1", { title: "With a transient" }), ticketOf("T-2", { title: "At the wall" }), ticketOf("T-3")];
  const sim = new Simulation(batchOf(tickets, { attempts: 1, discoveries: 5 }));
  begin(sim, T1);
  ask(sim, T1, true, "seen");
  const discovered = { ...ticketOf("T-1-d1", { title: "Found it" }), foundBy: T1 };
  sim.report({ type: "ticket-discovered", ...sim.of(T1), discovered, reason: "it is missing", blocks: false });
  sim.report({ type: "discovery-filed", ticket: discovered.id });
  sim.report({ type: "discovery-refused", ...sim.of(T1), title: "more", why: "enough" });
  transient(sim, T1, true);
  end(sim, T1, "done");
  begin(sim, T2);
  claim(sim, T2);
  claim(sim, T2, true);
  ask(sim, T2, true, "missed");
  sim.report({ type: "merge-landed", ...sim.of(T2), repo: ticketOf("x").repo, from: "a", to: "sha-2" });
  end(sim, T2, "gated");
  sim.report({ type: "gate-writing", ticket: T2 });
  sim.report({ type: "ticket-gated", ticket: T2, step: "set the record" });
  begin(sim, T3);
  claim(sim, T3, false);
  ask(sim, T3, false);
  ask(sim, T3, true);
  transient(sim, T3, false);
  end(sim, T3, "failed");
  return sim;
}
