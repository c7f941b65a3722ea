import { describe, expect, test } from "vitest";
import type { AgentStopKind, AttemptOutcome, Evidence } from "../../../src/domain/run/attempt-fact.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { failureIdentity, SAME_FAILURES, TURNED_AWAY, UNCHANGED } from "../../../src/domain/schedule/breaker.ts";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");

const evidence = (over: Partial<Evidence> = {}): Evidence => ({
  step: "check",
  name: "tests",
  summary: "npm test exited with code 1",
  detail: "",
  ...over,
});

/** One ticket with many attempts. */
const patient = (attempts = 10) => new Simulation(batchOf([ticketOf("T-1")], { attempts, workers: 1 }));

/** One attempt of the ticket that ends so, with an agent that stopped by itself and changed so many files. */
function fail(
  sim: Simulation,
  options: { outcome?: AttemptOutcome; evidence?: Evidence | undefined; files?: number } = {},
): void {
  const { outcome = "failed", files = 1 } = options;
  expect(sim.decide()).toContainEqual(expect.objectContaining({ do: "start" }));
  sim.endAgent(T1);
  sim.report({ type: "change-captured", ...sim.of(T1), tip: "t", files, additions: files, deletions: 0 });
  const left = "evidence" in options ? options.evidence : evidence();
  sim.report({ type: "attempt-ended", ...sim.of(T1), outcome, ...(left === undefined ? {} : { evidence: left }) });
}

/** Why the ticket is given up now; undefined where it is not. */
function stalled(sim: Simulation): string | undefined {
  const found = decide(sim.state, sim.state.lastEventAt).find((action) => action.do === "stall");
  return found?.do === "stall" ? found.reason : undefined;
}

describe("a failure is known again", () => {
  const same: readonly (readonly [string, string, string])[] = [
    ["numbers", "3 of 17 tests failed in 1.25 s", "4 of 18 tests failed in 12 s"],
    ["a clock", "12:01:59 failed", "03:44:07 failed"],
    ["a date", "2026-01-31T12:01:59.123Z: no answer", "2027-11-02T03:44:07.9Z: no answer"],
    ["a date in words", "Mon, 12 Jan 2026 10:11:12 GMT no answer", "Sun, 1 Nov 2026 01:02:03 GMT no answer"],
    ["a duration with its unit", "timed out after 900 ms", "timed out after 2 s"],
    ["a hash", "cannot find 64bc3b1a9e", "cannot find 0d2f02fbf3"],
    ["a UUID", "no 8a7c1f60-91f3-4b16-8a3e-000000000001", "no 1b2c3d4e-0000-4b16-9f9f-5f6a7b8c9d0e"],
    ["an address", "segfault at 0x7ffd1c", "segfault at 0x55aa09"],
    ["folders", "/tmp/judge-1/T-1/src/a.ts is broken", "/tmp/judge-93/T-1/src/a.ts is broken"],
    ["lines and columns", "src/a.ts:12:3 - error TS2304", "src/a.ts:140:17 - error TS2304"],
    ["a process id", "(node:4711) boom", "(node:99) boom"],
  ];
  test.for(same)("whatever its %s", ([, one, other]) => {
    expect(failureIdentity(evidence({ detail: one }))).toBe(failureIdentity(evidence({ detail: other })));
    expect(failureIdentity(evidence({ summary: one }))).toBe(failureIdentity(evidence({ summary: other })));
  });

  const different: readonly (readonly [string, Partial<Evidence>, Partial<Evidence>])[] = [
    ["in another step", { step: "check" }, { step: "verify" }],
    ["in another check", { name: "tests" }, { name: "types" }],
    ["in other words", { detail: "a is not a function" }, { detail: "b is not a function" }],
    ["of another file", { detail: "src/a.ts:1:1 broken" }, { detail: "src/b.ts:1:1 broken" }],
    ["of other tests", { tests: ["adds 1 and 2"] }, { tests: ["adds 1 and 3"] }],
    ["of one test more", { tests: ["a"] }, { tests: ["a", "b"] }],
    // What was cut to fifty characters was taken for one (S4.37).
    ["after fifty characters", { detail: `${"x".repeat(60)} one` }, { detail: `${"x".repeat(60)} two` }],
  ];
  test.for(different)("and not taken for one %s", ([, one, other]) => {
    expect(failureIdentity(evidence(one))).not.toBe(failureIdentity(evidence(other)));
  });

  test("by its tests alone, where it is about tests, in whatever order and with whatever output", () => {
    const one = evidence({ tests: ["b", "a"], detail: "first", summary: "2 tests fail" });
    expect(failureIdentity(one)).toBe(failureIdentity(evidence({ tests: ["a", "b"], detail: "other", summary: "tests fail" })));
  });

  test("whatever the order of the lines, and bounded", () => {
    expect(failureIdentity(evidence({ detail: "a fails\nb fails\n" }))).toBe(
      failureIdentity(evidence({ detail: "b fails\na fails" })),
    );
    expect(failureIdentity(evidence({ detail: "word ".repeat(100_000) })).length).toBeLessThanOrEqual(4_000);
  });
});

describe("failures alike", () => {
  test("three in a row end a ticket that has attempts left, with the name, the failure and what is left", () => {
    const sim = patient();
    for (let i = 0; i < SAME_FAILURES; i++) {
      expect(stalled(sim)).toBeUndefined();
      fail(sim, { evidence: evidence({ detail: `failed after ${i} s` }) });
    }
    expect(stalled(sim)).toBe(
      "same-failure: 3 attempts in a row failed alike; the last: npm test exited with code 1; 7 attempts left",
    );
    expect(sim.state.ready).toEqual([]);
  });

  test.for([
    ["two and another", ["a", "a", "b"]],
    // The old breaker compared with all that was ever seen (S4.38).
    ["in turns", ["a", "b", "a", "b", "a", "b"]],
    ["all different", ["a", "b", "c", "d", "e", "f", "g", "h", "i"]],
  ] as const)("but not %s", ([, words]) => {
    const sim = patient();
    for (const detail of words) fail(sim, { evidence: evidence({ detail }) });
    expect(stalled(sim)).toBeUndefined();
    expect(sim.state.ready).toEqual([0]);
  });

  test("after others that differed: three in a row are three in a row", () => {
    const sim = patient();
    for (const detail of ["a", "a", "b", "c", "c", "c"]) fail(sim, { evidence: evidence({ detail }) });
    expect(stalled(sim)).toContain("same-failure: 3 attempts in a row failed alike");
  });

  test("what does not count, and what a person ended, neither breaks the row nor is part of it", () => {
    const sim = patient();
    fail(sim);
    fail(sim, { outcome: "lost", evidence: undefined });
    fail(sim);
    fail(sim, { outcome: "killed", evidence: evidence({ step: "agent", summary: "a person killed this worker" }) });
    expect(stalled(sim)).toBeUndefined();
    fail(sim);
    expect(stalled(sim)).toContain("same-failure");
  });

  test("failures that left no evidence are like no other", () => {
    const sim = patient();
    for (let i = 0; i < 5; i++) fail(sim, { evidence: undefined });
    expect(stalled(sim)).toBeUndefined();
  });

  test("a ticket that is found broken after it was done fails alike as well", () => {
    const sim = patient();
    const broken = evidence({ step: "verify", name: "live", summary: "the page is down" });
    for (let i = 0; i < SAME_FAILURES; i++) {
      expect(stalled(sim)).toBeUndefined();
      sim.decide();
      sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "failed", evidence: broken });
    }
    expect(stalled(sim)).toContain("same-failure");
    const done = patient();
    done.decide();
    done.endAttempt(T1, "done");
    const gone = { ...broken, step: "merge" as const };
    done.report({ type: "ticket-reopened", ticket: T1, evidence: gone });
    fail(done, { evidence: gone });
    expect(stalled(done)).toBeUndefined();
    fail(done, { evidence: gone });
    expect(stalled(done)).toBe("same-failure: 3 attempts in a row failed alike; the last: the page is down; 7 attempts left");
  });

  test("where the attempts are used up, that is what is said", () => {
    const sim = patient(SAME_FAILURES);
    for (let i = 0; i < SAME_FAILURES; i++) fail(sim);
    expect(stalled(sim)).toBe("npm test exited with code 1 · 3 attempts failed");
  });

  test("an older engine that went on after three is believed: the ticket is at work and not given up", () => {
    const sim = patient();
    for (let i = 0; i < SAME_FAILURES; i++) fail(sim);
    const fence = (sim.state.lastFence + 1) as Fence;
    sim.report({ type: "attempt-claimed", ticket: T1, fence, attempt: 4, slot: 0, reservedUsd: 0 });
    expect(sim.state.exhausted).toEqual([]);
    expect(stalled(sim)).toBeUndefined();
  });
});

describe("nothing changed", () => {
  const nothing = { files: 0, evidence: evidence({ step: "gates", name: "gates", summary: "nothing was changed" }) };

  test("twice in a row ends the ticket", () => {
    const sim = patient(3);
    for (let i = 0; i < UNCHANGED; i++) {
      expect(stalled(sim)).toBeUndefined();
      fail(sim, nothing);
    }
    expect(stalled(sim)).toBe("no-change: 2 attempts in a row changed nothing; 1 attempt left");
  });

  test("a change in between begins the count again", () => {
    const sim = patient();
    fail(sim, nothing);
    fail(sim);
    fail(sim, nothing);
    expect(stalled(sim)).toBeUndefined();
  });

  test("an agent that did not stop by itself has not said that there is nothing to change", () => {
    const sim = patient();
    for (let i = 0; i < 2; i++) {
      sim.decide();
      sim.endAgent(T1, 1);
      sim.report({ type: "change-captured", ...sim.of(T1), tip: "t", files: 0, additions: 0, deletions: 0 });
      const left = evidence({ step: "agent", summary: "the agent exited with code 1", detail: "x".repeat(i + 1) });
      sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "failed", evidence: left });
    }
    expect(stalled(sim)).toBeUndefined();
  });
});

describe("what stopped the agent", () => {
  test("out of memory: the ticket ends at once, and others do not", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")], { attempts: 3, workers: 1 }));
    sim.decide();
    sim.stopAgent(T1, "memory");
    expect(stalled(sim)).toBe("memory: the agent stopped early (memory); 2 attempts left");
    expect(decide(sim.state, sim.state.lastEventAt)).toContainEqual(expect.objectContaining({ do: "start", ticket: "T-2" }));
  });

  test.for(["budget", "turns", "context", "refused", "unfinished"] as const)("%s: a failure like any other", (kind) => {
    const sim = patient();
    sim.decide();
    sim.stopAgent(T1, kind);
    expect(stateOf(sim.state, T1)).toMatchObject({ failures: 1, evidence: [{ step: "agent" }] });
    expect(sim.state.ready).toEqual([0]);
    expect([sim.state.halted, sim.state.backoff, sim.state.backoffDue]).toEqual([undefined, undefined, undefined]);
  });

  test.for(["authentication", "permission", "model"] as const)("%s: no failure of the ticket, and it is not given up", (kind) => {
    const sim = patient(1);
    sim.decide();
    sim.stopAgent(T1, kind);
    expect(stateOf(sim.state, T1)).toMatchObject({ phase: "waiting", failures: 0, evidence: [] });
    expect(stateOf(sim.state, T1).history).toMatchObject([
      { outcome: "failed", summary: `the agent stopped early (${kind})`, claimed: false },
    ]);
    expect(stalled(sim)).toBeUndefined();
  });

  test.for(["rate-limited"] as const)("%s: no failure so many times in a row, then one like any other", (kind) => {
    const sim = patient(2);
    const turnAway = (as: AgentStopKind = kind) => {
      sim.pass(3_600_000);
      sim.decide();
      sim.stopAgent(T1, as);
      // The wait is announced.
      sim.decide();
    };
    for (let i = 0; i < TURNED_AWAY; i++) turnAway();
    expect(stateOf(sim.state, T1).failures).toBe(0);
    turnAway("turns");
    expect(stateOf(sim.state, T1)).toMatchObject({ failures: 1 });
    // Something else came between: it counts from the beginning.
    for (let i = 0; i < 2; i++) {
      sim.report({ type: "run-resumed", orphansKilled: 0 });
      turnAway();
    }
    expect(stateOf(sim.state, T1).failures).toBe(1);
    const other = patient(2);
    for (let i = 0; i < TURNED_AWAY + 2; i++) {
      // Each engine tries again.
      other.report({ type: "run-resumed", orphansKilled: 0 });
      other.pass(3_600_000);
      other.decide();
      other.stopAgent(T1, kind);
      other.decide();
    }
    expect(stateOf(other.state, T1).failures).toBe(2);
    expect(stateOf(other.state, T1).history).toHaveLength(TURNED_AWAY + 2);
  });

  test("a person who kills an agent that was turned away has ended it", () => {
    const sim = patient();
    sim.decide();
    sim.endAgent(T1, 1, { kind: "rate-limited", says: "slow down" });
    sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "killed", evidence: evidence({ step: "agent" }) });
    expect(stateOf(sim.state, T1).failures).toBe(1);
  });
});
