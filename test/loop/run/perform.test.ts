import { describe, expect, onTestFinished, test } from "vitest";
import { HumanStep } from "../../../src/domain/run/command.ts";
import type { Judgement } from "../../../src/domain/run/event.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import type { EngineClock } from "../../../src/ports/clock.ts";
import type { Tracker } from "../../../src/ports/tracker.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { FakeClock } from "../fake-clock.ts";
import { judgeBy } from "../honest-oracle.ts";
import { endless, Stage } from "../stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");
const settle = () => new Promise((resolve) => setImmediate(resolve));
const counts = { done: 0, gated: 0, open: 0 };
const unjudged: Judgement = { verdict: "unjudged", counts, open: [], durationMs: 1, problem: "tracker down" };

/** Lets time go by until something has come. */
async function passUntil(clock: FakeClock, coming: Promise<unknown>): Promise<void> {
  let come = false;
  void coming.then(() => (come = true));
  while (!come) {
    clock.advance(200);
    await settle();
  }
}

describe("a judgement that ends nothing", () => {
  const judging = async (work = endless) => {
    const clock = new FakeClock();
    const asked: (string | undefined)[] = [];
    const stage = await Stage.open({ tickets: [ticketOf("T-1")], work }, ({ tracker }) => ({
      clock,
      oracle: { sha: "o", judge: (_, how) => (asked.push(how), judgeBy(tracker)) },
    }));
    onTestFinished(() => stage[Symbol.dispose]());
    stage.start();
    await passUntil(clock, stage.until("oracle-asked"));
    return { stage, clock, asked };
  };

  test("begins 200 ms after it falls due, in the background", async () => {
    const { clock, asked } = await judging();
    clock.advance(199);
    await settle();
    expect(asked).toEqual([]);
    clock.advance(1);
    while (asked.length === 0) await settle();
    expect(asked).toEqual(["background"]);
  });

  test("begins at once when nothing is at work any more; the last one too, and not in the background", async () => {
    const { stage, asked } = await judging(() => undefined);
    await stage.ended();
    expect(asked).toEqual(["background", undefined]);
  });

  test("holds up no stop", async () => {
    const { stage } = await judging();
    await stage.until("agent-started");
    stage.engine.orchestrator.stop("SIGTERM");
    expect((await stage.ended()).end?.exitCode).toBe(130);
  });
});

describe("the oracle that cannot judge", () => {
  test("is asked again with growing waits until the time is over, and the run ends with exit 3", async () => {
    const clock = new FakeClock();
    const askedAt: number[] = [];
    using stage = await Stage.open({ tickets: [ticketOf("T-1")], limits: { outageMinutes: 0.15 } }, () => ({
      clock,
      oracle: { sha: "o", judge: () => (askedAt.push(clock.now()), Promise.resolve(unjudged)) },
    }));
    stage.start();
    await passUntil(
      clock,
      stage.until("oracle-asked", (e) => e.type === "oracle-asked" && e.final),
    );
    const begun = clock.now();
    for (const wait of [2_000, 4_000, 3_000]) {
      while (clock.waiting === 0) await settle();
      clock.advance(wait - 1);
      await settle();
      const before = askedAt.length;
      clock.advance(1);
      while (askedAt.length === before) await settle();
    }
    expect((await stage.ended()).end).toMatchObject({
      kind: "unjudged",
      exitCode: 3,
      reason:
        "the oracle could not judge: tracker down (given up after 0.2 min); once it works, the same command continues from here",
    });
    expect(askedAt.slice(-4).map((at) => at - begun)).toEqual([0, 2_000, 6_000, 9_000]);
    expect(stage.of("outage-started")).toMatchObject([{ what: "oracle", why: "tracker down" }]);
    expect(stage.of("outage-ended")).toMatchObject([{ what: "oracle", ms: 9_000, givenUp: "tracker down" }]);
  });

  test("for a while: the run ends as done once it can, and says for how long it could not", async () => {
    const clock = new FakeClock();
    let left = 3;
    using stage = await Stage.open({ tickets: [ticketOf("T-1")], limits: { outageMinutes: 15 } }, ({ tracker }) => ({
      clock,
      oracle: {
        sha: "o",
        judge: (_, how) => {
          if (how !== "background") left -= 1;
          return left < 0 ? judgeBy(tracker) : Promise.resolve(unjudged);
        },
      },
    }));
    stage.start();
    await passUntil(clock, stage.ended());
    expect(stage.state.end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(stage.state).toMatchObject({ outages: {} });
    expect(stage.of("outage-ended")).toMatchObject([{ what: "oracle" }]);
    expect(stage.of("outage-ended")[0]).not.toHaveProperty("givenUp", expect.anything());
  });

  test("a stop does not wait for it", async () => {
    const clock = new FakeClock();
    using stage = await Stage.open({ tickets: [ticketOf("T-1")] }, () => ({
      clock,
      oracle: {
        sha: "o",
        judge: (signal) =>
          stage.of("oracle-asked").at(-1)?.final
            ? new Promise((resolve) => signal?.addEventListener("abort", () => resolve(unjudged)))
            : Promise.resolve(unjudged),
      },
    }));
    stage.start();
    await passUntil(
      clock,
      stage.until("oracle-asked", (e) => e.type === "oracle-asked" && e.final),
    );
    stage.engine.orchestrator.stop("SIGINT");
    expect((await stage.ended()).end).toMatchObject({ kind: "interrupted", exitCode: 130 });
  });
});

test("a worker is cancelled with the first cause; one that is gone is left alone", async () => {
  using stage = await Stage.open({ tickets: [ticketOf("T-1")], limits: { attempts: 1 }, work: endless });
  stage.start();
  await stage.until("agent-started");
  const { performer } = stage.engine;
  const abort = (ending: "killed-by-person" | "stopped") =>
    performer.abort({ do: "abort", ticket: T1, fence: 1 as Fence, ending });
  abort("killed-by-person");
  abort("stopped");
  await stage.until("attempt-ended");
  abort("stopped");
  await stage.ended();
  expect(stage.of("agent-ended")[0]?.ending).toBe("killed-by-person");
  expect(stage.of("attempt-ended")[0]?.outcome).toBe("killed");
});

test("a journal that fails ends every agent, and idle waits for them", async () => {
  using stage = await Stage.open({ tickets: [ticketOf("T-1"), ticketOf("T-2")], work: endless });
  stage.start();
  await stage.until("agent-started", () => stage.of("agent-started").length === 2);
  stage.engine.orchestrator.fail(new Error("disk full"));
  await expect(stage.engine.orchestrator.ended).rejects.toThrow("disk full");
  await stage.engine.performer.idle();
  expect(stage.tasks.every((task) => task.signal.aborted)).toBe(true);
  expect(stage.types()).not.toContain("attempt-ended");
});

test("a defect in what was launched fails the run; it is never an unhandled rejection", async () => {
  using stage = await Stage.open({ tickets: [ticketOf("T-1")] }, () => ({
    oracle: { sha: "o", judge: () => Promise.reject(new Error("it never throws")) },
  }));
  stage.start();
  await expect(stage.engine.orchestrator.ended).rejects.toThrow("it never throws");
  await stage.engine.performer.idle();
});

describe("a gate", () => {
  const open = async (set: Tracker["set"]) => {
    const clock = new FakeClock();
    const stage = await Stage.open({ tickets: [ticketOf("T-1")], limits: { attempts: 1 }, work: endless }, ({ tracker }) => ({
      clock: { now: () => clock.now(), ran: () => clock.ran(), gaps: () => [], after: (_, then) => clock.after(0, then) },
      tracker: { ...tracker, set },
    }));
    return { stage, clock };
  };

  test("that the tracker does not take is not believed: the run ends unjudged and says why, and the next engine writes it", async () => {
    const { stage, clock } = await open(() => Promise.reject(new Error("403\u001b[2J")));
    using _ = stage;
    const step = HumanStep.parse("approve");
    stage.start();
    await stage.until("agent-started");
    stage.engine.orchestrator.command({ type: "gate", ticket: T1, step });
    let over = false;
    void stage.engine.orchestrator.ended.then(() => (over = true));
    while (!over) {
      if (clock.waiting > 0) clock.advance(4_000);
      await settle();
    }
    expect(stage.ticket(T1)).toMatchObject({ phase: "waiting", gate: { step, postponed: true } });
    expect(stage.state.end).toMatchObject({ kind: "unjudged", exitCode: 3 });
    expect(stage.state.end?.reason).toMatch(/^the tracker was away: 403 /);
    await stage.crashAndReopen();
    await stage.resume();
    expect((await stage.ended()).end?.reason).toBe("0 done, 1 left to a person");
  });

  test("that a stop cuts off is not given up: the run's next engine writes it", async () => {
    const step = HumanStep.parse("approve");
    using stage = await Stage.open({ tickets: [ticketOf("T-1")], work: endless }, ({ tracker }) => ({
      tracker: { ...tracker, set: () => (stage.engine.orchestrator.stop("SIGTERM"), Promise.reject(new Error("down"))) },
    }));
    stage.start();
    await stage.until("agent-started");
    stage.engine.orchestrator.command({ type: "gate", ticket: T1, step });
    expect((await stage.ended()).end?.exitCode).toBe(130);
    expect(stage.ticket(T1)).toMatchObject({ phase: "waiting", gate: { step } });
    await stage.crashAndReopen();
    await stage.resume();
    expect((await stage.ended()).end?.reason).toBe("0 done, 1 left to a person");
    expect(await stage.tracker().snapshot()).toMatchObject([{ state: { as: "human-gated", step } }]);
  });
});

test("a stop while the tracker is down keeps what has landed: the ticket is neither stalled nor worked again", async () => {
  using stage = await Stage.open({ tickets: [ticketOf("T-1")] }, ({ tracker }) => ({
    tracker: { ...tracker, set: () => (stage.engine.orchestrator.stop("SIGTERM"), Promise.reject(new Error("down"))) },
  }));
  stage.start();
  expect((await stage.ended()).end?.exitCode).toBe(130);
  expect(stage.ticket(T1)).toMatchObject({ phase: "waiting", failures: 0, history: [{ outcome: "stopped" }] });
  await stage.crashAndReopen();
  await stage.resume();
  expect((await stage.ended()).end?.exitCode).toBe(0);
  expect(stage.tasks).toHaveLength(1);
  expect(stage.git("log", "--format=%s", "main")).toBe("T-1 (T-1)\nfirst");
});

/** A clock whose timers fire at once. */
const AT_ONCE: EngineClock = {
  now: Date.now,
  ran: Date.now,
  gaps: () => [],
  after: (_, then) => {
    const timer = setImmediate(then);
    return () => clearImmediate(timer);
  },
};

test("a tracker that is down for a while costs no attempt: the landed work keeps its place", async () => {
  let writes = 0;
  using stage = await Stage.open({ tickets: [ticketOf("T-1")], limits: { outageMinutes: 15 } }, ({ tracker }) => ({
    clock: AT_ONCE,
    tracker: {
      ...tracker,
      set: (...options) => ((writes += 1) <= 5 ? Promise.reject(new Error("down")) : tracker.set(...options)),
    },
  }));
  stage.start();
  expect((await stage.ended()).end?.exitCode).toBe(0);
  expect(stage.ticket(T1)).toMatchObject({
    phase: "done",
    failures: 0,
    history: [{ outcome: "done" }],
  });
  expect(stage.tasks).toHaveLength(1);
  expect(stage.git("log", "--format=%s", "main")).toBe("T-1 (T-1)\nfirst");
});
