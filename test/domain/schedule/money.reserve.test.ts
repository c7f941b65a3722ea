import { describe, expect, test } from "vitest";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { attemptCap, attemptReserveUsd } from "../../../src/domain/schedule/money.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const [T1, _T2, _T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];

describe("money", () => {
  const paid = (limits: Parameters<typeof batchOf>[1], usdPerAttempt: number | undefined = 2) => {
    const agent = { kind: "command" as const, command: ["x"], ...(usdPerAttempt === undefined ? {} : { usdPerAttempt }) };
    const all = { usdPerAttempt: 100, usdPerTicket: 100, usdPerRun: 100, usdPerDay: 100, ...limits };
    const { state } = new Simulation({ ...batchOf([ticketOf("T-1")], all), agent });
    return {
      state,
      cap: (over: object, also = 0) => attemptCap({ ...state, ...over }, { ...stateOf(state, T1), ...over }, also),
    };
  };

  test("a command agent is free unless the batch gives its price, and no cap is in its way unless more was spent", () => {
    expect(attemptReserveUsd({ agent: { kind: "command", command: ["x"] }, limits: batchOf([]).limits })).toBe(0);
    expect(attemptReserveUsd({ agent: { kind: "command", command: ["x"], usdPerAttempt: 3 }, limits: batchOf([]).limits })).toBe(
      3,
    );
    expect(paid({ usdPerRun: 0 }, 0).cap({ spentTodayUsd: 50 })).toBeUndefined();
    // It has told what it cost (cost.json).
    expect(paid({ usdPerRun: 10 }, 0).cap({ spentUsd: 10 })).toBeUndefined();
    expect(paid({ usdPerRun: 10 }, 0).cap({ spentUsd: 10.01 })).toBe("usdPerRun");
  });

  test.for([
    ["usdPerAttempt", { usdPerAttempt: 2 }, { usdPerAttempt: 1.99 }, {}, 0],
    ["usdPerTicket", { usdPerTicket: 5 }, { usdPerTicket: 4.99 }, { costUsd: 3 }, 0],
    ["usdPerRun", { usdPerRun: 10 }, { usdPerRun: 9.99 }, { spentUsd: 3, reservedUsd: 4 }, 1],
    ["usdPerDay", { usdPerDay: 20 }, { usdPerDay: 19.99 }, { spentUsd: 3, reservedUsd: 4, spentTodayUsd: 10 }, 1],
  ] as const)("%s may be reached and not passed", ([name, enough, less, spent, also]) => {
    expect(paid(enough).cap(spent, also)).toBeUndefined();
    expect(paid(less).cap(spent, also)).toBe(name);
  });
});
