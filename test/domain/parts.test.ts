import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admitCommand, admitFact } from "../../src/domain/admit.ts";
import { Command, HumanStep } from "../../src/domain/command.ts";
import { isActivity } from "../../src/domain/event.ts";
import { type Fence, RepoId, TicketId, unfitForBranch } from "../../src/domain/ids.ts";
import { countIntervention, type Intervention, interventionKind, MERGE_WINDOW_MS } from "../../src/domain/intervention.ts";
import { attemptCap, reserveOf } from "../../src/domain/money.ts";
import { planOf, topologicalOrder } from "../../src/domain/plan.ts";
import { dequeue, enqueue, requeue } from "../../src/domain/queue.ts";
import { ticketOf as stateOf } from "../../src/domain/state.ts";
import { vecAt, vecFrom, vecItems, vecWith } from "../../src/domain/vec.ts";
import { batchOf, Simulation, ticketOf } from "./simulate.ts";

const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];
const F1 = 1 as Fence;

describe("Vec", () => {
  test("is a list: every item, in order, at its index; a replaced one leaves the original alone", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), fc.nat(), (length, n) => {
        const items = Array.from({ length }, (_, i) => i);
        const vec = vecFrom(items);
        const index = n % length;
        const changed = vecWith(vec, index, -1);
        expect([...vecItems(vec)]).toEqual(items);
        expect([...vecItems(changed)]).toEqual(items.with(index, -1));
        expect([vecAt(vec, index), vecAt(changed, index)]).toEqual([index, -1]);
      }),
    );
  });

  test("shares all but one chunk, and guesses no index", () => {
    const vec = vecFrom(Array.from({ length: 300 }, (_, i) => i));
    const changed = vecWith(vec, 200, -1);
    expect(changed.map((chunk, i) => chunk === vec[i])).toEqual([true, false, true]);
    expect(vec.map((chunk) => chunk.length)).toEqual([128, 128, 44]);
    for (const index of [-1, 300, 383, 384]) {
      expect(() => vecAt(vec, index)).toThrow(RangeError);
      expect(() => vecAt(vec, index)).toThrow(`no item ${index}`);
    }
    expect(() => vecWith(vec, 384, 0)).toThrow(new RangeError("no item 384"));
    expect([...vecItems(vecFrom([]))]).toEqual([]);
    expect([vecFrom([]), vecFrom(Array.from({ length: 128 }, () => 0)).length]).toEqual([[], 1]);
  });
});

describe("the plan", () => {
  const tickets = [
    ticketOf("T-1"),
    ticketOf("T-2", { dependsOn: [T1] }),
    ticketOf("T-3", { dependsOn: [T1] }),
    ticketOf("T-4", { dependsOn: [T2, T3] }),
  ];

  test("knows who waits for whom, and how much work hangs on each", () => {
    const plan = planOf(tickets, {});
    expect(plan.index).toEqual({ "T-1": 0, "T-2": 1, "T-3": 2, "T-4": 3 });
    expect(plan.dependents).toEqual([[1, 2], [3], [3], []]);
    expect(plan.rank).toEqual([180_000, 120_000, 120_000, 60_000]);
  });

  test("known durations count, and unknown ones are their upper median; inherited names are nobody's", () => {
    expect(planOf(tickets, { "T-2": 5_000, "T-3": 1_000, "T-1": 3_000 }).rank).toEqual([11_000, 8_000, 4_000, 3_000]);
    expect(planOf([ticketOf("toString")], {}).rank).toEqual([60_000]);
  });

  test("a cycle throws, and every order puts a ticket after all it needs", () => {
    const loop = [ticketOf("T-1", { dependsOn: [T2] }), ticketOf("T-2", { dependsOn: [T1] })];
    expect(() => planOf(loop, {})).toThrow("in a cycle");
    expect(topologicalOrder(tickets, planOf(tickets, {}).dependents)).toEqual([0, 1, 2, 3]);
    expect(topologicalOrder(tickets.toReversed(), [[], [0], [0], [1, 2]])).toEqual([3, 1, 2, 0]);
  });
});

describe("the ready list", () => {
  test("is ordered by remaining work, then by place in the batch; nobody is in it twice", () => {
    const tickets = [ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3"), ticketOf("T-4", { dependsOn: [T2] })];
    const { state } = new Simulation(batchOf(tickets));
    expect(state.ready).toEqual([1, 0, 2]);
    expect(enqueue(state, 0)).toBe(state);
    expect(enqueue(state, 2)).toBe(state);
    const without = dequeue(state, 0);
    expect(without.ready).toEqual([1, 2]);
    expect(dequeue(without, 0)).toBe(without);
    expect(enqueue(without, 0).ready).toEqual([1, 0, 2]);
    expect(enqueue(dequeue(state, 1), 1).ready).toEqual([1, 0, 2]);
  });

  test("a ticket that is gated, settled, blocked or out of attempts does not come back into it", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] })], { attempts: 1 }));
    expect(requeue(sim.state, 1)).toBe(sim.state);
    sim.report({ type: "gate-requested", ticket: T1, step: "x" });
    expect(requeue(sim.state, 0)).toBe(sim.state);
    sim.report({ type: "ticket-gated", ticket: T1, step: "x" });
    expect(requeue(sim.state, 0)).toBe(sim.state);
    const out = new Simulation(batchOf([ticketOf("T-1")], { attempts: 1 }));
    out.report({ type: "attempt-claimed", ticket: T1, fence: F1, attempt: 1, slot: 0, reservedUsd: 0 });
    out.report({ type: "attempt-ended", ticket: T1, fence: F1, outcome: "failed" });
    expect(out.state).toMatchObject({ ready: [], exhausted: [0] });
    expect(requeue(out.state, 0)).toBe(out.state);
  });

  test("a gated dependent is not freed by its dependency", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] })]));
    sim.report({ type: "gate-requested", ticket: T2, step: "x" });
    sim.decide();
    sim.report({ type: "attempt-ended", ticket: T1, fence: F1, outcome: "done" });
    expect(sim.state.ready).toEqual([]);
    expect(stateOf(sim.state, T2).openDeps).toBe(0);
  });
});

describe("money", () => {
  const paid = (limits: Parameters<typeof batchOf>[1], usdPerAttempt: number | undefined = 2) => {
    const agent = { kind: "command" as const, command: ["x"], ...(usdPerAttempt === undefined ? {} : { usdPerAttempt }) };
    const all = { usdPerAttempt: 100, usdPerTicket: 100, usdPerRun: 100, usdPerDay: 100, ...limits };
    const { state } = new Simulation({ ...batchOf([ticketOf("T-1")], all), agent });
    return {
      state,
      cap: (over: object, also = 0) => attemptCap({ ...state, ...over }, { ...stateOf(state, T1), ...over }, also),
    };
  };

  test("a command agent is free unless the batch gives its price, and then no cap is ever in its way", () => {
    expect(reserveOf({ agent: { kind: "command", command: ["x"] }, limits: batchOf([]).limits })).toBe(0);
    expect(reserveOf({ agent: { kind: "command", command: ["x"], usdPerAttempt: 3 }, limits: batchOf([]).limits })).toBe(3);
    expect(paid({ usdPerRun: 0 }, 0).cap({ spentUsd: 50 })).toBeUndefined();
  });

  test.for([
    ["usdPerAttempt", { usdPerAttempt: 2 }, { usdPerAttempt: 1.99 }, {}, 0],
    ["usdPerTicket", { usdPerTicket: 5 }, { usdPerTicket: 4.99 }, { costUsd: 3 }, 0],
    ["usdPerRun", { usdPerRun: 10 }, { usdPerRun: 9.99 }, { spentUsd: 3, reservedUsd: 4 }, 1],
    ["usdPerDay", { usdPerDay: 20 }, { usdPerDay: 19.99 }, { spentUsd: 3, reservedUsd: 4, spentTodayUsd: 10 }, 1],
  ] as const)("%s may be reached and not passed", ([name, enough, less, spent, also]) => {
    expect(paid(enough).cap(spent, also)).toBeUndefined();
    expect(paid(less).cap(spent, also)).toBe(name);
  });
});

describe("interventions", () => {
  const at = (ms: number, over: Partial<Intervention> = {}): Intervention => ({
    at: ms,
    class: "I5",
    target: "run",
    note: "",
    ...over,
  });

  test("within ten minutes of the counted one they are one decision, on one target and of one class", () => {
    const one = [at(0)];
    expect(countIntervention(one, at(MERGE_WINDOW_MS))).toBe(one);
    expect(countIntervention(one, at(MERGE_WINDOW_MS + 1))).toHaveLength(2);
    expect(countIntervention(one, at(1, { class: "I7" }))).toHaveLength(2);
    expect(countIntervention(one, at(1, { target: "T-1" }))).toHaveLength(2);
    const two = [at(0), at(MERGE_WINDOW_MS + 1)];
    expect(countIntervention(two, at(MERGE_WINDOW_MS + 2))).toBe(two);
  });

  test("I1, I4 and I7 did the tickets' work; the rest tended the machinery", () => {
    const classes = ["I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8"] as const;
    expect(classes.filter((c) => interventionKind(c) === "work")).toEqual(["I1", "I4", "I7"]);
    expect(interventionKind("I2")).toBe("harness");
  });
});

describe("what may enter the journal", () => {
  test("facts of the attempt that runs, and facts of none; not those of another fence, nor anything after the end", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.decide();
    const fact = { type: "agent-launching", ticket: T1, fence: F1 } as const;
    expect(admitFact(sim.state, fact)).toBe(fact);
    const late = { ...fact, fence: 2 as Fence };
    expect(admitFact(sim.state, late)).toEqual({ type: "report-dropped", ticket: T1, fence: 2, what: "agent-launching" });
    expect(admitFact(sim.state, { type: "activity", ticket: T1, fence: 2 as Fence, text: "", lines: 1 })).toBeUndefined();
    const dropped = { type: "report-dropped", ticket: T1, fence: 2 as Fence, what: "x" } as const;
    expect(admitFact(sim.state, dropped)).toBe(dropped);
    expect(isActivity(fact)).toBe(false);
    sim.endAttempt(T1, "failed");
    expect(admitFact(sim.state, fact)).toEqual({ ...late, type: "report-dropped", fence: F1, what: "agent-launching" });
    sim.report({ type: "run-ended", kind: "interrupted", verdict: "not-done", exitCode: 130, reason: "" });
    expect(admitFact(sim.state, fact)).toBeUndefined();
    expect(admitFact(sim.state, { type: "run-resumed", orphansKilled: 0 })).toBeDefined();
    expect(admitCommand(sim.state, { type: "stop" })).toEqual([]);
  });
});

describe("wishes", () => {
  const step = HumanStep.parse("press it");
  const working = () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")], { workers: 1 }));
    sim.decide();
    return sim;
  };
  const refusal = (sim: Simulation, command: Command) => {
    const [fact] = admitCommand(sim.state, command);
    return fact?.type === "command-refused" ? fact.reason : undefined;
  };

  test("that are granted, and what each is counted as", () => {
    const { state } = working();
    const granted = (command: Command) => admitCommand(state, command);
    expect(granted({ type: "pause" })).toEqual([
      { type: "intervention", class: "I2", target: "run", note: "paused" },
      { type: "run-paused" },
    ]);
    expect(granted({ type: "stop" })).toEqual([
      { type: "intervention", class: "I5", target: "run", note: "stopped" },
      { type: "stop-requested", by: "person" },
    ]);
    expect(granted({ type: "kill", ticket: T1 })).toEqual([
      { type: "intervention", class: "I5", target: "T-1", note: "worker killed" },
      { type: "kill-requested", ticket: T1, fence: 1, ending: "killed-by-person" },
    ]);
    expect(granted({ type: "gate", ticket: T2, step })).toEqual([
      { type: "intervention", class: "I7", target: "T-2", note: "marked human-gated" },
      { type: "gate-requested", ticket: T2, step },
    ]);
  });

  test("a judgement is asked for once at a time", () => {
    const sim = working();
    expect(refusal(sim, { type: "judge" })).toBe("the oracle is judging already");
    const judgement = { verdict: "not-done", counts: { done: 0, gated: 0, open: 3 }, open: [], durationMs: 1 } as const;
    sim.report({ type: "oracle-judged", final: false, judgement });
    expect(admitCommand(sim.state, { type: "judge" })).toEqual([{ type: "oracle-asked", final: false }]);
  });

  test("that make no sense now, each with its reason", () => {
    const sim = working();
    expect(refusal(sim, { type: "kill", ticket: T2 })).toBe("no worker is on T-2");
    sim.report({ type: "run-paused" });
    expect(refusal(sim, { type: "pause" })).toBe("the run is paused already");
    expect(refusal(sim, { type: "unpause" })).toBeUndefined();
    sim.report({ type: "gate-requested", ticket: T2, step });
    expect(refusal(sim, { type: "gate", ticket: T2, step })).toBe("the gate of T-2 is being recorded already");
    sim.report({ type: "ticket-gated", ticket: T2, step });
    expect(refusal(sim, { type: "gate", ticket: T2, step })).toBe("T-2 is human-gated already");
    sim.report({ type: "ticket-stalled", ticket: T3, reason: "" });
    expect(refusal(sim, { type: "gate", ticket: T3, step })).toBeUndefined();
    sim.report({ type: "kill-requested", ticket: T1, fence: F1, ending: "killed-by-person" });
    expect(refusal(sim, { type: "kill", ticket: T1 })).toBe("the worker on T-1 is being ended already");
    sim.report({ type: "stop-requested", by: "person" });
    expect(refusal(sim, { type: "pause" })).toBe("the run is stopping");
  });

  test("a merge is not cut short, neither by a kill nor by a gate", () => {
    const sim = working();
    sim.report({ type: "merge-intended", ticket: T1, fence: F1, repo: RepoId.parse("app"), from: "a", to: "b" });
    expect(refusal(sim, { type: "kill", ticket: T1 })).toBe("T-1 is being merged; a merge is not cut short");
    expect(refusal(sim, { type: "gate", ticket: T1, step })).toBe("T-1 is being merged; gate it afterwards if a step is left");
    sim.report({ type: "merge-waiting", ticket: T1, fence: F1, reason: "dirty" });
    expect(refusal(sim, { type: "kill", ticket: T1 })).toBeUndefined();
  });

  test.for([
    [{ type: "kill", ticket: "../x" }],
    [{ type: "gate", ticket: "T-1", step: " " }],
    [{ type: "gate", ticket: "T-1", step: "a\nb" }],
    [{ type: "gate", ticket: "T-1", step: "\u001b[2J" }],
    [{ type: "gate", ticket: "T-1", step: "x".repeat(501) }],
    [{ type: "pause", extra: 1 }],
    [{ type: "shell", command: "rm" }],
  ])("%j is no wish at all", ([wish]) => {
    expect(Command.safeParse(wish).success).toBe(false);
  });
});

describe("ids", () => {
  test.for(["T-1", "a", "A.b_c-d", "1", "x".repeat(64), "a.lockx"])("%s is fit", (name) => {
    expect(unfitForBranch(name)).toBeUndefined();
  });

  test.for([
    "",
    "x".repeat(65),
    "-a",
    ".a",
    "a..b",
    "a.",
    "a.lock",
    "a.LOCK",
    "a/b",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "a\n",
    "ä",
    "@",
    "a@{b",
    "a\\b",
    "a*",
  ])("%j is not, with a reason", (name) => {
    expect(unfitForBranch(name)).toBeTruthy();
    expect(TicketId.safeParse(name).error?.issues[0]?.message).toContain("cannot name a branch: ");
  });
});
