import { describe, expect, test } from "vitest";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import type { AttemptOutcome } from "../../../src/domain/run/attempt-fact.ts";
import { vecAt, vecWith } from "../../../src/domain/values/vec.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

describe("a claim is refuted", () => {
  type Past = readonly [claimed: boolean, outcome: AttemptOutcome];
  test.for<[string, readonly Past[], number]>([
    ["where its try failed", [[true, "failed"]], 1],
    ["where nothing was claimed, not", [[false, "failed"]], 0],
    ["where its try was stopped and none went on from it, not", [[true, "stopped"]], 0],
    [
      "by the try that went on from it when it was stopped",
      [
        [true, "stopped"],
        [false, "failed"],
      ],
      1,
    ],
    [
      "by the try that went on from it when it was lost",
      [
        [true, "lost"],
        [false, "failed"],
      ],
      1,
    ],
    [
      "once, and not by the next try",
      [
        [true, "failed"],
        [false, "failed"],
      ],
      1,
    ],
    [
      "not where what went on from it shipped",
      [
        [true, "lost"],
        [true, "done"],
      ],
      0,
    ],
  ])("%s", ([, past, gap]) => {
    const { state } = new Simulation(batchOf([ticketOf("T-1")]));
    const whole = { n: 1, slot: 0, startedAt: 0, slotLeftAt: 0, endedAt: 0, summary: "", costUsd: 0 };
    const history = past.map(([claimed, outcome]) => ({ ...whole, claimed, outcome }));
    const tickets = vecWith(state.tickets, 0, { ...vecAt(state.tickets, 0), history });
    expect(computeLedger({ ...state, tickets }).claims.gap).toBe(gap);
  });
});
