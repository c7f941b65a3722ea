import { describe, expect, test } from "vitest";
import { describeHalt } from "../../../src/domain/schedule/backoff.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2] = [TicketId.parse("T-1"), TicketId.parse("T-2")];

test("money of the day that nobody can count ends all starts, with why and what to do", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.report({ type: "day-spend-unknown", why: "ccusage is not there" });
  const says = "what other sessions have cost today is not known: ccusage is not there";
  expect(sim.state.halted).toEqual({ kind: "spend-unknown", says });
  expect(sim.decide().map((action) => action.do)).not.toContain("start");
  expect(describeHalt({ kind: "spend-unknown", says })).toBe(
    `no agent starts any more (spend-unknown): ${says}; fix it, or set limits.countOtherSessions to false, then run the same command again`,
  );
});

test("an end of all starts for which there is nothing to do says why, and no more", () => {
  expect(describeHalt({ kind: "overloaded", says: "busy" })).toBe("no agent starts any more (overloaded): busy");
});

describe("two agents that are turned away until the same moment", () => {
  test("wait for one reason, the first", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
    sim.decide();
    const until = sim.state.lastEventAt + 3_600_000;
    for (const [ticket, kind] of [
      [T1, "rate-limited"],
      [T2, "overloaded"],
    ] as const) {
      sim.report({ type: "agent-launching", ...sim.of(ticket) });
      const retryAfterMs = until - (sim.state.lastEventAt + 10);
      const stop = { kind, says: "wait", retryAfterMs };
      sim.report({ type: "agent-ended", ...sim.of(ticket), ending: "exited", exitCode: 1, signal: null, costUsd: 0, stop });
    }
    expect(sim.state.backoffDue).toEqual({ until, reason: "an agent asks to wait (rate-limited): wait" });
  });
});
