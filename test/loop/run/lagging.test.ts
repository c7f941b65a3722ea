import { describe, expect, test } from "vitest";
import type { TrackerSpec } from "../../../src/domain/batch/tracker-spec.ts";
import type { Judgement } from "../../../src/domain/run/event.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { caughtUp, mayLag } from "../../../src/loop/run/lagging.ts";
import { recover } from "../../../src/loop/run/recover.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { FakeClock } from "../fake-clock.ts";
import { judgeBy } from "../honest-oracle.ts";
import { Stage } from "../stage.ts";

cleanUp();
const LINEAR: TrackerSpec = { kind: "linear", team: "ENG" };
const LOCAL: TrackerSpec = { kind: "local" };
const T1 = TicketId.parse("T-1");
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("caughtUp", () => {
  const waiting = (tracker: TrackerSpec, ago: number) => {
    const clock = new FakeClock();
    let isOver = false;
    const { signal } = new AbortController();
    void caughtUp({ batch: { tracker }, clock }, clock.now() - ago, signal).then(() => (isOver = true));
    return { clock, isOver: () => settle().then(() => isOver) };
  };

  test("waits until 10 s after a write of a service", async () => {
    const { clock, isOver } = waiting(LINEAR, 4_000);
    clock.advance(5_999);
    expect(await isOver()).toBe(false);
    clock.advance(1);
    expect(await isOver()).toBe(true);
  });

  test("waits for no earlier write, nor for a tracker on this machine", async () => {
    expect(await waiting(LINEAR, 10_000).isOver()).toBe(true);
    expect(await waiting(LOCAL, 0).isOver()).toBe(true);
    expect([LINEAR, LOCAL].map((tracker) => mayLag({ tracker }))).toEqual([true, false]);
  });

  test("waits at most 10 s, whatever the clock was when it was written", async () => {
    const { clock, isOver } = waiting(LINEAR, -3_600_000);
    clock.advance(10_000);
    expect(await isOver()).toBe(true);
  });
});

describe("a last judgement that calls open what is settled and read back", () => {
  /** A run whose oracle sees the last write one judgement late. */
  const ended = async (tracker: TrackerSpec) => {
    const clock = new FakeClock();
    const judged: number[] = [];
    const open: Judgement = { verdict: "not-done", counts: { done: 0, gated: 0, open: 1 }, open: [T1], durationMs: 1 };
    const stage = await Stage.open({ tickets: [ticketOf("T-1")] }, ({ batch, tracker: port }) => ({
      clock,
      batch: { ...batch, tracker },
      oracle: {
        sha: "o",
        judge: async (_, how) => {
          if (how === undefined) judged.push(clock.now());
          return how !== undefined || judged.length > 1 ? judgeBy(port) : open;
        },
      },
    }));
    let isOver = false;
    const over = stage.ended().finally(() => (isOver = true));
    stage.start();
    while (!isOver) {
      clock.advance(200);
      await settle();
    }
    const { end } = await over;
    stage[Symbol.dispose]();
    return { end, judged };
  };

  test("is repeated once, 10 s later, if a service keeps the tickets", async () => {
    const { end, judged } = await ended(LINEAR);
    expect(end).toMatchObject({ verdict: "done", exitCode: 0 });
    const [first = 0, second = 0] = judged;
    expect(judged).toHaveLength(2);
    expect(second - first).toBeGreaterThanOrEqual(10_000);
  });

  test("counts if they are on this machine", async () => {
    const { end, judged } = await ended(LOCAL);
    expect(end).toMatchObject({ verdict: "not-done", exitCode: 1 });
    expect(judged).toHaveLength(1);
  });
});

test("a run that is resumed reads a service only once that shows what the lost engine wrote", async () => {
  const clock = new FakeClock();
  const stage = await Stage.open({ tickets: [ticketOf("T-1")] }, ({ batch }) => ({
    clock,
    batch: { ...batch, tracker: LINEAR },
  }));
  let reads = 0;
  const over = recover(stage.engine.ctx, async () => void (reads += 1));
  await expect.poll(() => clock.waiting).toBe(1);
  clock.advance(9_999);
  await settle();
  expect(reads).toBe(0);
  clock.advance(1);
  await over;
  expect(reads).toBe(1);
  stage[Symbol.dispose]();
});
