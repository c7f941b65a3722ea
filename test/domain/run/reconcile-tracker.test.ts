import { describe, expect, test } from "vitest";
import { firstReading } from "../../../src/domain/run/drift-fact.ts";
import { reconcileTicket, type TicketNow, trackerDrift } from "../../../src/domain/run/reconcile-tracker.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import { ticketById as stateOf, ticketIndex } from "../../../src/domain/run/state.ts";
import { withTicket } from "../../../src/domain/schedule/queue.ts";
import { whyNot } from "../../../src/domain/schedule/why-not.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const OURS = { isOursAlone: false } as const;
const OPEN: TicketNow = { id: T1, title: "T-1", titleSha: "t", bodySha: "b", state: { as: "open" }, revision: "1" };
const DONE: TicketNow = { ...OPEN, state: { as: "done" }, revision: "2" };

/** A run that has read the ticket as open and has announced to set it to done. */
function announced(): Simulation {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.report({ type: "tracker-read", tickets: [OPEN] });
  sim.report({ type: "tracker-writing", ticket: T1, state: { as: "done" } });
  return sim;
}

/** Takes a reading as the engine does. */
function read(sim: Simulation, now: TicketNow): readonly string[] {
  const found = reconcileTicket(sim.state, now, OURS);
  for (const each of found) if (each.do === "report") sim.report(each.fact);
  return found.map((each) => (each.do === "report" ? each.fact.type : each.do));
}

test("a write that was announced and is found is the engine's", () => {
  const sim = announced();
  expect(read(sim, DONE)).toEqual(["tracker-written"]);
  expect(sim.state.interventions).toEqual([]);
});

test("a write that was announced and is not found never happened: the same state, found later, is a person's act", () => {
  const sim = announced();
  expect(read(sim, OPEN)).toEqual(["tracker-not-written"]);
  expect(read(sim, OPEN)).toEqual([]);
  expect(read(sim, DONE)).toEqual(["tracker-drifted"]);
  expect(stateOf(sim.state, T1)).toMatchObject({ phase: "done", closedByPerson: "closed" });
  expect(sim.state.interventions).toMatchObject([{ class: "I7", target: T1 }]);
});

test("a write that was announced for a ticket that vanished meanwhile never happened either", () => {
  const sim = announced();
  sim.report({ type: "tracker-drifted", ticket: T1, change: { kind: "vanished", why: "there is no such ticket" } });
  expect(read(sim, DONE)).toEqual(["tracker-drifted", "tracker-drifted"]);
  expect(stateOf(sim.state, T1)).toMatchObject({ phase: "done", closedByPerson: "closed" });
});

const HELD: TicketNow = { ...OPEN, held: "it is canceled in Linear: a person must decide whether it counts", revision: "3" };

function started(first: TicketNow = OPEN): Simulation {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.report({ type: "tracker-read", tickets: [firstReading(first)] });
  return sim;
}

test("a ticket on hold starts no agent, whatever else changes, and goes on when it is released", () => {
  const sim = started();
  expect(read(sim, HELD)).toEqual(["tracker-drifted"]);
  expect(whyNot(sim.state, 0)).toEqual({ kind: "unavailable", why: HELD.held, isOnHold: true });
  expect(read(sim, { ...HELD, revision: "4", dependsOn: [] })).toEqual([]);
  expect(read(sim, HELD)).toEqual([]);
  expect(read(sim, { ...OPEN, revision: "5" })).toEqual(["tracker-drifted"]);
  expect(whyNot(sim.state, 0)).toEqual({ kind: "ready" });
  expect(sim.state.interventions).toMatchObject([{ class: "I7" }, { class: "I1" }]);
});

test("a ticket that is on hold from the start is no intervention", () => {
  const sim = started(HELD);
  expect(read(sim, HELD)).toEqual([]);
  expect(whyNot(sim.state, 0)).toEqual({ kind: "unavailable", why: HELD.held, isOnHold: true });
  expect(sim.state.interventions).toEqual([]);
});

test("a ticket that a person takes over is left to that person, until it is given back", () => {
  const sim = started({ ...OPEN, assignee: "Jo" });
  expect(read(sim, { ...OPEN, assignee: "Jo", revision: "2" })).toEqual([]);
  expect(read(sim, { ...OPEN, assignee: "Ann", revision: "3" })).toEqual(["tracker-drifted"]);
  expect(whyNot(sim.state, 0)).toEqual({
    kind: "unavailable",
    why: "it is assigned to Ann now, and is left to that person",
    isOnHold: true,
  });
  expect(read(sim, { ...OPEN, assignee: "", revision: "4" })).toEqual(["tracker-drifted"]);
  expect(whyNot(sim.state, 0)).toEqual({ kind: "ready" });
});

const SHA = "a".repeat(40);

/** A run whose ticket has landed, and is not live yet. */
function landed(): Simulation {
  const sim = started();
  const at = ticketIndex(sim.state, T1);
  const ticket = stateOf(sim.state, T1);
  sim.state = withTicket(sim.state, at, { ...ticket, phase: "landed", mergedSha: SHA });
  return sim;
}

test("a ticket that an integration closes in answer to its commit is nobody's act, and is reopened if its finish line fails", () => {
  const sim = landed();
  const closed: TicketNow = { ...DONE, setByCommit: SHA };
  expect(read(sim, closed)).toEqual(["tracker-drifted"]);
  expect(read(sim, closed)).toEqual([]);
  expect(sim.state.interventions).toEqual([]);
  expect(stateOf(sim.state, T1)).toMatchObject({ phase: "landed", mergedSha: SHA });
  sim.state = withTicket(sim.state, 0, { ...stateOf(sim.state, T1), phase: "waiting" });
  expect(reconcileTicket(sim.state, closed, OURS)).toEqual([{ do: "write", state: { as: "open" } }]);
});

test("a ticket that is closed by another commit is a person's act", () => {
  const other = landed();
  expect(read(other, { ...DONE, setByCommit: "b".repeat(40) })).toEqual(["tracker-drifted"]);
  expect(stateOf(other.state, T1)).toMatchObject({ phase: "done", closedByPerson: "closed" });
});

describe("a ticket that an integration closes before anything of it has landed", () => {
  const CLOSED: TicketNow = { ...DONE, setByCommit: "" };
  const why = ": closed by an integration before its work landed: a person must decide, and close it if it is done";

  test("is nobody's act and not done, and is opened again with that reason", () => {
    const sim = started();
    const answer = reconcileTicket(sim.state, CLOSED, OURS);
    expect(answer).toEqual([
      { do: "report", fact: trackerDrift(CLOSED, { kind: "closed-by-integration" }) },
      { do: "write", state: { as: "open" }, why },
    ]);
    read(sim, CLOSED);
    expect(sim.state.interventions).toEqual([]);
    expect(stateOf(sim.state, T1).phase).not.toBe("done");
    expect(stateOf(sim.state, T1).tracked).toMatchObject({
      state: { as: "open" },
      lastAct: { text: expect.stringContaining(why.slice(2)) },
    });
    expect(stateOf(sim.state, T1).tracked?.isSetByPerson).toBeUndefined();
  });

  test("is told of once, and opened until a write succeeds", () => {
    const sim = started();
    read(sim, CLOSED);
    expect(reconcileTicket(sim.state, CLOSED, OURS)).toEqual([{ do: "write", state: { as: "open" }, why }]);
  });

  test("stays on hold, and left to a person, if it was", () => {
    const held = started();
    read(held, HELD);
    const before = held.state.interventions;
    read(held, CLOSED);
    expect(stateOf(held.state, T1).tracked).toMatchObject({ onHold: true, unavailable: HELD.held });
    expect(held.state.interventions).toEqual(before);
    const gated = started();
    read(gated, { ...OPEN, revision: "gated", state: { as: "human-gated", step: "press" } });
    expect(reconcileTicket(gated.state, CLOSED, OURS).at(-1)).toEqual({
      do: "write",
      state: { as: "human-gated", step: "press" },
      why,
    });
  });

  test("is done if a person closes it then", () => {
    const sim = started();
    read(sim, CLOSED);
    expect(read(sim, { ...DONE, revision: "by a person" })).toEqual(["tracker-drifted"]);
    expect(stateOf(sim.state, T1)).toMatchObject({ phase: "done", closedByPerson: "closed" });
  });
});

test("a ticket that the tracker holds on hold when the run begins is not in the ready set", () => {
  const batch = batchOf([ticketOf("T-1"), ticketOf("T-2")]);
  const [first] = new Simulation(batch).events;
  if (first?.type !== "run-started") throw new Error("the run did not start");
  const begun = reduce(undefined, { ...first, tracked: [firstReading(HELD)] });
  expect([whyNot(begun, 0), whyNot(begun, 1)]).toEqual([
    { kind: "unavailable", why: HELD.held, isOnHold: true },
    { kind: "ready" },
  ]);
  expect(begun.ready).not.toContain(0);
});

test("a ticket that the landed commit of another ticket closes is nobody's act, and is opened again", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
  sim.report({ type: "tracker-read", tickets: [OPEN] });
  const other = TicketId.parse("T-2");
  const at = ticketIndex(sim.state, other);
  sim.state = withTicket(sim.state, at, { ...stateOf(sim.state, other), phase: "landed", mergedSha: SHA });
  expect(reconcileTicket(sim.state, { ...DONE, setByCommit: SHA }, OURS)).toEqual([{ do: "write", state: { as: "open" } }]);
  expect(reconcileTicket(sim.state, { ...DONE, setByCommit: "b".repeat(40) }, OURS)).toMatchObject([{ do: "report" }]);
});
