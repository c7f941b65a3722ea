import { expect, test } from "vitest";
import type { TripwireResult } from "../../src/domain/run/tripwire-result.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import type { AgentTask } from "../../src/ports/agent.ts";
import { ticketOf } from "../domain/simulate.ts";
import { endless, Stage } from "./stage.ts";

/** A proof that ends when it is told to; the oracle says done whenever it is asked. */
function scripted() {
  const result = Promise.withResolvers<TripwireResult | undefined>();
  const signals: AbortSignal[] = [];
  const asked: number[] = [];
  const hurry: (() => boolean)[] = [];
  const change = (): Partial<LoopContext> => ({
    tripwire: {
      check: (signal, urgent) => {
        signals.push(signal);
        if (urgent !== undefined) hurry.push(urgent);
        return result.promise;
      },
    },
    oracle: {
      sha: "o",
      judge: () => {
        asked.push(1);
        return Promise.resolve({ verdict: "done", counts: { done: 1, gated: 0, open: 0 }, open: [], durationMs: 1 });
      },
    },
  });
  return { result, signals, asked, hurry, change };
}

test("the run waits for the proof, and its oracle is asked nothing before", async () => {
  const { result, asked, hurry, change } = scripted();
  using stage = await Stage.open({ tickets: [ticketOf("T-1")] }, change);
  stage.start();
  await stage.until("attempt-claimed");
  // It gives way to the worker as long as there is one.
  expect(hurry.map((urgent) => urgent())).toEqual([false]);
  await stage.until("reverify-ended");
  expect(hurry.map((urgent) => urgent())).toEqual([true]);
  await new Promise((settle) => setImmediate(settle));
  expect(asked).toEqual([]);
  expect(stage.types()).not.toContain("oracle-asked");
  expect(stage.state.stage).toBe("working");
  result.resolve({ ok: true, canaries: 25, ms: 1 });
  expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
  expect(stage.types().indexOf("tripwire-ended")).toBeLessThan(stage.types().indexOf("oracle-asked"));
});

test("one that fires ends the workers and the run, exit 3, and no oracle is asked", async () => {
  const { result, asked, signals, change } = scripted();
  using stage = await Stage.open({ tickets: [ticketOf("T-1"), ticketOf("T-2")], work: endless }, change);
  stage.start();
  for (const id of ["T-1", "T-2"]) await stage.until("agent-started", (event) => "ticket" in event && event.ticket === id);
  expect(signals.length).toBe(1);
  result.resolve({ ok: false, problem: "one open was judged done", canaries: 3, ms: 1 });
  const { end } = await stage.ended();
  expect(end).toMatchObject({ kind: "tripwire", verdict: "unjudged", exitCode: 3 });
  expect(end?.reason).toBe("the tripwire fired: one open was judged done");
  expect(stage.of("attempt-ended").map((e) => e.outcome)).toEqual(["stopped", "stopped"]);
  expect(asked).toEqual([]);
});

test("one that a stop calls off says nothing, and the stop is what ends the run", async () => {
  const { result, signals, change } = scripted();
  using stage = await Stage.open({ tickets: [ticketOf("T-1")], work: endless }, change);
  stage.start();
  await stage.until("agent-started");
  signals[0]?.addEventListener("abort", () => result.resolve(undefined));
  stage.engine.orchestrator.command({ type: "stop" });
  expect((await stage.ended()).end).toMatchObject({ kind: "interrupted", exitCode: 130 });
  expect(stage.types()).not.toContain("tripwire-ended");
});

test("an engine that takes the run over asks for the proof again", async () => {
  const { result, signals, change } = scripted();
  const work = (task: AgentTask) => {
    task.onStart({ pid: 999_999_999, startTime: "1" });
    return task.signal.aborted ? ({ ending: "aborted", exitCode: null } as const) : endless(task);
  };
  using stage = await Stage.open({ tickets: [ticketOf("T-1")], work }, () => ({}));
  await stage.crashAt((event) => event.type === "agent-started");
  expect(stage.state.tripwire.status).toBe("passed");
  await stage.crashAndReopen(change);
  const resumed = stage.resume();
  await resumed;
  await stage.until("tripwire-started", (event) => event.seq > (stage.of("run-resumed")[0]?.seq ?? Number.POSITIVE_INFINITY));
  expect(signals.length).toBe(1);
  result.resolve({ ok: false, problem: "x", canaries: 1, ms: 1 });
  expect((await stage.ended()).end).toMatchObject({ kind: "tripwire", exitCode: 3 });
});
