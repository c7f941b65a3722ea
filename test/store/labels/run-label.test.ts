import { expect, test } from "vitest";
import { Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { runLabel } from "../../../src/store/labels/run-label.ts";
import { batchOf, RunBuilder } from "../run-builder.ts";
import { awaitsApproval, plumbing, plumbingEnded } from "../scenes.ts";

const live = { state: "live" } as const;
const word = (run: RunBuilder) => runLabel(run.state, live).word;

test("each stage has one glyph and one word", () => {
  const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }] }));
  expect(word(run)).toBe("STARTING");
  expect(word(run.working("A"))).toBe("RUNNING");
  run.play({ type: "run-paused" });
  expect(word(run)).toBe("PAUSED");
  run.play({ type: "run-unpaused" });
  run.play({ type: "reverify-started" });
  expect(word(run)).toBe("VERIFYING");
  run.play({ type: "oracle-asked", final: true });
  expect(word(run)).toBe("JUDGING");
  run.play({ type: "heal-started", n: 1, token: Fence.parse(2), reason: "A stalled", reservedUsd: 0 });
  expect(runLabel(run.state, live)).toEqual({ glyph: "✚", word: "HEALING", tone: "running" });
  run.play({ type: "stop-requested", by: "person" });
  expect(word(run)).toBe("STOPPING");
});

test("a run that can only go on with a person says so", () => {
  const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }, { id: "B", dependsOn: ["A"] }] }));
  run.fails("A");
  run.play({ type: "ticket-stalled", ticket: TicketId.parse("A"), reason: "out of attempts" });
  expect(runLabel(run.state, live)).toMatchObject({ word: "NEEDS YOU", tone: "person" });
});

test("so does one in which an approval is missing, until it is given, whatever else is worked on", () => {
  const run = awaitsApproval();
  expect(runLabel(run.state, live)).toMatchObject({ word: "NEEDS YOU", tone: "person" });
  run.play({ type: "change-approved", ticket: TicketId.parse("A"), commit: "c".repeat(40), change: "d" });
  expect(word(run)).toBe("RUNNING");
  const busy = new RunBuilder(batchOf({ tickets: [{ id: "A" }, { id: "B" }] })).working("B");
  const change = { commit: "c".repeat(40), base: "a".repeat(40), change: "d", zones: ["pay/"], files: 1 };
  busy.working("A").claims("A");
  busy.of("A", { type: "approval-awaited", ...change }, { type: "attempt-ended", outcome: "stopped" });
  expect(word(busy)).toBe("NEEDS YOU");
});

test("a run in which no agent may start says so, until it may; what ends all starts needs a person", () => {
  const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }] }));
  run.play({ type: "backoff-started", until: run.now + 262_000, reason: "529" });
  expect(runLabel(run.state, live, run.now)).toEqual({ glyph: "‖", word: "HELD", tone: "waiting" });
  expect(runLabel(run.state, live, run.now + 262_000).word).toBe("STARTING");
  const tripped = { ...run.state, halted: { kind: "authentication", says: "401" } as const };
  for (const paused of [false, true])
    expect(runLabel({ ...tripped, paused }, live, run.now)).toMatchObject({ word: "NEEDS YOU", tone: "person" });
});

test("running means that nothing needs a person", () => {
  expect(word(plumbing())).toBe("NEEDS YOU");
  expect(word(new RunBuilder(batchOf({ tickets: [{ id: "A" }] })).working("A"))).toBe("RUNNING");
});

test("only the oracle's done is done", () => {
  expect(runLabel(plumbingEnded("done").state, live)).toEqual({ glyph: "✔", word: "DONE", tone: "good" });
  expect(word(plumbingEnded("not-done"))).toBe("NOT DONE");
  expect(word(plumbingEnded("stopped"))).toBe("STOPPED");
  const odd = plumbing();
  odd.play({ type: "run-ended", kind: "engine-failure", verdict: "done", exitCode: 1, reason: "crash" });
  expect(word(odd)).not.toBe("DONE");
});

test("a tripwire that fired is not an oracle that could not judge", () => {
  const unproven = plumbing();
  unproven.play({ type: "tripwire-ended", ok: false, canaries: 3, ms: 40, problem: "a canary was judged wrong" });
  expect(word(unproven)).toBe("STOPPING");
  const end = { verdict: "unjudged", exitCode: 3, reason: "the tripwire fired" } as const;
  unproven.play({ type: "run-ended", kind: "tripwire", ...end });
  expect(runLabel(unproven.state, live)).toEqual({ glyph: "✖", word: "TRIPWIRE", tone: "bad" });
  const unjudged = plumbing();
  unjudged.play({ type: "run-ended", kind: "unjudged", ...end });
  expect(runLabel(unjudged.state, live)).toEqual({ glyph: "?", word: "UNJUDGED", tone: "bad" });
});

test("a lost connection hides the state of a run that goes on, not the end of one that is over", () => {
  const lost = { state: "lost", reason: "closed" } as const;
  expect(runLabel(plumbing().state, lost).word).toBe("LOST");
  expect(runLabel(plumbingEnded("done").state, lost).word).toBe("DONE");
  expect(runLabel(undefined, { state: "connecting" }).word).toBe("CONNECTING");
});
