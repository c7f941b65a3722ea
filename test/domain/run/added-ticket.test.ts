import { describe, expect, it } from "vitest";
import { addedFacts, admitAdded, MOST_ADDED, readTicketText } from "../../../src/domain/run/added-ticket.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const [T1, N1] = [TicketId.parse("T-1"), TicketId.parse("N-1")];
const run = () => new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] })]));

const why = (sim: Simulation, value: unknown) => {
  const admission = admitAdded(sim.state, value);
  return admission.ok ? undefined : admission.why;
};

describe("a ticket that a person adds", () => {
  it("waits for what it depends on, once the tracker holds it, and makes longer paths to that", () => {
    const sim = run();
    const before = sim.state.plan.rank;
    sim.command({ type: "add", ticket: { id: "N-1", title: "New", dependsOn: ["T-2"] } });
    expect(stateOf(sim.state, N1)).toMatchObject({ phase: "waiting", openDeps: 1, unfiled: true });
    expect(sim.state.filing).toEqual([2]);
    expect(sim.state.plan.rank.map((rank, i) => rank > (before[i] ?? 0))).toEqual([true, true, true]);
    expect(sim.state.plan.dependents).toEqual([[1], [2], []]);
    sim.report({ type: "discovery-filed", ticket: N1 });
    expect(sim.state).toMatchObject({ filing: [], ready: [0], discoveries: { filed: 0 } });
    expect(sim.state.interventions).toMatchObject([{ class: "I2", target: "N-1", note: "added N-1" }]);
  });

  it("has the batch's finish line unless it brings its own, which is a waiver", () => {
    const sim = run();
    sim.command({ type: "add", ticket: { title: "One" } });
    sim.command({ type: "add", ticket: { title: "Two", allow: { scripts: true } } });
    expect(sim.state.plan.tickets.slice(2).map(({ id, added }) => [id, added])).toEqual([
      ["added-1", true],
      ["added-2", true],
    ]);
    expect(sim.state.interventions.map((each) => each.class)).toEqual(["I2", "I2", "I8"]);
    const finish = JSON.parse(JSON.stringify(sim.state.plan.tickets[2]?.finish));
    sim.command({ type: "add", ticket: { title: "Three", finish } });
    expect(sim.state.interventions.map((each) => each.class)).toEqual(["I2", "I2", "I8", "I2"]);
  });

  const OWN: readonly Readonly<Record<string, string | boolean | { scripts: boolean }>>[] = [
    { redFirst: true },
    { allow: { scripts: true } },
    { complexity: "trivial" },
  ];
  it.each(OWN)("keeps rules of its own: %j", (own) => {
    const sim = run();
    sim.command({ type: "add", ticket: { title: "One", ...own } });
    expect(sim.state.plan.tickets.at(-1)).toMatchObject(own);
  });

  it.each([
    ["a list", [], "must be an object"],
    ["a mistyped key, which goes before the missing one", { titel: "x" }, 'unknown key "titel"'],
    ["an unknown repository", { title: "x", repo: "nowhere" }, 'repo: unknown repository "nowhere"'],
    ["itself as a dependency", { id: "N-1", title: "x", dependsOn: ["N-1"] }, "the run has no ticket N-1"],
    ["a reserved name", { title: "x", exclusive: ["constructor"] }, "reserved"],
    ["tests to fix that no check reports", { title: "x", fixes: ["a"] }, "no check of its finish line names a report"],
  ])("is refused with %s", (_, value, says) => {
    expect(why(run(), value)).toContain(says);
  });

  it("is refused for a branch whose checks decide, if that has a ticket", () => {
    const batch = batchOf([ticketOf("T-1")]);
    const forge = { kind: "github-branch", remote: "origin", fixMode: "safe", appearMinutes: 10 } as const;
    const repos = Object.fromEntries(Object.entries(batch.repos).map(([id, repo]) => [id, { ...repo, forge }]));
    expect(why(new Simulation({ ...batch, repos }), { title: "x" })).toContain("which takes one ticket");
  });

  it("is refused once a run has been given many, and by a run that stops", () => {
    const sim = run();
    for (let n = 0; n < MOST_ADDED; n += 1) sim.command({ type: "add", ticket: { title: `${n}` } });
    expect(sim.state.plan.tickets).toHaveLength(2 + MOST_ADDED);
    expect(why(sim, { title: "x" })).toBe(`the run takes no more: at most ${MOST_ADDED} added tickets`);
    const stopping = run();
    stopping.report({ type: "stop-requested", by: "person" });
    stopping.command({ type: "add", ticket: { title: "x" } });
    expect(stopping.state.plan.tickets).toHaveLength(2);
    expect(stopping.events.at(-1)).toMatchObject({ type: "command-refused", reason: "the run is stopping" });
  });

  it("keeps a run up that was about to end", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.decide();
    sim.endAttempt(T1, "done");
    sim.decide();
    sim.report({ type: "reverify-ended", reopened: 0 });
    sim.decide();
    sim.command({ type: "add", ticket: { id: "N-1", title: "Late" } });
    const done = { verdict: "done", counts: { done: 1, gated: 0, open: 0 }, open: [], durationMs: 1 } as const;
    sim.report({ type: "oracle-judged", final: true, judgement: done });
    expect(sim.decide().map((action) => action.do)).not.toContain("end");
    sim.report({ type: "ticket-stalled", ticket: N1, reason: "the tracker does not hold it" });
    expect(sim.decide().map((action) => action.do)).toEqual(["reverify"]);
  });
});

describe("readTicketText", () => {
  it("reads JSON with comments, and names the line of a mistake", () => {
    expect(readTicketText('// mine\n{"title": "x",}')).toEqual({ ok: true, value: { title: "x" } });
    expect(readTicketText('{\n"title" "x"}')).toMatchObject({ ok: false, why: expect.stringMatching(/^line 2: /) });
  });
});

it("tickets that come in one act are one intervention that names all of them; two acts are two", () => {
  const ticket = (id: string) => ({ ...ticketOf(id), added: true as const });
  const together = addedFacts([
    { ticket: ticket("N-1"), isWaiver: false },
    { ticket: ticket("N-2"), isWaiver: true },
  ]);
  expect(together).toMatchObject([
    { type: "intervention", class: "I2", target: "batch", note: "added N-1, N-2" },
    { type: "ticket-added" },
    { type: "intervention", class: "I8", target: "N-2" },
    { type: "ticket-added" },
  ]);
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  for (const id of ["N-1", "N-2"]) for (const fact of addedFacts([{ ticket: ticket(id), isWaiver: false }])) sim.report(fact);
  expect(sim.state.interventions).toMatchObject([{ target: "N-1" }, { target: "N-2" }]);
});
