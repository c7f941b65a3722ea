import { describe, expect, test } from "vitest";
import { HumanStep } from "../../../src/domain/run/command.ts";
import type { RunEvent, RunFact } from "../../../src/domain/run/event.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { Orchestrator } from "../../../src/loop/run/orchestrator.ts";
import type { Journal } from "../../../src/ports/run-store.ts";
import { batchOf, Simulation, ticketOf } from "../../domain/simulate.ts";
import { FakeClock } from "../fake-clock.ts";

const T1 = TicketId.parse("T-1");
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** An owner of a run with a journal in memory that can be made to fail, and effects that only keep count. */
function scene(tickets = [ticketOf("T-1")]) {
  const { state } = new Simulation(batchOf(tickets));
  const clock = new FakeClock();
  const log: string[] = [];
  const written: RunEvent[] = [];
  let refuse: ((fact: RunFact) => boolean) | undefined;
  const journal: Pick<Journal, "append"> = {
    append(fact) {
      if (refuse?.(fact)) throw new Error("disk full");
      log.push(`journal ${fact.type}`);
      const event = { ...fact, seq: state.seq + written.length + 1, at: clock.now() } as RunEvent;
      written.push(event);
      return event;
    },
  };
  const orchestrator = new Orchestrator({
    state,
    journal: journal as Journal,
    clock,
    publish: (event) => log.push(`publish ${event.type}`),
  });
  const failure = orchestrator.ended.then(
    () => undefined,
    (error: unknown) => error,
  );
  const start = () =>
    orchestrator.start({
      launch: (event) => log.push(`launch ${event.type}`),
      abort: (action) => log.push(`abort ${action.ending}`),
    });
  const breakJournal = (on: (fact: RunFact) => boolean = () => true) => {
    refuse = on;
  };
  return { orchestrator, clock, log, written, start, failure, breakJournal };
}

describe("the owner of the state", () => {
  test("admit, journal, publish, launch: in this order, and only once", async () => {
    const { start, log, orchestrator } = scene();
    start();
    await settle();
    expect(log).toEqual([
      "journal attempt-claimed",
      "publish attempt-claimed",
      "launch attempt-claimed",
      "journal oracle-asked",
      "publish oracle-asked",
      "launch oracle-asked",
    ]);
    expect(orchestrator.state.slots[0]).toBe(0);
  });

  test("until it is started, facts are recorded and nothing is launched or decided", async () => {
    const { orchestrator, log } = scene();
    expect(orchestrator.report({ type: "run-paused" })).toBe(true);
    await settle();
    expect(log).toEqual(["journal run-paused", "publish run-paused"]);
  });

  test("a command that comes while the run is being taken over is not lost to the taking over", async () => {
    const { orchestrator, start, written } = scene();
    orchestrator.command({ type: "pause" });
    orchestrator.stop("SIGTERM");
    expect(written).toEqual([]);
    orchestrator.report({ type: "run-resumed", orphansKilled: 0 });
    start();
    await settle();
    expect(written.map((event) => event.type)).toEqual([
      "run-resumed",
      "intervention",
      "run-paused",
      "intervention",
      "stop-requested",
      "run-ended",
    ]);
    expect(orchestrator.state.end).toMatchObject({ kind: "interrupted", exitCode: 130 });
  });

  test("a stop by a signal counts once as an intervention, however often it comes", async () => {
    const { orchestrator, start, written } = scene();
    start();
    orchestrator.stop("SIGINT");
    orchestrator.stop("SIGINT");
    expect(written).toMatchObject([
      { type: "intervention", class: "I5", note: "stopped by SIGINT" },
      { type: "stop-requested", by: "signal" },
    ]);
    await settle();
    expect(orchestrator.state.end?.reason).toContain("stopped by a signal");
    orchestrator.stop("SIGINT");
    expect(written.at(-1)?.type).toBe("run-ended");
  });

  test("a late fact is dropped, counted, launches nothing, and its sender is told", async () => {
    const { orchestrator, start, log } = scene();
    start();
    await settle();
    log.length = 0;
    expect(orchestrator.report({ type: "agent-launching", ticket: T1, fence: 99 as Fence })).toBe(false);
    expect(log).toEqual(["journal report-dropped", "publish report-dropped", "launch report-dropped"]);
    log.length = 0;
    expect(orchestrator.report({ type: "activity", ticket: T1, fence: 99 as Fence, text: "x", lines: 1 })).toBe(false);
    expect(log).toEqual([]);
    expect(orchestrator.state.droppedReports).toBe(1);
  });

  test("activity is recorded and seen, and nothing is decided because of it", async () => {
    const { orchestrator, start, log } = scene();
    start();
    await settle();
    log.length = 0;
    expect(orchestrator.report({ type: "activity", ticket: T1, fence: 1 as Fence, text: "x", lines: 1 })).toBe(true);
    await settle();
    expect(log).toEqual(["journal activity", "publish activity"]);
  });

  test("after the end nothing more happens to a run", async () => {
    const { orchestrator, start, log } = scene();
    orchestrator.report({ type: "stop-requested", by: "person" });
    start();
    const state = await orchestrator.ended;
    expect(state.end?.exitCode).toBe(130);
    log.length = 0;
    expect(orchestrator.report({ type: "run-paused" })).toBe(false);
    orchestrator.command({ type: "gate", ticket: T1, step: HumanStep.parse("x") });
    await settle();
    expect(log).toEqual([]);
  });

  test("time alone leads to a new decision: an interim judgement falls due", async () => {
    const { orchestrator, start, clock, log } = scene([ticketOf("T-1"), ticketOf("T-2")]);
    start();
    await settle();
    const judgement = { verdict: "not-done", counts: { done: 1, gated: 0, open: 1 }, open: [], durationMs: 1 } as const;
    orchestrator.report({ type: "oracle-judged", final: false, judgement });
    await settle();
    log.length = 0;
    clock.advance(20_000);
    await settle();
    expect(log).toContain("launch oracle-asked");
  });
});

describe("law 5: no effect without its record", () => {
  test("where an intent cannot be written nothing is launched, nothing is believed, and the run fails", async () => {
    const { start, log, failure, breakJournal, orchestrator } = scene([ticketOf("T-1"), ticketOf("T-2")]);
    breakJournal((fact) => fact.type === "attempt-claimed");
    const before = orchestrator.state;
    start();
    expect(await failure).toMatchObject({ message: "disk full" });
    expect(log).toEqual([]);
    expect(orchestrator.state).toBe(before);
  });

  test("once it could not be written, later facts are not taken either, even if the disk is well again", async () => {
    const { orchestrator, start, log, breakJournal, failure, clock } = scene();
    start();
    await settle();
    breakJournal();
    expect(orchestrator.report({ type: "run-paused" })).toBe(false);
    breakJournal(() => false);
    log.length = 0;
    expect(orchestrator.report({ type: "agent-launching", ticket: T1, fence: 1 as Fence })).toBe(false);
    orchestrator.command({ type: "kill", ticket: T1 });
    clock.advance(60_000);
    await settle();
    expect(log).toEqual([]);
    expect(await failure).toMatchObject({ message: "disk full" });
  });

  test("a fact that was written but cannot be folded in fails the run, in place of letting state and journal part", async () => {
    const { orchestrator, start, failure, log } = scene();
    start();
    await settle();
    expect(orchestrator.report({ type: "ticket-stalled", ticket: TicketId.parse("T-404"), reason: "x" })).toBe(false);
    expect(await failure).toBeInstanceOf(RangeError);
    log.length = 0;
    expect(orchestrator.report({ type: "run-paused" })).toBe(false);
    expect(log).toEqual([]);
  });
});
