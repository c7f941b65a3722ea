import { describe, expect, test } from "vitest";
import type { Batch, Ticket } from "../../../src/domain/batch/schema.ts";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { precedes, soonReady } from "../../../src/domain/schedule/slot-reservation.ts";
import { describeReason, whyNot } from "../../../src/domain/schedule/why-not.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const repo = RepoId.parse("app");
const id = (name: string) => TicketId.parse(name);
const [FIRST, NEXT, OTHER] = [id("first"), id("next"), id("other")];

/** One that is worked, one with a long path that waits for it, and another that could start at once. */
const chain = (over: Partial<Record<"first" | "next" | "other", Partial<Ticket>>> = {}): Ticket[] => [
  ticketOf("first", over.first),
  ticketOf("next", { dependsOn: [FIRST], ...over.next }),
  ticketOf("last", { dependsOn: [NEXT] }),
  ticketOf("other", over.other),
];

/** A run in which `first` is on the finish line after an agent that took about as long as this, in milliseconds. */
function finishing(
  options: {
    tickets?: Ticket[];
    workers?: number;
    agentMs?: number;
    batch?: Partial<Batch>;
    durations?: Record<string, number>;
  } = {},
): Simulation {
  const { tickets = chain(), workers = 1, agentMs = 10_000, batch = {}, durations } = options;
  const sim = new Simulation({ ...batchOf(tickets, { workers }), ...batch }, undefined, durations);
  sim.decide();
  sim.pass(agentMs);
  sim.endAgent(FIRST);
  return sim;
}

const startsAt = (sim: Simulation, at = sim.state.lastEventAt) =>
  decide(sim.state, at).flatMap((action) => (action.do === "start" ? [action.ticket] : []));
const soonAt = (sim: Simulation, at = sim.state.lastEventAt) =>
  soonReady(sim.state, at).map((index) => sim.state.plan.tickets[index]?.id);
const wordOf = (sim: Simulation, ticket: TicketId) => describeReason(whyNot(sim.state, sim.state.plan.index[ticket] as number));

/** When `first` left its slot, and for how long it had had it. */
function slotOf(sim: Simulation): { leftAt: number; hadIt: number } {
  const attempt = sim.state.tickets.flat().find((ticket) => ticket.id === FIRST)?.attempt;
  const leftAt = attempt?.slotLeftAt ?? Number.NaN;
  return { leftAt, hadIt: leftAt - (attempt?.startedAt ?? Number.NaN) };
}

describe("a free slot is kept", () => {
  test("for a ticket with a longer path that waits for the finish line alone, and given to it when that has passed", () => {
    const sim = finishing();
    expect(soonAt(sim)).toEqual([NEXT]);
    expect(startsAt(sim)).toEqual([]);
    expect(wordOf(sim, OTHER)).toBe("ready; the free slot is reserved for next");
    sim.endAttempt(FIRST, "done");
    expect(soonAt(sim)).toEqual([]);
    expect(startsAt(sim)).toEqual([NEXT]);
  });

  test("until the finish line has failed: then the next attempt, whose path is the longest, has it", () => {
    const sim = finishing();
    sim.endAttempt(FIRST, "failed");
    expect(startsAt(sim)).toEqual([FIRST]);
  });

  test("for as long as the agent had it, and not a millisecond longer", () => {
    const sim = finishing();
    const { leftAt, hadIt } = slotOf(sim);
    expect(hadIt).toBeGreaterThanOrEqual(10_000);
    expect(startsAt(sim, leftAt + hadIt - 1)).toEqual([]);
    expect(startsAt(sim, leftAt + hadIt)).toEqual([OTHER]);
    expect(soonAt(sim, leftAt + hadIt)).toEqual([]);
  });

  test("once for each: of two free slots one is given away, of one none", () => {
    const tickets = [...chain(), ticketOf("more")];
    const sim = finishing({ tickets, workers: 2 });
    sim.endAttempt(OTHER, "done");
    expect(wordOf(sim, id("more"))).toBe("ready");
    expect(startsAt(sim)).toEqual([id("more")]);
    const both = finishing({
      tickets: [...tickets, ticketOf("next2", { dependsOn: [FIRST] }), ticketOf("last2", { dependsOn: [id("next2")] })],
      workers: 2,
    });
    both.endAttempt(OTHER, "done");
    expect(soonAt(both)).toEqual([NEXT, id("next2")]);
    expect(startsAt(both)).toEqual([]);
    expect(wordOf(both, id("more"))).toBe("ready; the free slot is reserved for next");
  });

  test("for an attempt without an agent as well, for the time since it began", () => {
    const sim = new Simulation(batchOf(chain(), { workers: 1 }));
    sim.decide();
    sim.pass(5_000);
    sim.report({ type: "merge-intended", ...sim.of(FIRST), repo, from: "a", to: "b" });
    const { leftAt, hadIt } = slotOf(sim);
    expect(hadIt).toBeGreaterThanOrEqual(5_000);
    expect([startsAt(sim, leftAt + hadIt - 1), startsAt(sim, leftAt + hadIt)]).toEqual([[], [OTHER]]);
  });
});

describe("a free slot is not kept", () => {
  const gaveAway = (sim: Simulation) => {
    expect(startsAt(sim)).toEqual([OTHER]);
    expect(wordOf(sim, OTHER)).toBe("ready");
  };

  test("from who has the longer path, or one as long", () => {
    const longer = finishing({ durations: { first: 500, next: 100, last: 100, other: 300 } });
    expect(soonAt(longer)).toEqual([NEXT]);
    gaveAway(longer);
    const equal = finishing({ durations: { first: 500, next: 100, last: 100, other: 200 } });
    expect(precedes(equal.state, 1, 3)).toBe(false);
    gaveAway(equal);
    const shorter = finishing({ durations: { first: 500, next: 100, last: 101, other: 200 } });
    expect(precedes(shorter.state, 1, 3)).toBe(true);
    expect(startsAt(shorter)).toEqual([]);
  });

  test("while the landing waits for somebody; again once it goes on", () => {
    const sim = finishing();
    sim.report({ type: "merge-waiting", ...sim.of(FIRST), reason: "the checkout is dirty" });
    gaveAway(sim);
    sim.report({ type: "merge-intended", ...sim.of(FIRST), repo, from: "a", to: "b" });
    expect(startsAt(sim)).toEqual([]);
  });

  test.for([
    ["is being killed", { type: "kill-requested", ending: "killed-by-person" }],
    ["is being gated", { type: "gate-requested", step: "press it" }],
  ] as const)("for who waits for a ticket that %s", ([, over]) => {
    const sim = finishing();
    sim.report({ ...sim.of(FIRST), ...over } as RunFact);
    expect(soonAt(sim)).toEqual([]);
    gaveAway(sim);
  });

  test.for([
    ["exited with 1", { ending: "exited", exitCode: 1 }],
    ["was ended by a signal", { ending: "exited", exitCode: null }],
    ["was silent", { ending: "silent", exitCode: 0 }],
    ["was stopped", { ending: "stopped", exitCode: 0 }],
  ] as const)("for who waits for a ticket whose agent %s: it claims nothing", ([, over]) => {
    const sim = new Simulation(batchOf(chain(), { workers: 1 }));
    sim.decide();
    sim.pass(10_000);
    sim.report({ type: "agent-launching", ...sim.of(FIRST) });
    sim.report({ type: "agent-ended", ...sim.of(FIRST), ...over, signal: null, costUsd: 0 });
    expect(soonAt(sim)).toEqual([]);
    gaveAway(sim);
  });

  test("while its agent is still at work: nobody knows how long that takes", () => {
    const sim = new Simulation(batchOf(chain(), { workers: 2 }));
    sim.decide();
    sim.pass(10_000);
    sim.endAgent(OTHER);
    expect(soonAt(sim)).toEqual([]);
  });

  test("for who is gated, settled or at work", () => {
    const gated = finishing();
    gated.report({ type: "gate-requested", ticket: NEXT, step: "x" });
    expect(soonAt(gated)).toEqual([]);
    const stalled = finishing();
    stalled.report({ type: "ticket-stalled", ticket: NEXT, reason: "x" });
    expect(soonAt(stalled)).toEqual([]);
    gaveAway(stalled);
  });

  test("for one that waits for the dependent in its turn", () => {
    expect(soonAt(finishing())).not.toContain(id("last"));
  });

  test("while the run is paused or stopping, from nobody: nothing starts at all", () => {
    const paused = finishing();
    paused.report({ type: "run-paused" });
    expect(startsAt(paused, Number.MAX_SAFE_INTEGER)).toEqual([]);
    expect(wordOf(paused, OTHER)).toBe("ready; the run is paused");
  });
});

describe("a ticket that waits for two", () => {
  const SECOND = id("second");
  const tickets = [
    ticketOf("first"),
    ticketOf("second"),
    ticketOf("next", { dependsOn: [FIRST, SECOND] }),
    ticketOf("last", { dependsOn: [NEXT] }),
    ticketOf("other"),
  ];
  const two = () => finishing({ tickets, workers: 2 });

  test("is soon ready when both are being finished, and is counted once", () => {
    const sim = two();
    expect(soonAt(sim)).toEqual([]);
    expect(startsAt(sim)).toEqual([OTHER]);
    sim.endAgent(SECOND);
    expect(soonAt(sim)).toEqual([NEXT]);
    expect(startsAt(sim)).toEqual([OTHER]);
  });

  test("and when one is done and the other is being finished", () => {
    const sim = two();
    sim.endAgent(SECOND);
    sim.endAttempt(FIRST, "done");
    expect(soonAt(sim)).toEqual([NEXT]);
  });

  test("but not when one of them can no longer be expected", () => {
    const sim = two();
    sim.endAgent(SECOND);
    sim.report({ type: "merge-waiting", ...sim.of(SECOND), reason: "dirty" });
    expect(soonAt(sim)).toEqual([]);
    const again = two();
    again.endAgent(SECOND);
    again.endAttempt(SECOND, "failed");
    expect(soonAt(again)).toEqual([]);
  });
});

describe("money and exclusive resources", () => {
  test("are not kept: a ticket in another slot may take what the one that is soon ready needs", () => {
    const db = { exclusive: ["db"] };
    const sim = finishing({ tickets: [...chain({ next: db }), ticketOf("more", db)], workers: 2 });
    sim.endAttempt(OTHER, "done");
    expect(startsAt(sim)).toEqual([id("more")]);
  });

  test("that keep a ready ticket back are its reason, kept slot or not", () => {
    const db = { exclusive: ["db"] };
    const held = finishing({ tickets: chain({ first: db, other: db }) });
    expect(wordOf(held, OTHER)).toBe("db is held by first");
    const agent = { kind: "command" as const, command: ["x"], usdPerAttempt: 2 };
    const { limits } = batchOf([], { workers: 1, usdPerRun: 3 });
    expect(wordOf(finishing({ batch: { agent, limits } }), OTHER)).toBe("one more attempt could exceed limits.usdPerRun ($3)");
  });

  test("that the one who is soon ready would wait for as well: no slot is reserved for it", () => {
    const db = { exclusive: ["db"] };
    const tickets = [...chain({ next: db, other: db }), ticketOf("more")];
    const sim = finishing({ tickets, workers: 2 });
    expect(sim.state.held).toEqual({ db: OTHER });
    expect(soonAt(sim)).toEqual([]);
    expect(startsAt(sim)).toEqual([id("more")]);
    const own = finishing({ tickets: chain({ first: db, next: db }) });
    expect(own.state.held).toEqual({ db: FIRST });
    expect(soonAt(own)).toEqual([NEXT]);
    const agent = { kind: "command" as const, command: ["x"], usdPerAttempt: 2 };
    const { limits } = batchOf([], { workers: 1, usdPerRun: 3 });
    expect(soonAt(finishing({ batch: { agent, limits } }))).toEqual([]);
  });
});
