import { describe, expect, test } from "vitest";
import { whatIsLeft } from "../../../src/domain/results/what-is-left.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { healChoice } from "../../../src/domain/schedule/heal.ts";
import { whyNot } from "../../../src/domain/schedule/why-not.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const IDS = ["T-1", "T-2", "T-3"] as const;
const [T1, T2] = IDS.map((id) => TicketId.parse(id)) as [TicketId, TicketId];

function simulation(workers: number): Simulation {
  const sim = new Simulation(
    batchOf(
      IDS.map((id) => ticketOf(id)),
      { workers },
    ),
  );
  sim.decide();
  return sim;
}
const fail = (sim: Simulation, ticket: TicketId, base = "a") => {
  sim.report({ type: "prepare-failed", ...sim.of(ticket), base, summary: "npm ci exited with code 1: EROFS" });
};
const end = (sim: Simulation, ticket: TicketId) => sim.report({ type: "attempt-ended", ...sim.of(ticket), outcome: "stopped" });
const started = (sim: Simulation) => sim.decide().flatMap((action) => (action.do === "start" ? [action.ticket] : []));

describe("a base that cannot be prepared", () => {
  test("is tried once more, then keeps its repository back without an attempt or a heal", () => {
    const sim = simulation(1);
    fail(sim, T1);
    end(sim, T1);
    expect(started(sim)).toHaveLength(1);
    const [again] = IDS.map((id) => TicketId.parse(id)).filter((id) => stateOf(sim.state, id).attempt !== undefined);
    fail(sim, again as TicketId);
    end(sim, again as TicketId);
    expect(started(sim)).toEqual([]);
    expect(whyNot(sim.state, 0)).toMatchObject({ kind: "unprepared", by: { failures: 2 } });
    expect(stateOf(sim.state, T1).failures).toBe(0);
    expect(healChoice(sim.state, 0)).toBeUndefined();
    expect(whatIsLeft(sim.state)).toBe(
      "app cannot be prepared (2 failures): npm ci exited with code 1: EROFS; 3 of 3 tickets are open: T-1 not done; T-2 not done; T-3 not done",
    );
  });

  test("ends the attempts that are only preparing it, and no others", () => {
    const sim = simulation(3);
    sim.report({ type: "worktree-ready", ...sim.of(TicketId.parse("T-3")), path: "/w", branch: "b", baseSha: "a" });
    fail(sim, T1);
    end(sim, T1);
    fail(sim, T2);
    const aborted = sim.decide().flatMap((action) => (action.do === "abort" ? [action.ticket] : []));
    expect(aborted).toContain(T2);
    expect(aborted).not.toContain("T-3");
  });

  test("is not tried again if the sandbox blocked a connection", () => {
    const sim = simulation(1);
    sim.report({ type: "prepare-failed", ...sim.of(T1), base: "a", summary: "blocked", blocked: true });
    end(sim, T1);
    expect(started(sim)).toEqual([]);
    expect(whatIsLeft(sim.state)).toMatch(/^app cannot be prepared: blocked; 3 of 3/);
  });

  test("counts anew on another commit, and is forgotten once a worktree is prepared", () => {
    const sim = simulation(3);
    fail(sim, T1);
    fail(sim, T2, "b");
    expect(sim.state.unprepared).toMatchObject({ app: { base: "b", failures: 1 } });
    sim.report({ type: "prepared", ...sim.of(T2), name: "worktree", ms: 1, reused: false });
    expect(sim.state.unprepared).toEqual({});
  });
});
