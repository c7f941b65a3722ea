import { describe, expect, test } from "vitest";
import { admitFact } from "../../../src/domain/run/admit.ts";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");

function claimed(): Simulation {
  const sim = new Simulation(batchOf([ticketOf("T-1")], { workers: 1 }));
  sim.decide();
  return sim;
}
const attemptOf = (sim: Simulation) => stateOf(sim.state, T1).attempt;

test("a prepare command is the attempt's stage until its worktree is ready", () => {
  const sim = claimed();
  sim.report({ type: "prepare-started", ...sim.of(T1), command: "npm ci" });
  expect(attemptOf(sim)?.preparing).toEqual({ command: "npm ci", startedAt: sim.state.lastEventAt });
  sim.report({ type: "worktree-ready", ...sim.of(T1), path: "/w", branch: "b", baseSha: "a" });
  expect(attemptOf(sim)?.preparing).toBeUndefined();
});

describe("a blocked connection", () => {
  const blocked = (sim: Simulation, step: string, port: number): RunFact => ({
    ...{ type: "connection-blocked", ...sim.of(T1), step, host: "a.example", port },
    ...{ reason: "the batch does not open it", allow: "a line" },
  });

  test("is reported once for each step, host and port of an attempt", () => {
    const sim = claimed();
    const first = blocked(sim, "prepare", 443);
    expect(admitFact(sim.state, first)).toBe(first);
    sim.report(first);
    expect(attemptOf(sim)?.blocked).toEqual([{ step: "prepare", host: "a.example", port: 443 }]);
    expect(admitFact(sim.state, first)).toBeUndefined();
    for (const other of [blocked(sim, "prepare", 80), blocked(sim, "live", 443)]) expect(admitFact(sim.state, other)).toBe(other);
  });

  test("is one of forty at most: a program can ask for any number", () => {
    const sim = claimed();
    for (let port = 1; port <= 40; port += 1) sim.report(blocked(sim, "agent", port));
    expect(admitFact(sim.state, blocked(sim, "agent", 41))).toBeUndefined();
  });
});

test("a part of a check tells its train, who waits behind it and its usual time; what came before its first part was waiting", () => {
  const check = { step: "check", name: "tests", command: ["npm", "test"] } as const;
  const sim = new Simulation(batchOf([ticketOf("T-1", { finish: [check, { step: "merge" }] })], { workers: 1 }));
  sim.decide();
  sim.report({ type: "agent-launching", ...sim.of(T1) });
  sim.endAgent(T1);
  sim.report({ type: "step-started", ...sim.of(T1), step: 0, kind: "check", name: "tests" });
  sim.pass(4_990);
  const outlook = { expectedMs: 42_000, train: [T1, TicketId.parse("T-3")], behind: 2 };
  sim.report({ type: "step-part-started", ...sim.of(T1), part: "", ...outlook });
  const startedAt = sim.state.lastEventAt;
  expect(attemptOf(sim)?.step?.part).toEqual({ text: "", startedAt, ...outlook });
  sim.report({ type: "step-part-started", ...sim.of(T1), part: "again" });
  expect(attemptOf(sim)?.step?.part).toEqual({ text: "again", startedAt: sim.state.lastEventAt });
  expect(sim.state.suites?.waitingMs).toBe(5_000);
});
