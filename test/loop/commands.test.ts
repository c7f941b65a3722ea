import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { AgentTask } from "../../src/ports/agent.ts";
import { TicketIdTaken } from "../../src/ports/tracker.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { addHint, ended, hinted, openHealing } from "./heal-stage.ts";
import { oneFile, Stage, type StageOptions } from "./stage.ts";

cleanUp();
const [T1, T2] = [TicketId.parse("T-1"), TicketId.parse("T-2")];
const isType = (type: RunEvent["type"]) => (event: RunEvent) => event.type === type;
const command = (stage: Stage, request: Parameters<Stage["engine"]["orchestrator"]["command"]>[0]) =>
  stage.engine.orchestrator.command(request);

describe("a stalled ticket that is retried", () => {
  /** T-1 fails until it is mended; T-2 goes on until it is let go. */
  const failing = () => {
    const gate = Promise.withResolvers<undefined>();
    const world = { mended: false };
    const options: StageOptions = {
      tickets: [ticketOf("T-1"), ticketOf("T-2")],
      limits: { attempts: 1 },
      work: async (task) => {
        if (task.ticket === T1 && !world.mended) return { exitCode: 1 };
        if (task.ticket === T2)
          await Promise.race([gate.promise, new Promise((off) => task.signal.addEventListener("abort", off))]);
        return oneFile(task);
      },
    };
    return { gate, world, options };
  };

  test("is told what failed before, and the run continues to done", async () => {
    const { gate, world, options } = failing();
    using stage = await Stage.open(options);
    stage.start();
    await stage.until("ticket-stalled");
    world.mended = true;
    command(stage, { type: "retry", ticket: T1 });
    await stage.until("attempt-ended", (event) => event.type === "attempt-ended" && event.outcome === "done");
    gate.resolve(undefined);
    expect(await stage.ended()).toMatchObject({ end: { exitCode: 0 }, counts: { done: 2 } });
    const again = stage.tasks.filter((task: AgentTask) => task.ticket === T1);
    expect(again.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(readFileSync(again[1]?.promptFile ?? "", "utf8")).toContain("the agent exited with code 1");
  });

  test("is tried once more, and once only, where the engine is killed right after the command", async () => {
    const { gate, world, options } = failing();
    using stage = await Stage.open(options);
    const crashed = stage.crashAt(isType("ticket-retried"));
    await stage.until("ticket-stalled");
    command(stage, { type: "retry", ticket: T1 });
    await crashed;
    world.mended = true;
    gate.resolve(undefined);
    await stage.crashAndReopen();
    await stage.resume();
    expect(await stage.ended()).toMatchObject({ end: { exitCode: 0 } });
    expect(stage.of("ticket-retried")).toHaveLength(1);
    expect(stage.ticket(T1).history).toMatchObject([
      { n: 1, outcome: "failed" },
      { n: 2, outcome: "done" },
    ]);
  });
});

test("a found ticket that the tracker did not take is filed again at a person's command, and worked then", async () => {
  const D1 = TicketId.parse("T-1-d1");
  const tracked = { down: true };
  const gate = Promise.withResolvers<undefined>();
  const options: StageOptions = {
    tickets: [ticketOf("T-1"), ticketOf("T-2")],
    limits: { discoveries: 1 },
    work: async (task) => {
      if (task.ticket === T1) {
        mkdirSync(join(task.outbox, "discovered"), { recursive: true });
        writeFileSync(join(task.outbox, "discovered", "1.json"), JSON.stringify({ title: "A leak", reason: "seen" }));
      }
      if (task.ticket === T2)
        await Promise.race([gate.promise, new Promise((off) => task.signal.addEventListener("abort", off))]);
      return oneFile(task);
    },
  };
  using stage = await Stage.open(options, ({ tracker }) => ({
    clock: { ...systemClock, after: (ms, then) => systemClock.after(ms / 100, then) },
    tracker: { ...tracker, file: (ticket) => (tracked.down ? Promise.reject(new TicketIdTaken("down")) : tracker.file(ticket)) },
  }));
  stage.start();
  await stage.until("ticket-stalled");
  tracked.down = false;
  command(stage, { type: "retry", ticket: D1 });
  await stage.until("attempt-ended", (event) => event.type === "attempt-ended" && event.ticket === D1);
  gate.resolve(undefined);
  expect(await stage.ended()).toMatchObject({ end: { exitCode: 0 }, counts: { done: 3 }, discoveries: { filed: 1 } });
  // By the command, not by the last look before the oracle is asked.
  expect(stage.types().indexOf("discovery-filed")).toBeLessThan(stage.types().indexOf("reverify-started"));
});

test("as many commands are judged at a time as there are workers, also in the run's next engine", async () => {
  const gate = Promise.withResolvers<undefined>();
  const options: StageOptions = {
    tickets: [ticketOf("T-1")],
    limits: { workers: 1 },
    work: async (task) => {
      await Promise.race([gate.promise, new Promise((off) => task.signal.addEventListener("abort", off))]);
      return oneFile(task);
    },
  };
  using stage = await Stage.open(options);
  const judgedAtOnce = async () => {
    const held = Promise.withResolvers<void>();
    let running = 0;
    const tasks = Array.from({ length: 9 }, () =>
      stage.engine.ctx.commandPermits.run(() => {
        running += 1;
        return held.promise;
      }, new AbortController().signal),
    );
    await new Promise((resolve) => setImmediate(resolve));
    const most = running;
    held.resolve();
    await Promise.all(tasks);
    return most;
  };
  const crashed = stage.crashAt(isType("run-paused"));
  await stage.until("agent-launching");
  expect(await judgedAtOnce()).toBe(1);
  command(stage, { type: "workers", workers: 4 });
  expect(await judgedAtOnce()).toBe(4);
  command(stage, { type: "workers", workers: 2 });
  expect(await judgedAtOnce()).toBe(2);
  command(stage, { type: "pause" });
  await crashed;
  await stage.crashAndReopen();
  expect(stage.state).toMatchObject({ workers: 2 });
  expect(await judgedAtOnce()).toBe(2);
});

describe("a heal that is asked for", () => {
  /** T-1 fails without the hint; its second try goes on until `asked` is there. */
  const opened = async (prompts: string[] = []) => {
    const asked = Promise.withResolvers<void>();
    const { stage, home, wired } = await openHealing({
      limits: { attempts: 3, heals: 1 },
      work: async (task) => {
        if (task.attempt === 2)
          await Promise.race([asked.promise, new Promise((off) => task.signal.addEventListener("abort", off))]);
        return hinted(task);
      },
      heal: (task) => {
        prompts.push(readFileSync(task.promptFile, "utf8"));
        return addHint(task);
      },
    });
    return { stage, asked, home, wired };
  };
  const secondTry = (event: RunEvent) => event.type === "agent-launching" && event.fence === 2;

  test("is told of what failed so far, and the next try has what it changed", async () => {
    const prompts: string[] = [];
    const { stage, asked, home } = await opened(prompts);
    using _ = stage;
    stage.start();
    await stage.until("agent-launching", secondTry);
    command(stage, { type: "heal" });
    asked.resolve();
    expect(await stage.ended()).toMatchObject({ end: { exitCode: 0 }, heals: { started: 1, accepted: 1 } });
    expect(ended(stage)).toMatchObject([{ outcome: "accepted", changed: ["hints.md"] }]);
    expect(stage.ticket(T1).history.map(({ outcome }) => outcome)).toEqual(["failed", "failed", "done"]);
    expect(stage.of("ticket-stalled")).toEqual([]);
    expect(prompts[0]).toContain("1 of 1 ticket is open");
    expect(prompts[0]).toMatch(
      /agent "agent" failed: the agent exited with code 1; it printed last: ".*"\nI do not know which file/,
    );
    expect(stage.of("tripwire-ended")).toHaveLength(2);
    // No ticket had stalled, so it moved none: later runs do not have it.
    expect(stage.of("heal-kept")).toEqual([]);
    expect(existsSync(join(home, "changes"))).toBe(false);
  });

  test("is cancelled before it begins: the next try starts without it", async () => {
    const { stage, asked } = await opened();
    using _ = stage;
    stage.start();
    await stage.until("agent-launching", secondTry);
    command(stage, { type: "heal" });
    command(stage, { type: "drop-heal" });
    command(stage, { type: "drop-heal" });
    asked.resolve();
    await stage.ended();
    expect(stage.of("heal-dropped")).toMatchObject([{ why: "a person cancelled it" }]);
    expect(stage.of("command-refused")).toMatchObject([{ reason: "no heal is requested" }]);
    // The heal of the end is another one: it comes when all tries are used up.
    const types = stage.types();
    expect(stage.of("attempt-claimed").length).toBeGreaterThan(2);
    expect(types.indexOf("heal-started")).toBeGreaterThan(types.indexOf("ticket-stalled"));
    expect(stage.state.interventions).toMatchObject([{ class: "I2", target: "harness" }]);
  });

  test("is done by the next engine where this one is killed right after the command", async () => {
    const { stage, asked, wired } = await opened();
    using _ = stage;
    const crashed = stage.crashAt(isType("heal-asked"));
    await stage.until("agent-launching", secondTry);
    command(stage, { type: "heal" });
    await crashed;
    asked.resolve();
    expect(stage.types()).not.toContain("heal-started");
    await stage.crashAndReopen(wired);
    expect(stage.state.heals).toMatchObject({ asked: true, started: 0 });
    await stage.resume();
    expect(await stage.ended()).toMatchObject({ end: { exitCode: 0 }, heals: { started: 1, accepted: 1 } });
    const after = stage.types().slice(stage.types().indexOf("run-resumed"));
    expect(after.indexOf("heal-ended")).toBeGreaterThan(-1);
    expect(after.indexOf("attempt-claimed")).toBeGreaterThan(after.indexOf("heal-ended"));
    expect(stage.ticket(T1).history.map(({ outcome }) => outcome)).toEqual(["failed", "lost", "done"]);
  });
});
