import { describe, expect, test } from "vitest";
import { whatIsLeft } from "../../../src/domain/results/what-is-left.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { attemptCap, questionCap, setAside } from "../../../src/domain/schedule/money.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];

/** Two tickets; each attempt costs two dollars. */
function paid(limits: Parameters<typeof batchOf>[1] = {}): Simulation {
  const agent = { kind: "command" as const, command: ["x"], usdPerAttempt: 2 };
  return new Simulation({ ...batchOf([ticketOf("T-1"), ticketOf("T-2")], { workers: 2, ...limits }), agent });
}
const ask = (sim: Simulation, usd: number) =>
  sim.report({ type: "reviewer-asked", ...sim.of(T1), question: "review", reservedUsd: usd });
const answer = (sim: Simulation, usd: number) =>
  sim.report({ type: "reviewer-answered", ...sim.of(T1), question: "review", costUsd: usd, valid: true, says: "" });
const cap = (sim: Simulation, usd: number) => questionCap(sim.state, stateOf(sim.state, T1), usd);

describe("a question to the reviewer", () => {
  test.for([
    ["usdPerTicket", { usdPerTicket: 5 }, 3],
    ["usdPerRun", { usdPerRun: 7 }, 3],
    ["usdPerDay", { usdPerDay: 7 }, 3],
  ] as const)("may reach %s and not pass it: its agent's money counts, and what others set aside", ([name, limits, most]) => {
    const sim = paid(limits);
    sim.decide();
    expect(cap(sim, most)).toBeUndefined();
    expect(cap(sim, most + 0.01)).toBe(name);
    sim.endAgent(T1);
    expect(cap(sim, most)).toBeUndefined();
    expect(cap(sim, most + 0.01)).toBe(name);
  });

  test("that is free is never refused, and one that is dearer than an attempt may be is a matter of the other caps", () => {
    const sim = paid({ usdPerAttempt: 2, usdPerRun: 4 });
    sim.decide();
    expect(cap(sim, 0)).toBeUndefined();
    expect(questionCap(paid({ usdPerAttempt: 2 }).state, stateOf(sim.state, T2), 3)).toBeUndefined();
  });

  test("has its money set aside until it is answered, and then costs what it cost; so does its attempt", () => {
    const sim = paid({ usdPerTicket: 9 });
    sim.decide();
    sim.endAgent(T1);
    ask(sim, 3);
    expect(setAside(stateOf(sim.state, T1).attempt)).toBe(3);
    expect(sim.state).toMatchObject({ spentUsd: 2, reservedUsd: 5 });
    expect([cap(sim, 4), cap(sim, 4.01)]).toEqual([undefined, "usdPerTicket"]);
    answer(sim, 1);
    expect(sim.state).toMatchObject({ spentUsd: 3, reservedUsd: 2 });
    ask(sim, 1);
    answer(sim, 0.5);
    sim.endAttempt(T1, "done");
    expect(stateOf(sim.state, T1)).toMatchObject({ costUsd: 3.5, history: [{ costUsd: 3.5 }] });
  });

  test("that was never answered cost what was set aside for it, with its agent's money", () => {
    const sim = paid();
    sim.decide();
    sim.endAgent(T1);
    ask(sim, 1);
    answer(sim, 0.25);
    ask(sim, 3);
    sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "lost" });
    expect(stateOf(sim.state, T1)).toMatchObject({ costUsd: 5.25, history: [{ costUsd: 5.25 }] });
    expect(sim.state).toMatchObject({ spentUsd: 5.25, reservedUsd: 2 });
  });

  test("counts against the next attempt of its ticket and of the run", () => {
    const sim = paid({ usdPerTicket: 6, usdPerRun: 8 });
    sim.decide();
    sim.endAgent(T1);
    ask(sim, 2.5);
    answer(sim, 2.5);
    sim.endAttempt(T1, "failed");
    expect(attemptCap(sim.state, stateOf(sim.state, T1))).toBe("usdPerTicket");
    expect(decide(sim.state, sim.state.lastEventAt).some((action) => action.do === "start")).toBe(false);
    sim.endAttempt(T2, "failed");
    expect(attemptCap(sim.state, stateOf(sim.state, T2))).toBe("usdPerRun");
  });
});

test("a contract's own dollars bind its ticket alone, and loosen nothing", () => {
  const agent = { kind: "command" as const, command: ["x"], usdPerAttempt: 2 };
  const capOf = (usd: number) => {
    const contract = { path: "c.md", sha: "0", body: "", stopWhen: { usd } };
    const batch = batchOf([ticketOf("T-1", { contract }), ticketOf("T-2")], { usdPerTicket: 3 });
    const { state } = new Simulation({ ...batch, agent });
    return [T1, T2].map((id) => attemptCap(state, stateOf(state, id)));
  };
  expect(capOf(1.99)).toEqual(["usdPerTicket", undefined]);
  expect(capOf(2)).toEqual([undefined, undefined]);
  const { state } = new Simulation({
    ...batchOf([ticketOf("T-1", { contract: { path: "c.md", sha: "0", body: "", stopWhen: { usd: 9 } } })], { usdPerTicket: 1 }),
    agent,
  });
  expect(attemptCap(state, stateOf(state, T1))).toBe("usdPerTicket");
});

test("an agent that was lost costs what was set aside for it, one that never ran nothing, and one that ended what it said", () => {
  const sim = paid();
  sim.decide();
  sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "lost" });
  expect(stateOf(sim.state, T1).history).toMatchObject([{ costUsd: 0 }]);
  sim.report({ type: "agent-launching", ...sim.of(T2) });
  sim.report({ type: "attempt-ended", ...sim.of(T2), outcome: "lost" });
  expect(stateOf(sim.state, T2).history).toMatchObject([{ costUsd: 2 }]);
  expect(sim.state).toMatchObject({ spentUsd: 2, reservedUsd: 0 });
  sim.decide();
  const ended = { ending: "exited", exitCode: 0, signal: null, costUsd: 0.5 } as const;
  sim.report({ type: "agent-ended", ...sim.of(T1), ...ended });
  sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "done" });
  expect(stateOf(sim.state, T1)).toMatchObject({ costUsd: 0.5, history: [{}, { costUsd: 0.5 }] });
});

test("what is left names the cap, and what it is, of each ticket", () => {
  const sim = paid({ usdPerTicket: 3, usdPerRun: 4 });
  sim.decide();
  sim.endAttempt(T1, "failed");
  sim.endAttempt(T2, "done");
  expect(whatIsLeft(sim.state)).toBe("1 of 2 tickets is open: T-1 one more attempt could exceed limits.usdPerTicket ($3)");
});
