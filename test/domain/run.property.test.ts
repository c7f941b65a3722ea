import fc from "fast-check";
import { expect, test } from "vitest";
import { admitCommand } from "../../src/domain/admit.ts";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import { HumanStep } from "../../src/domain/command.ts";
import type { AttemptOutcome } from "../../src/domain/event.ts";
import { TicketId } from "../../src/domain/ids.ts";
import { reduce } from "../../src/domain/reduce.ts";
import { activeTickets, type RunState } from "../../src/domain/state.ts";
import { vecAt, vecItems } from "../../src/domain/vec.ts";
import { whyNot } from "../../src/domain/why-not.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "./simulate.ts";

/** Tickets in an order in which each depends on earlier ones only. */
const graph = fc
  .array(fc.record({ deps: fc.array(fc.nat(1_000), { maxLength: 3 }), exclusive: fc.option(fc.constantFrom("infra", "db")) }), {
    minLength: 1,
    maxLength: 14,
  })
  .map((rows) =>
    rows.map((row, i): Ticket => {
      const dependsOn = i === 0 ? [] : [...new Set(row.deps.map((d) => d % i))].map((d) => TicketId.parse(`T-${d}`));
      return ticketOf(`T-${i}`, { dependsOn, exclusive: row.exclusive === null ? [] : [row.exclusive] });
    }),
  );

/** What happens at each turn: which of the running attempts ends, and how; or a person's wish. */
const turn = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("end" as const),
      which: fc.nat(),
      outcome: fc.constantFrom<AttemptOutcome>("done", "done", "done", "failed", "silent", "lost"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("gate" as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("kill" as const), which: fc.nat() }) },
);
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

function checkInvariants(state: RunState): void {
  const active = activeTickets(state);
  expect(active.length).toBeLessThanOrEqual(state.batch.limits.workers);
  const held = active.flatMap((t) => state.plan.tickets[state.plan.index[t.id] as number]?.exclusive ?? []);
  expect(new Set(held).size).toBe(held.length);
  const phases = [...vecItems(state.tickets)].map((t) => t.phase);
  for (const [phase, n] of Object.entries(state.counts)) expect(phases.filter((p) => p === phase).length).toBe(n);
  for (const index of state.ready) {
    expect(vecAt(state.tickets, index).openDeps).toBe(0);
    expect(vecAt(state.tickets, index).phase).toBe("waiting");
  }
}

/** Plays a run: the world answers by the turns, and honestly once they are used up. */
function play(tickets: readonly Ticket[], turns: readonly Turn[], onClaim: (state: RunState, index: number) => void): Simulation {
  const sim = new Simulation(batchOf(tickets), checkInvariants);
  const queue = [...turns];
  for (let step = 0; step < 2_000; step++) {
    for (const action of sim.decide()) {
      if (action.do === "start") onClaim(sim.state, action.index);
      if (action.do === "abort") sim.endAttempt(action.ticket, action.ending === "gated-by-person" ? "gated" : "killed");
    }
    if (sim.state.stage === "ended") return sim;
    if (sim.state.stage === "verifying") sim.report({ type: "reverify-ended", reopened: 0 });
    if (sim.state.oracle.asking)
      sim.report({ type: "oracle-judged", final: sim.state.stage === "judging", judgement: honestJudgement(sim.state) });
    takeTurn(sim, queue.shift());
  }
  throw new Error("the run did not end");
}

function takeTurn(sim: Simulation, next: Turn | undefined): void {
  const active = activeTickets(sim.state);
  if (next === undefined) {
    if (sim.state.paused) sim.report({ type: "run-unpaused" });
    const first = active[0];
    if (first !== undefined) sim.endAttempt(first.id, "done");
    return;
  }
  if (next.do === "pause") return void sim.report({ type: sim.state.paused ? "run-unpaused" : "run-paused" });
  if (next.do === "end") {
    const ticket = active[next.which % Math.max(1, active.length)];
    if (ticket !== undefined) sim.endAttempt(ticket.id, next.outcome);
    return;
  }
  const id = sim.state.plan.tickets[next.which % sim.state.plan.tickets.length]?.id as TicketId;
  const command =
    next.do === "kill"
      ? ({ type: "kill", ticket: id } as const)
      : ({ type: "gate", ticket: id, step: HumanStep.parse("do it") } as const);
  for (const fact of admitCommand(sim.state, command)) sim.report(fact);
}

test("every finite batch ends; slots, resources and dependencies hold at every moment", () => {
  fc.assert(
    fc.property(graph, fc.array(turn, { maxLength: 60 }), (tickets, turns) => {
      const sim = play(tickets, turns, (state, index) => {
        for (const dep of state.plan.tickets[index]?.dependsOn ?? []) {
          expect(vecAt(state.tickets, state.plan.index[dep] as number).phase).toBe("done");
        }
      });
      const open = honestJudgement(sim.state).counts.open;
      expect(sim.state.end?.exitCode).toBe(open === 0 ? 0 : 1);
    }),
    { numRuns: 300 },
  );
});

test("a journal replayed gives the state that was live, through JSON as well", () => {
  fc.assert(
    fc.property(graph, fc.array(turn, { maxLength: 40 }), (tickets, turns) => {
      const sim = play(tickets, turns, () => undefined);
      let state: RunState | undefined;
      for (const event of sim.events) state = reduce(state, JSON.parse(JSON.stringify(event)));
      expect(state).toEqual(sim.state);
      expect(JSON.parse(JSON.stringify(sim.state))).toEqual(sim.state);
    }),
    { numRuns: 200 },
  );
});

test("a waiting ticket always has a reason that is true", () => {
  fc.assert(
    fc.property(graph, fc.array(turn, { maxLength: 40 }), (tickets, turns) => {
      const sim = play(tickets, turns, (state) => {
        state.plan.tickets.forEach((ticket, index) => {
          const reason = whyNot(state, index);
          const { phase, attempt, openDeps } = vecAt(state.tickets, index);
          if (reason.kind === "depends") expect(openDeps).toBeGreaterThan(0);
          if (reason.kind === "resource") expect(ticket.exclusive).toContain(reason.resource);
          if (phase === "waiting" && attempt === undefined) expect(["active", "settled"]).not.toContain(reason.kind);
        });
      });
      expect(sim.state.stage).toBe("ended");
    }),
    { numRuns: 100 },
  );
});
