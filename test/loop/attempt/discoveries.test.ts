import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { createFolderTracker } from "../../../src/adapters/tracker/folder.ts";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { LoopContext } from "../../../src/loop/attempt/context.ts";
import type { AgentTask } from "../../../src/ports/agent.ts";
import type { EngineClock } from "../../../src/ports/clock.ts";
import { TicketIdTaken } from "../../../src/ports/tracker.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { oneFile, Stage, type StageOptions } from "../stage.ts";

const folder = scratchFolder();
const T1 = TicketId.parse("T-1");
const D1 = TicketId.parse("T-1-d1");

/** What an agent leaves in its outbox. */
function leave(task: AgentTask, ...titles: readonly string[]): void {
  mkdirSync(join(task.outbox, "discovered"), { recursive: true });
  for (const [n, title] of titles.entries()) {
    writeFileSync(
      join(task.outbox, "discovered", `${String(n).padStart(3, "0")}.json`),
      JSON.stringify({ title, reason: "seen" }),
    );
  }
}

/** The agent on T-1 finds these in its first attempt, and does its work; all others do theirs. */
const finding = (titles: readonly string[], over: Partial<StageOptions> = {}): StageOptions => ({
  tickets: [ticketOf("T-1")],
  limits: { discoveries: 3 },
  work: (task) => {
    if (task.ticket === T1) leave(task, ...titles);
    return oneFile(task);
  },
  ...over,
});

const isType = (type: RunEvent["type"]) => (event: RunEvent) => event.type === type;

describe("what a worker finds", () => {
  test("is announced, filed in the tracker, worked, shipped and judged with the rest", async () => {
    using stage = await Stage.open(finding(["A leak", "A drip"]));
    stage.start();
    expect(await stage.ended()).toMatchObject({
      end: { exitCode: 0 },
      discoveries: { filed: 2, refused: 0 },
      counts: { done: 3 },
    });
    const order = stage.types().filter((type) => type.startsWith("ticket-discovered") || type.startsWith("discovery"));
    expect(order).toEqual(["ticket-discovered", "ticket-discovered", "discovery-filed", "discovery-filed"]);
    expect((await stage.tracker().snapshot()).map((t) => [t.id, t.title, t.state.as])).toEqual([
      ["T-1", "T-1", "done"],
      ["T-1-d1", "A leak", "done"],
      ["T-1-d2", "A drip", "done"],
    ]);
    expect(stage.git("ls-tree", "--name-only", "main").split("\n")).toEqual(expect.arrayContaining(["T-1-d1.txt", "T-1-d2.txt"]));
  });

  test("over the cap, or there already, is refused and told, each", async () => {
    using stage = await Stage.open(finding(["one", "T-1", "ONE", "two", "three", "four"]));
    stage.start();
    expect(await stage.ended()).toMatchObject({ end: { exitCode: 0 }, discoveries: { filed: 3, refused: 3 } });
    expect(stage.of("discovery-refused").map(({ title, why }) => `${title}: ${why}`)).toEqual([
      "T-1: T-1 of the batch has this title already",
      "ONE: T-1-d1 of the batch has this title already",
      "four: the run takes no more: at most 3 (limits.discoveries)",
    ]);
  });

  test("in an attempt that is over meanwhile adds nothing", async () => {
    using stage = await Stage.open(finding(["A leak"]), ({ tracker }) => ({
      tracker: {
        ...tracker,
        taken: () => {
          stage.report({ type: "attempt-ended", ticket: T1, fence: 1 as never, outcome: "killed" });
          return tracker.taken();
        },
      },
    }));
    stage.start();
    await stage.ended();
    expect(stage.of("report-dropped").map(({ what, fence }) => [what, fence])).toContainEqual(["ticket-discovered", 1]);
    expect(stage.of("ticket-discovered").map(({ fence }) => fence)).toEqual([2]);
  });

  test("gets an id that nobody has in the tracker, also beyond the batch", async () => {
    for (const name of ["T-1", "t-1-D1", "T-1-d2"]) writeFileSync(join(folder(), `${name}.md`), `# ${name}\n`);
    const tracker = createFolderTracker({ folder: folder(), ids: [T1] });
    using stage = await Stage.open(finding(["A leak"]), () => ({ tracker }));
    stage.start();
    await stage.until("discovery-filed");
    expect(stage.of("ticket-discovered").map((event) => event.discovered.id)).toEqual(["T-1-d3"]);
    expect((await tracker.snapshot()).map((t) => t.id)).toEqual(["T-1", "T-1-d3"]);
    await stage.ended();
  });
});

/** A clock whose waits are short. */
const hasty: EngineClock = { ...systemClock, after: (ms, then) => systemClock.after(ms / 100, then) };

/** A tracker that takes no new ticket as long as `down` says so. */
function closedTracker(options: { down: boolean }): (ctx: LoopContext) => Partial<LoopContext> {
  return ({ tracker }) => ({
    clock: hasty,
    tracker: {
      ...tracker,
      file: (ticket) => (options.down ? Promise.reject(new TicketIdTaken("no space\u001b[2J")) : tracker.file(ticket)),
    },
  });
}

describe("a tracker that does not take it", () => {
  test("the ticket is stalled with the reason, stays in the batch, and is tried once more at the end", async () => {
    const gate = { down: true };
    using stage = await Stage.open(finding(["A leak"]), closedTracker(gate));
    stage.start();
    await stage.until("ticket-stalled");
    expect(stage.ticket(D1)).toMatchObject({
      phase: "stalled",
      stalledReason: "the tracker does not hold it: no space",
      unfiled: true,
    });
    gate.down = false;
    expect(await stage.ended()).toMatchObject({ end: { exitCode: 0 }, counts: { done: 2 }, discoveries: { filed: 1 } });
  });

  test("for good: the run does not end as done", async () => {
    using stage = await Stage.open(finding(["A leak"]), closedTracker({ down: true }));
    const known = stage.engine.ctx.oracle.judge;
    Object.assign(stage.engine.ctx.oracle, {
      judge: async () => {
        const { id } = stage.state.plan.tickets.at(-1) ?? {};
        const held = (await stage.tracker().snapshot()).some((ticket) => ticket.id === id);
        const problem = `ticket ${id} is not in the tracker`;
        return held ? known() : { verdict: "unjudged", counts: { done: 0, gated: 0, open: 0 }, open: [], problem, durationMs: 1 };
      },
    });
    stage.start();
    const reason = "the oracle could not judge: ticket T-1-d1 is not in the tracker";
    const { counts, end } = await stage.ended();
    expect([end?.exitCode, counts.done, counts.stalled]).toEqual([3, 1, 1]);
    expect(end?.reason).toContain(reason);
  });

  test("and a stop: nothing is stalled, and the next engine files it", async () => {
    using stage = await Stage.open(finding(["A leak"]), ({ tracker }) => ({
      tracker: { ...tracker, file: () => (stage.engine.orchestrator.stop("SIGTERM"), Promise.reject(new Error("down"))) },
    }));
    stage.start();
    expect(await stage.ended()).toMatchObject({ end: { kind: "interrupted" } });
    expect(stage.types()).not.toContain("ticket-stalled");
    await stage.crashAndReopen();
    await stage.resume();
    expect(await stage.ended()).toMatchObject({ end: { exitCode: 0 }, counts: { done: 2 }, discoveries: { filed: 1 } });
  });
});

describe("an engine that is killed", () => {
  test.each([
    ["after it was announced", isType("ticket-discovered")],
    ["after it was filed", isType("discovery-filed")],
  ])("%s: the ticket is there once, and worked once", async (_, match) => {
    using stage = await Stage.open(finding(["A leak"]));
    await stage.crashAt(match);
    await stage.crashAndReopen();
    await stage.resume();
    expect(await stage.ended()).toMatchObject({ end: { exitCode: 0 }, counts: { done: 2 }, discoveries: { filed: 1 } });
    expect(stage.of("ticket-discovered")).toHaveLength(1);
    expect((await stage.tracker().snapshot()).map((t) => t.id)).toEqual([T1, D1]);
    expect(
      stage
        .git("log", "--format=%s", "main")
        .split("\n")
        .filter((line) => line.startsWith("A leak")),
    ).toHaveLength(1);
  });

  test("between the tracker's write and its fact: it is filed again, which changes nothing", async () => {
    const filed = Promise.withResolvers<void>();
    using stage = await Stage.open(finding(["A leak"]), ({ tracker }) => ({
      tracker: {
        ...tracker,
        file: async (ticket) => {
          await tracker.file(ticket);
          stage.engine.dead = true;
          filed.resolve();
        },
      },
    }));
    stage.start();
    await filed.promise;
    stage.engine.performer.abortAll();
    await stage.engine.performer.idle();
    await stage.crashAndReopen();
    expect(stage.ticket(D1).unfiled).toBe(true);
    await stage.resume();
    expect(await stage.ended()).toMatchObject({ end: { exitCode: 0 }, counts: { done: 2 } });
    expect((await stage.tracker().snapshot()).map((t) => t.id)).toEqual([T1, D1]);
  });
});

test("the oracle is not asked while a ticket is on its way into the tracker", async () => {
  const filed = Promise.withResolvers<void>();
  const asked: boolean[] = [];
  using stage = await Stage.open(finding(["A leak"]), ({ tracker, oracle }) => ({
    clock: hasty,
    tracker: { ...tracker, file: (ticket) => filed.promise.then(() => tracker.file(ticket)) },
    oracle: {
      ...oracle,
      judge: (...args) => {
        asked.push(stage.state.filing.length > 0);
        return oracle.judge(...args);
      },
    },
  }));
  stage.start();
  await stage.until("ticket-discovered");
  stage.report({ type: "oracle-asked", final: false });
  await stage.until("merge-landed");
  filed.resolve();
  expect(await stage.ended()).toMatchObject({ end: { exitCode: 0 } });
  expect(asked.length).toBeGreaterThan(1);
  expect(asked).not.toContain(true);
});
