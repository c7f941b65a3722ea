import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RunEvent, RunFact } from "../../src/domain/run/event.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { Orchestrator } from "../../src/loop/run/orchestrator.ts";
import type { AgentResult } from "../../src/ports/agent.ts";
import type { Journal } from "../../src/ports/run-store.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../domain/simulate.ts";
import { CHECK, opened, put, tap } from "./evidence-stage.ts";
import { FakeClock } from "./fake-clock.ts";
import { oneFile, Stage } from "./stage.ts";

const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A result of an agent that its model's API, or its machine, stopped. */
const stopped = (stop: NonNullable<AgentResult["stop"]>): Partial<AgentResult> => ({ exitCode: 1, stop });

/** An owner of a run with a journal in memory and a clock that is moved by hand; nothing is launched. */
async function owner(tickets = [ticketOf("T-1"), ticketOf("T-2")]) {
  const { state } = new Simulation(batchOf(tickets, { workers: 1 }));
  const clock = new FakeClock();
  const written: RunEvent[] = [];
  const journal: Pick<Journal, "append"> = {
    append(fact) {
      const event = { ...fact, seq: state.seq + written.length + 1, at: clock.now() } as RunEvent;
      written.push(event);
      return event;
    },
  };
  const orchestrator = new Orchestrator({ state, journal: journal as Journal, clock, publish: () => undefined });
  orchestrator.start({ launch: () => undefined, abort: () => undefined });
  await settle();
  const report = async (fact: RunFact) => {
    orchestrator.report(fact);
    await settle();
  };
  await report({ type: "oracle-judged", final: false, judgement: honestJudgement(orchestrator.state) });
  const of = () => ({ ticket: T1, fence: orchestrator.state.lastFence }) as { ticket: TicketId; fence: never };
  const claims = () => written.filter((event) => event.type === "attempt-claimed").length;
  return { orchestrator, clock, written, report, of, claims };
}

describe("the owner of the state wakes by itself", () => {
  test("at the end of a hold, to the millisecond, and not at its next look", async () => {
    const { clock, report, of, claims, written } = await owner();
    await report({ type: "agent-launching", ...of() });
    const stop = { kind: "rate-limited", says: "slow down", retryAfterMs: 31_001 } as const;
    await report({ type: "agent-ended", ...of(), ending: "exited", exitCode: 1, signal: null, costUsd: 0, stop });
    await report({ type: "attempt-ended", ...of(), outcome: "failed" });
    expect(written.filter((event) => event.type === "backoff-started")).toMatchObject([{ until: clock.now() + 31_001 }]);
    for (let ms = 0; ms < 31_000; ms += 1_000) {
      clock.advance(1_000);
      await settle();
    }
    expect(claims()).toBe(1);
    clock.advance(1);
    await settle();
    expect(claims()).toBe(2);
  });

  test("when a slot is kept no more", async () => {
    const long = [ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] }), ticketOf("T-4", { dependsOn: [T2] }), ticketOf("T-3")];
    const { clock, report, of, claims } = await owner(long);
    await report({ type: "agent-launching", ...of() });
    clock.advance(6_200);
    await report({ type: "agent-ended", ...of(), ending: "exited", exitCode: 0, signal: null, costUsd: 0 });
    clock.advance(6_199);
    await settle();
    expect(claims()).toBe(1);
    clock.advance(1);
    await settle();
    expect(claims()).toBe(2);
  });

  test("with one timer at most beside its look: a hold that is made longer leaves none behind", async () => {
    const { clock, report } = await owner();
    const before = clock.waiting;
    for (let i = 1; i <= 5; i++) await report({ type: "backoff-started", until: clock.now() + i * 60_000, reason: "x" });
    expect(clock.waiting - before).toBe(1);
  });
});

describe("a run whose agents are all stopped by the same", () => {
  test("ends with exit 1 and one attempt, not with one for each ticket, and says what to do", async () => {
    using stage = await Stage.open({
      tickets: [ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")],
      limits: { workers: 1 },
      work: () => stopped({ kind: "authentication", says: "the key\u001b[31m is refused" }),
    });
    stage.start();
    const { end } = await stage.ended();
    expect(stage.tasks).toHaveLength(1);
    expect(end).toMatchObject({ kind: "not-done", exitCode: 1 });
    expect(end?.reason).toContain(
      "no agent starts any more (authentication): the key is refused; use an API key that the model's API accepts",
    );
    expect(end?.reason).toContain("3 of 3 tickets are open");
    expect(stage.ticket(T1)).toMatchObject({ phase: "waiting", failures: 0, history: [{ outcome: "failed" }] });
  });

  test("tries again with the next engine, and ships", async () => {
    let works = false;
    using stage = await Stage.open({
      tickets: [ticketOf("T-1"), ticketOf("T-2")],
      limits: { workers: 1, attempts: 1 },
      work: (task) => (works ? oneFile(task) : stopped({ kind: "model", says: "no such model" })),
    });
    await stage.crashAt((event) => event.type === "attempt-ended");
    expect(stage.state.halted).toMatchObject({ kind: "model" });
    works = true;
    await stage.crashAndReopen();
    await stage.resume();
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect(stage.ticket(T1).history.map(({ outcome }) => outcome)).toEqual(["failed", "done"]);
  });

  test("parks where it would have to wait for more than six hours, whatever the wait is, and names the time", async () => {
    using stage = await Stage.open({
      tickets: [ticketOf("T-1"), ticketOf("T-2")],
      limits: { workers: 1 },
      work: () => stopped({ kind: "rate-limited", says: "used up", retryAfterMs: Number.POSITIVE_INFINITY }),
    });
    stage.start();
    const { end } = await stage.ended();
    expect(stage.tasks).toHaveLength(1);
    expect(end?.exitCode).toBe(1);
    expect(end?.reason).toMatch(
      /no agent starts any more \(rate-limited\): used up; try again after 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC/,
    );
  });

  test("a wait that is no number is none that the API asked for", async () => {
    using stage = await Stage.open({
      tickets: [ticketOf("T-1")],
      work: () => stopped({ kind: "rate-limited", says: "busy", retryAfterMs: Number.NaN }),
    });
    stage.start();
    const held = await stage.until("backoff-started");
    const ended = stage.of("agent-ended")[0];
    expect(ended?.stop).toEqual({ kind: "rate-limited", says: "busy" });
    expect(held).toMatchObject({ until: (ended?.at ?? 0) + 30_000 });
    stage.engine.orchestrator.stop("SIGTERM");
    expect((await stage.ended()).end?.exitCode).toBe(130);
  });
});

describe("a ticket that is left alone early", () => {
  test("fails alike three times, though what it prints differs each time", async () => {
    const command = [
      process.execPath,
      "-e",
      "console.log(new Date().toISOString(), process.pid, process.cwd()); process.exit(1)",
    ];
    const finish = [{ step: "check", name: "tests", command }, { step: "merge" }] as const;
    using stage = await Stage.open({
      tickets: [ticketOf("T-1", { finish: finish as never }), ticketOf("T-2")],
      limits: { attempts: 9 },
    });
    stage.start();
    expect((await stage.ended()).end?.exitCode).toBe(1);
    expect(stage.ticket(T1).stalledReason).toMatch(
      /^same-failure: 3 attempts in a row failed alike; the last: .* code 1; 6 attempts left$/,
    );
    expect(stage.ticket(T2).phase).toBe("done");
    expect(stage.state.end?.reason).toContain("T-1 stalled (same-failure");
  });

  test("fails by the same tests three times, whatever is printed beside them", async () => {
    const report = { tests: tap("a b! c!") };
    const stage = await opened({
      ticket: { finish: [CHECK, { step: "merge" }] },
      base: { tests: tap("a b c") },
      stage: {
        limits: { attempts: 9 },
        work: (task) => put(task.worktree, { ...report, [`note-${task.attempt}`]: "", code: `${task.attempt}` }) as undefined,
      },
    });
    onTestFinished(() => stage[Symbol.dispose]());
    stage.start();
    await stage.ended();
    const evidence = stage.of("attempt-ended").map((event) => event.evidence);
    expect(evidence.map((each) => each?.tests)).toEqual(Array(3).fill(["b", "c"]));
    expect(stage.ticket(T1).stalledReason).toMatch(/^same-failure: 3 attempts in a row failed alike; .*; 6 attempts left$/);
  });

  test("changes nothing twice", async () => {
    const finish = [{ step: "gates" }, { step: "merge" }] as const;
    using stage = await Stage.open({
      tickets: [ticketOf("T-1", { finish: finish as never })],
      limits: { attempts: 9 },
      work: () => undefined,
    });
    stage.start();
    await stage.ended();
    expect(stage.tasks).toHaveLength(2);
    expect(stage.ticket(T1).stalledReason).toBe("no-change: 2 attempts in a row changed nothing; 7 attempts left");
  });

  test("runs out of memory once; the others are worked", async () => {
    using stage = await Stage.open({
      tickets: [ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")],
      limits: { attempts: 3 },
      work: (task) => (task.ticket === T1 ? stopped({ kind: "memory", says: "heap limit" }) : oneFile(task)),
    });
    stage.start();
    await stage.ended();
    expect(stage.ticket(T1)).toMatchObject({ phase: "stalled", failures: 1 });
    expect(stage.ticket(T1).stalledReason).toBe("memory: the agent stopped early (memory): heap limit; 2 attempts left");
    expect([T2, T3].map((id) => stage.ticket(id).phase)).toEqual(["done", "done"]);
  });
});

test("an attempt that the API turned away takes none of those that the next agent is told of", async () => {
  using stage = await Stage.open({
    tickets: [ticketOf("T-1")],
    work: (task) => (stage.tasks.length === 1 ? stopped({ kind: "rate-limited", says: "slow down" }) : oneFile(task)),
  });
  stage.start();
  await stage.until("backoff-started");
  // In place of the wait.
  stage.report({ type: "backoff-started", until: 0, reason: "over" });
  expect((await stage.ended()).end?.exitCode).toBe(0);
  const said = stage.tasks.map(({ promptFile }) => readFileSync(promptFile, "utf8"));
  expect(said.map((text) => text.includes("\n\nT-1 T-1 (no description) 1 2 "))).toEqual([true, true]);
  expect(stage.ticket(T1)).toMatchObject({
    failures: 0,
    history: [
      { n: 1, outcome: "failed" },
      { n: 2, outcome: "done" },
    ],
  });
});
