import { describe, expect, test } from "vitest";
import { ticketById } from "../../../src/domain/run/state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { finishLine } from "../../../src/store/labels/progress-label.ts";
import { outcomeLabel } from "../../../src/store/labels/tone.ts";
import { decisiveEntry, listAttemptHistories, pastEvidence } from "../../../src/store/ticket-log/attempts.ts";
import { currentTarget } from "../../../src/store/ticket-log/target.ts";
import { INITIAL_TICKET, reduceTicketView, type TicketViewAction } from "../../../src/store/views/ticket.ts";
import { storeOf } from "../../components/stage.ts";
import { batchOf, RunBuilder } from "../run-builder.ts";

const A = TicketId.parse("A");

function run(): RunBuilder {
  return new RunBuilder(batchOf({ tickets: [{ id: "A" }], limits: { attempts: 9 } }));
}

/** Ends the try at A as the candidate's checks do if a person has to approve its change. */
function awaitApproval(of: RunBuilder): void {
  const change = { commit: "c".repeat(40), base: "a".repeat(40), change: "d", zones: ["pay/"], files: 1 };
  const evidence = { step: "gates", name: "bound", summary: "waits for a person's approval", detail: "" } as const;
  of.of("A", { type: "approval-awaited", ...change }, { type: "attempt-ended", outcome: "stopped", evidence });
}

const ticketIn = (runBuilder: RunBuilder) => ticketById(runBuilder.state, A);

function attempts(runBuilder: RunBuilder) {
  return listAttemptHistories(ticketIn(runBuilder), finishLine(runBuilder.state, A));
}

const marks = (runBuilder: RunBuilder) => attempts(runBuilder).map(({ entries }) => entries.map(({ mark }) => mark).join(" "));

describe("the attempts of a ticket", () => {
  test("an attempt that left its ticket to a person keeps the steps that it passed, with their times", () => {
    const of = run().wall("A", "the registrar wants a person", "ask the registrar").claims("A").step("A", 2).wait(60);
    of.lands("A", "0dd5ea1", 2, "gated");
    const steps = attempts(of).at(-1)?.entries.slice(1) ?? [];
    const passed = steps.filter(({ mark }) => mark === "passed");
    expect(passed.length).toBeGreaterThan(1);
    for (const { ms } of passed) expect(ms).toBeGreaterThanOrEqual(0);
    expect(steps.map(({ mark }) => mark)).not.toContain("unseen");
  });

  test("goes from a try's start over its agent and each step", () => {
    const of = run().claim("A");
    expect(marks(of)).toEqual(["ahead ahead ahead ahead ahead ahead"]);
    of.of("A", { type: "agent-launching" });
    expect(marks(of)).toEqual(["running ahead ahead ahead ahead ahead"]);
    of.wait(60).claims("A").step("A", 1);
    expect(marks(of)).toEqual(["claimed passed running ahead ahead ahead"]);
    expect(attempts(of)[0]?.entries.slice(0, 2)).toMatchObject([{ ms: 60_000, says: "+61 −12" }, { ms: 1_000 }]);
    of.of("A", { type: "step-ended", step: 1, ok: true, summary: "ok" }).step("A", 2).lands("A");
    expect(marks(of)).toEqual(["claimed passed passed passed passed passed"]);
  });

  test("a step that waits for its turn says so, and a refusal stands before the try is over", () => {
    const of = run().working("A").claims("A").step("A", 0);
    of.of("A", { type: "step-ended", step: 0, ok: true, summary: "ok" });
    expect(marks(of)).toEqual(["claimed passed waits ahead ahead ahead"]);
    of.step("A", 1).of("A", { type: "step-ended", step: 1, ok: false, summary: "2 fail" });
    expect(attempts(of)[0]?.entries[2]).toMatchObject({ mark: "failed", says: "2 fail" });
  });

  test("what is known of a try that failed: what passed before, what failed, what was not reached; else unknown", () => {
    const of = run().fails("A", "2 fail").working("A").wait(5);
    of.of("A", { type: "agent-ended", ending: "exited", exitCode: 1, signal: null, costUsd: 0 });
    const evidence = { step: "agent", name: "agent", summary: "the agent exited with 1", detail: "" } as const;
    of.of("A", { type: "attempt-ended", outcome: "failed", evidence });
    of.working("A").of("A", { type: "attempt-ended", outcome: "lost" });
    expect(marks(of)).toEqual([
      "claimed passed failed unreached unreached unreached",
      "failed unreached unreached unreached unreached unreached",
      "unseen unseen unseen unseen unseen unseen",
    ]);
    expect(attempts(of).map((attempt) => decisiveEntry(attempt)?.step)).toEqual([1, "agent", "agent"]);
  });

  test("a try that ended to wait for an approval keeps the steps that it had passed, and was not cut off", () => {
    const of = run().working("A").claims("A").step("A", 1);
    of.of("A", { type: "step-ended", step: 1, ok: true, summary: "ok" });
    awaitApproval(of);
    expect(marks(of)).toEqual(["claimed passed passed held ahead ahead"]);
    expect(attempts(of)[0]).toMatchObject({ outcome: "awaits-approval", says: "waits for a person's approval" });
    expect(outcomeLabel(attempts(of)[0]?.outcome, true)).toEqual({ glyph: "!", tone: "person", word: "waits for approval" });
    of.play({ type: "change-approved", ticket: A, commit: "c".repeat(40), change: "d" });
    expect(outcomeLabel(attempts(of)[0]?.outcome, true).word).toBe("waited for approval");
    of.claim("A");
    expect(marks(of)[0]).toBe("claimed passed passed held unreached unreached");
  });

  test("a try that is cut off while no approval is awaited stays cut off", () => {
    const of = run().working("A").claims("A").step("A", 1);
    of.of("A", { type: "attempt-ended", outcome: "stopped" });
    expect(attempts(of)[0]?.outcome).toBe("stopped");
  });

  test("tries that fail in the same words have each their own evidence, as long as it is kept", () => {
    const of = run();
    for (let i = 0; i < 5; i++) of.fails("A", "same");
    const ticket = ticketIn(of);
    const found = ticket.history.map((past) => pastEvidence(ticket, past));
    expect(found.map((one) => one !== undefined)).toEqual([false, false, true, true, true]);
    expect(found.slice(2)).toEqual(ticket.evidence);
  });
});

describe("what is looked at", () => {
  const target = (runBuilder: RunBuilder, ...actions: readonly TicketViewAction[]) => {
    const { store } = storeOf(runBuilder);
    store.dispatch({ type: "select", ticket: A });
    for (const action of actions) store.dispatch({ type: "ticket-view", action });
    return currentTarget(store.getState());
  };

  test("is the newest try, and what tells most of it", () => {
    const of = run().fails("A", "2 fail");
    expect(target(of)).toMatchObject({ attempt: { n: 1 }, entry: { step: 1 }, file: { path: "tickets/A/attempt-1/agent.log" } });
    of.working("A");
    expect(target(of)).toMatchObject({ attempt: { n: 2 }, entry: { step: "agent" } });
    expect(target(of, { type: "pick", pick: { ticket: A, n: 1, step: 0 } })).toMatchObject({
      attempt: { n: 1 },
      entry: { step: 0 },
    });
  });

  test("what was picked in another ticket counts for nothing", () => {
    const pick = { ticket: TicketId.parse("B"), n: 1 };
    expect(target(run().fails("A").working("A"), { type: "pick", pick })).toMatchObject({ attempt: { n: 2 } });
  });

  test("a step has the log that the engine gives it; one that runs nothing has none", () => {
    const of = run().fails("A");
    const evidence = (step: number | "agent") =>
      target(of, { type: "tab", tab: "evidence" }, { type: "pick", pick: { ticket: A, step } })?.file?.path;
    expect([evidence("agent"), evidence(0), evidence(1), evidence(3)]).toEqual([
      "tickets/A/attempt-1/agent.log",
      undefined,
      "tickets/A/attempt-1/check-tests.log",
      "tickets/A/attempt-1/verify-live.log",
    ]);
  });

  test("the log of a live check is that of the attempt, or of the check that was repeated since", () => {
    const of = run().working("A").wait(40).claims("A").step("A", 2).lands("A", "5c1e0aa", 2, "landed");
    const log = () => target(of, { type: "tab", tab: "evidence" }, { type: "pick", pick: { ticket: A, step: 3 } })?.file?.path;
    expect(log()).toBe("tickets/A/attempt-1/verify-live.log");
    of.play({ type: "live-check-started", ticket: A, why: "due" });
    expect(log()).toBe("tickets/A/attempt-1/later/verify-live.log");
    of.wait(5).play({ type: "live-check-ended", ticket: A, ok: false, summary: "it fails", detail: "", check: "live" });
    expect(log()).toBe("tickets/A/attempt-1/later/verify-live.log");
  });

  test("nothing, before the first try", () => {
    expect(target(run())).toBeUndefined();
  });
});

test("the same choice made again is the same state; a new search forgets the line that was found", () => {
  const ui = reduceTicketView(INITIAL_TICKET, { type: "room", columns: 80, rows: 9 });
  expect(reduceTicketView(ui, { type: "room", columns: 80, rows: 9 })).toBe(ui);
  expect(reduceTicketView(ui, { type: "tab", tab: "log" })).toBe(ui);
  const found = reduceTicketView(ui, { type: "match", match: { textKey: "x", line: 3 } });
  expect(reduceTicketView(found, { type: "search", text: "y" })).toEqual({ ...ui, search: "y" });
  const cut = reduceTicketView(ui, { type: "wrap" });
  expect([ui.wrapped.includes("log"), cut.wrapped.includes("log")]).toEqual([true, false]);
  expect(reduceTicketView(cut, { type: "wrap" }).wrapped).toContain("log");
});
