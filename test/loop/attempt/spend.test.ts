import { describe, expect, test } from "vitest";
import { moneyNow, ticketUsd } from "../../../src/domain/schedule/money.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { thinSpend } from "../../../src/loop/programs/run-in.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { FakeClock } from "../fake-clock.ts";
import { endless, oneFile, Stage, type StageOptions } from "../stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");
const RESERVE = 2;

const open = (work: StageOptions["work"]) =>
  Stage.open({
    tickets: [ticketOf("T-1")],
    programs: { agent: { kind: "command", command: ["true"], usdPerAttempt: RESERVE } },
    reserveUsd: RESERVE,
    limits: { attempts: 1 },
    ...(work && { work }),
  });

describe("the money of an agent at work", () => {
  test("counts as spent while it works, no longer as held, and once when it has ended", async () => {
    let live: unknown;
    using stage: Stage = await open(async (task) => {
      task.onSpend?.(0.25);
      live = { ...moneyNow(stage.state), ticket: ticketUsd(stage.ticket(T1)), booked: stage.state.spentUsd };
      await oneFile(task);
      task.onSpend?.(0.75);
      return { costUsd: 0.9 };
    });
    stage.start();
    const state = await stage.ended();
    expect(live).toEqual({ spentUsd: 0.25, heldUsd: 1.75, ticket: 0.25, booked: 0 });
    // The second report was not due before the agent ended.
    expect(stage.of("agent-spent").map(({ usd }) => usd)).toEqual([0.25, 0.75]);
    expect([moneyNow(state), state.spentUsd, stage.ticket(T1).costUsd]).toEqual([{ spentUsd: 0.9, heldUsd: 0 }, 0.9, 0.9]);
    expect(stage.ticket(T1).history.map(({ costUsd }) => costUsd)).toEqual([0.9]);
  });

  test("leaves the money that caps count as it is", async () => {
    let reserved: unknown;
    using stage: Stage = await open(async (task) => {
      task.onSpend?.(5);
      reserved = [stage.state.spentUsd, stage.state.reservedUsd, moneyNow(stage.state)];
      await oneFile(task);
      return { costUsd: 5 };
    });
    stage.start();
    await stage.ended();
    // What goes beyond the reserve is not taken from that of others.
    expect(reserved).toEqual([0, RESERVE, { spentUsd: 5, heldUsd: 0 }]);
  });

  test.each([undefined, "lose"] as const)("after kill -9 is the whole reserve (%s)", async (lose) => {
    using stage = await open((task) => {
      const ends = endless(task);
      task.onSpend?.(0.25);
      return ends;
    });
    await stage.crashAt(({ type }) => type === "agent-spent");
    await stage.crashAndReopen(undefined, lose);
    expect(moneyNow(stage.state)).toEqual(lose ? { spentUsd: 0, heldUsd: RESERVE } : { spentUsd: 0.25, heldUsd: 1.75 });
    const lost = stage.until("attempt-ended");
    await stage.resume();
    await lost;
    expect(stage.ticket(T1).history.map(({ outcome, costUsd }) => [outcome, costUsd])).toEqual([["lost", RESERVE]]);
    expect(stage.state.spentUsd).toBe(RESERVE);
  });
});

describe("thinSpend", () => {
  test("reports at once, then the newest total every two seconds, and at the end", () => {
    const clock = new FakeClock();
    const told: number[] = [];
    const spend = thinSpend(clock, (usd) => told.push(usd));
    spend.total(1);
    spend.total(2);
    spend.total(3);
    expect(told).toEqual([1]);
    clock.advance(1_999);
    expect(told).toEqual([1]);
    clock.advance(1);
    expect(told).toEqual([1, 3]);
    spend.total(4);
    spend.end();
    spend.end();
    expect([told, clock.waiting]).toEqual([[1, 3, 4], 0]);
  });
});
