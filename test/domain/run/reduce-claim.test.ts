import { describe, expect, test } from "vitest";
import type { AgentStopKind } from "../../../src/domain/run/attempt-fact.ts";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import { type RunState, ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const T2 = TicketId.parse("T-2");
const change = { tip: "tip", files: 2, additions: 3, deletions: 4 };

/** A run whose first ticket is on its finish line. */
function finishing(): Simulation {
  const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")], { workers: 1, attempts: 9 }));
  sim.decide();
  sim.endAgent(T1);
  return sim;
}
const attemptOf = (sim: Simulation) => stateOf(sim.state, T1).attempt;

describe("a fact of a claim", () => {
  const fold = (state: RunState, fact: RunFact) => reduce(state, { ...fact, seq: state.seq + 1, at: 1 } as never);
  const refused = { type: "outbox-refused", file: "notes.md", why: "it is too long" } as const;

  test("of another fence, or of a ticket that nobody works, has no place in a journal", () => {
    const { state } = finishing();
    expect(() => fold(state, { ...refused, ticket: T1, fence: 7 as Fence })).toThrow("no attempt with fence 7");
    expect(() => fold(state, { ...refused, ticket: T2, fence: 1 as Fence })).toThrow("no attempt with fence 1");
  });
});

describe("the reviewer", () => {
  type Said = Extract<RunFact, { type: "reviewer-answered" }>;
  const ask = (sim: Simulation, reservedUsd: number) =>
    sim.report({ type: "reviewer-asked", ...sim.of(T1), question: "review", reservedUsd });
  const answer = (sim: Simulation, over: Partial<Said> = {}) =>
    sim.report({ type: "reviewer-answered", ...sim.of(T1), question: "review", costUsd: 0, valid: true, says: "", ...over });

  test("has its questions counted, and its money set aside until it has answered", () => {
    const sim = finishing();
    ask(sim, 2);
    expect(sim.state).toMatchObject({ reservedUsd: 2, spentUsd: 0, reviewer: { asked: 1, valid: 0, usd: 0 } });
    expect(attemptOf(sim)?.asked).toEqual({ question: "review", reservedUsd: 2 });
    answer(sim, { costUsd: 0.5 });
    ask(sim, 2);
    answer(sim, { costUsd: 1.25, valid: false });
    expect(sim.state).toMatchObject({ reservedUsd: 0, spentUsd: 1.75, reviewer: { asked: 2, valid: 1, usd: 1.75 } });
    expect(attemptOf(sim)).toMatchObject({ questionsUsd: 1.75 });
    expect(attemptOf(sim)).not.toHaveProperty("asked");
    expect(stateOf(sim.state, T1).costUsd).toBe(1.75);
  });

  test("has its planted defects counted by whether it saw them, and a question without one as neither", () => {
    const sim = finishing();
    for (const canary of ["seen", "missed", "seen", undefined] as const) {
      ask(sim, 0);
      answer(sim, canary === undefined ? {} : { canary });
    }
    expect(sim.state.reviewer).toEqual({
      asked: 4,
      valid: 4,
      usd: 0,
      findings: { critical: 0, high: 0, medium: 0, low: 0 },
      canaries: { seen: 2, missed: 1 },
    });
  });

  test.for<readonly [AgentStopKind, AgentStopKind | undefined]>([
    ["overloaded", "overloaded"],
    ["authentication", "authentication"],
    ["turns", undefined],
    ["memory", undefined],
  ])("that is stopped by %s leaves its question unanswered by %s", ([kind, unanswered]) => {
    const sim = finishing();
    ask(sim, 0);
    answer(sim, { valid: false, stop: { kind, says: "no" } });
    expect(attemptOf(sim)?.unanswered).toBe(unanswered);
    ask(sim, 0);
    answer(sim);
    expect(attemptOf(sim)?.unanswered).toBeUndefined();
  });
});

test("a step that is tried once more says which, why and from when on, and is counted", () => {
  const sim = finishing();
  sim.report({ type: "step-retried", ...sim.of(T1), step: 1, name: "tests", transient: "network", waitMs: 5_000 });
  expect(attemptOf(sim)?.retried).toEqual({ step: 1, transient: "network", until: sim.state.lastEventAt + 5_000 });
  expect(sim.state.transients).toEqual({ retried: 1, passed: 0 });
  expect(sim.state.blockers).toEqual({ claimed: 0, upheld: 0, rejected: 0 });
});

describe("a blocker", () => {
  const claim = (sim: Simulation) =>
    sim.report({ type: "blocker-claimed", ...sim.of(T1), claim: "no quota", humanStep: "Raise the quota" });
  const rule = (sim: Simulation, upheld: boolean, built?: typeof change) =>
    sim.report({
      ...({ type: "blocker-ruled", ...sim.of(T1), upheld, reason: "so it is", step: "Raise the quota" } as const),
      ...(built && { change: built }),
    });

  test("that is rejected is counted as that, and leaves no step to a person", () => {
    const sim = finishing();
    claim(sim);
    expect(sim.state.blockers).toEqual({ claimed: 1, upheld: 0, rejected: 0 });
    rule(sim, false, change);
    expect(sim.state.blockers).toEqual({ claimed: 1, upheld: 0, rejected: 1 });
    expect(attemptOf(sim)).not.toHaveProperty("humanStep");
    expect(attemptOf(sim)).not.toHaveProperty("change");
  });

  test("that is upheld is counted as that, with its step and what was built up to it", () => {
    const sim = finishing();
    claim(sim);
    rule(sim, true, change);
    expect(sim.state.blockers).toEqual({ claimed: 1, upheld: 1, rejected: 0 });
    expect(attemptOf(sim)).toMatchObject({ humanStep: "Raise the quota", change });
  });

  test("that is upheld without more having been built leaves the change as it was", () => {
    const sim = finishing();
    sim.report({ type: "change-captured", ...sim.of(T1), ...change });
    claim(sim);
    rule(sim, true);
    expect(attemptOf(sim)).toMatchObject({ humanStep: "Raise the quota", change });
  });
});

describe("what is refused of an outbox", () => {
  const refuse = (sim: Simulation, file: string) =>
    sim.report({ type: "outbox-refused", ...sim.of(T1), file, why: "it is not JSON" });

  test("is kept for the next attempt in the order in which it was refused; a discovery is counted as well", () => {
    const sim = finishing();
    refuse(sim, "a.json");
    sim.report({ type: "discovery-refused", ...sim.of(T1), title: "A leak", why: "the run takes no more" });
    expect(stateOf(sim.state, T1).refusals).toEqual({
      n: 1,
      lines: ["a.json: it is not JSON", 'discovery "A leak": the run takes no more'],
    });
    expect(sim.state.discoveries).toEqual({ filed: 0, refused: 1 });
    expect(sim.state.blockers.claimed).toBe(0);
  });

  test("is kept up to twenty lines", () => {
    const sim = finishing();
    for (let n = 1; n <= 25; n++) refuse(sim, `${n}.json`);
    const lines = stateOf(sim.state, T1).refusals?.lines ?? [];
    expect(lines).toHaveLength(20);
    expect([lines[0], lines.at(-1)]).toEqual(["1.json: it is not JSON", "20.json: it is not JSON"]);
  });

  test("of an earlier attempt is forgotten with the first of the next one", () => {
    const sim = finishing();
    refuse(sim, "a.json");
    sim.endAttempt(T1, "failed");
    const fence = (sim.state.lastFence + 1) as Fence;
    sim.report({ type: "attempt-claimed", ticket: T1, fence, attempt: 2, slot: 0, reservedUsd: 0 });
    expect(stateOf(sim.state, T1).refusals?.lines).toEqual(["a.json: it is not JSON"]);
    refuse(sim, "b.json");
    expect(stateOf(sim.state, T1).refusals).toEqual({ n: 2, lines: ["b.json: it is not JSON"] });
  });
});
