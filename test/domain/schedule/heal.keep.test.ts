import { describe, expect, test } from "vitest";
import { listHealResults, waitingHeals } from "../../../src/domain/results/heal-results.ts";
import { whatIsLeft } from "../../../src/domain/results/what-is-left.ts";
import { admitCommand, admitFact } from "../../../src/domain/run/admit.ts";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { whyMisnamed } from "../../../src/domain/schedule/heal.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2, T3] = [TicketId.parse("T-1"), TicketId.parse("T-2"), TicketId.parse("T-3")];

type Tickets = Parameters<typeof batchOf>[0];

function begun(tickets: Tickets, over: object = {}): Simulation {
  const batch = batchOf(tickets, { attempts: 1, heals: 3 });
  return new Simulation({ ...batch, ...over });
}

function goOn(sim: Simulation): void {
  for (let step = 0; step < 50; step++) {
    const actions = sim.decide();
    if (sim.state.tripwire.status === "running") sim.report({ type: "tripwire-ended", ok: true, canaries: 30, ms: 1 });
    if (sim.state.stage === "verifying") sim.report({ type: "reverify-ended", reopened: 0 });
    if (sim.state.oracle.asking)
      sim.report({ type: "oracle-judged", final: sim.state.stage === "judging", judgement: honestJudgement(sim.state) });
    if (sim.state.stage === "ended" || sim.state.stage === "healing") return;
    if (actions.length === 0 && sim.state.slots.some((slot) => slot !== null)) return;
  }
}

const GAP = { kind: "gap", rootCause: "no hint", change: "a hint", prediction: [T1] } as const;

function heal(sim: Simulation): void {
  const n = sim.state.heals.started;
  sim.report({ type: "heal-ended", n, outcome: "accepted", why: "ok", changed: ["hints.md"], costUsd: 0, answer: GAP });
  goOn(sim);
}

const land = (sim: Simulation, ticket: TicketId) => {
  sim.endAgent(ticket);
  const move = { repo: RepoId.parse("app"), from: "a", to: "b" };
  sim.report({ type: "merge-landed", ...sim.of(ticket), ...move });
};

/** One ticket that has stalled, and a heal that has begun. */
function healing(over: object = {}, tickets: Tickets = [ticketOf("T-1")]): Simulation {
  const sim = begun(tickets, over);
  goOn(sim);
  for (const { id } of tickets)
    if (sim.state.plan.tickets.find((t) => t.id === id)?.dependsOn.length === 0) sim.endAttempt(id, "failed");
  goOn(sim);
  return sim;
}

describe("a heal is kept", () => {
  test.each([["auto"], ["ask"]] as const)("once a ticket that had stalled lands after it, and not before (%s)", (keep) => {
    const sim = healing({ heals: { keep } });
    heal(sim);
    expect(decide(sim.state, sim.now).some((action) => action.do === "keep-heal")).toBe(false);
    expect(listHealResults(sim.state)).toMatchObject([{ kept: "no", why: "no ticket that had stalled has landed after it" }]);
    land(sim, T1);
    expect(decide(sim.state, sim.now)).toContainEqual({ do: "keep-heal", n: 1, keep });
    sim.decide();
    expect(sim.events.at(-1)).toMatchObject({ type: "heal-keeping", n: 1, keep });
    expect(decide(sim.state, sim.now).some((action) => action.do === "keep-heal")).toBe(false);
    const kept = { type: "heal-kept", n: 1, as: keep === "auto" ? "kept" : "waiting", why: "so" } as const;
    expect(admitFact(sim.state, kept)).toBe(kept);
    sim.report(kept);
    expect(admitFact(sim.state, kept)).toBeUndefined();
    expect(waitingHeals(sim.state)).toBe(keep === "ask" ? 1 : 0);
    expect(listHealResults(sim.state)).toMatchObject([
      { kind: "gap", rootCause: "no hint", stalled: ["T-1"], moved: ["T-1"], kept: keep === "auto" ? "yes" : "waiting" },
    ]);
  });

  test("never, if the batch says so", () => {
    const sim = healing({ heals: { keep: "never" } });
    heal(sim);
    land(sim, T1);
    expect(decide(sim.state, sim.now).some((action) => action.do === "keep-heal")).toBe(false);
    expect(listHealResults(sim.state)).toMatchObject([{ moved: ["T-1"], kept: "no", why: "the batch says so (heals.keep)" }]);
  });

  test("again by the next engine, if the first one was lost while it recorded it", () => {
    const sim = healing();
    heal(sim);
    land(sim, T1);
    sim.decide();
    sim.report({ type: "run-resumed", orphansKilled: 0 });
    sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "lost" });
    goOn(sim);
    expect(sim.events.filter(({ type }) => type === "heal-keeping")).toHaveLength(2);
  });

  test("not if only tickets land that had not stalled", () => {
    const sim = begun([ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] }), ticketOf("T-3")]);
    goOn(sim);
    sim.endAttempt(T3, "done");
    sim.endAttempt(T1, "failed");
    goOn(sim);
    heal(sim);
    expect(sim.state.heals.past[0]?.stalled).toEqual([T1]);
  });
});

test("a heal that moved nothing is dropped by the next one, which starts from the last that did", () => {
  const sim = healing();
  heal(sim);
  sim.endAttempt(T1, "failed");
  goOn(sim);
  expect(sim.state.heals).toMatchObject({ versions: { app: 1 }, running: { n: 2, base: 0 } });
  heal(sim);
  land(sim, T1);
  expect(sim.state.heals.past.map(({ moved }) => moved)).toEqual([[], [T1]]);
});

describe("a heal is about one repository", () => {
  const other = { ...ticketOf("T-2"), repo: RepoId.parse("lib") };
  const over = { repos: { app: { path: "/a", base: "main", prepare: [] }, lib: { path: "/l", base: "main", prepare: [] } } };

  test("and reopens and equips its tickets alone", () => {
    const sim = healing(over, [ticketOf("T-1"), other]);
    expect(sim.state.heals.running?.repo).toBe("app");
    heal(sim);
    expect(sim.state.heals).toMatchObject({ versions: { app: 1 }, past: [{ stalled: ["T-1"] }] });
    expect(whatIsLeft(sim.state, RepoId.parse("lib"))).toMatch(/^1 of 1 ticket is open: T-2 stalled/);
  });
});

describe("a ticket behind a human gate", () => {
  const chain = () => [ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] }), ticketOf("T-3", { dependsOn: [T2] })];

  test("is never healed for nothing, and is explained", () => {
    const sim = begun(chain());
    sim.decide();
    sim.report({ type: "gate-requested", ticket: T1, step: "sign the contract" });
    sim.endAttempt(T1, "gated");
    goOn(sim);
    expect(sim.state.heals.started).toBe(0);
    expect(sim.state.end?.reason).toBe(
      "2 of 3 tickets are open: T-2 waits for T-1, which a person must finish; T-3 waits for T-2, behind T-1, which a person must finish",
    );
  });

  test("gets no heal on a person's command either, and the refusal says why", () => {
    const sim = begun(chain());
    sim.decide();
    sim.report({ type: "gate-requested", ticket: T1, step: "sign" });
    sim.endAttempt(T1, "gated");
    sim.decide();
    expect(admitCommand(sim.state, { type: "heal" })).toMatchObject([
      { type: "command-refused", reason: "there is nothing to heal: what is open waits for T-1, which a person must finish" },
    ]);
  });
});

describe("a wall", () => {
  const wall = {
    claim: "c",
    wall: "w",
    evidence: [{ command: ["x"], exitCode: 1, output: "" }],
    tried: "t",
    humanStep: "buy it",
  };
  const claimed = (sim: Simulation) => {
    const answer = { ...GAP, kind: "wall" } as const;
    sim.report({ type: "heal-ended", n: 1, outcome: "wall", why: "w", changed: [], costUsd: 0, answer, wall });
    goOn(sim);
  };

  test("has its ticket worked once without an agent; if it is rejected, the ticket is stalled as it was", () => {
    const sim = healing();
    claimed(sim);
    expect(sim.state.tickets).toBeDefined();
    expect(sim.state.heals).toMatchObject({ accepted: 0, versions: {} });
    const at = sim.of(T1);
    sim.report({ type: "blocker-claimed", ...at, claim: "c", humanStep: "buy it" });
    sim.report({ type: "blocker-ruled", ...at, upheld: false, reason: "no", step: "buy it" });
    const evidence = { step: "blocker", name: "blocker", summary: "rejected", detail: "" } as const;
    sim.report({ type: "attempt-ended", ...at, outcome: "stopped", evidence });
    goOn(sim);
    expect(sim.state.end).toMatchObject({
      kind: "not-done",
      reason: expect.stringContaining("(broken · 1 attempt failed)"),
    });
    expect(sim.state.heals).toMatchObject({ started: 1, givenUp: true });
  });

  test("becomes a human gate if it is upheld", () => {
    const sim = healing();
    claimed(sim);
    const at = sim.of(T1);
    sim.report({ type: "blocker-ruled", ...at, upheld: true, reason: "yes", step: "buy it" });
    sim.report({ type: "attempt-ended", ...at, outcome: "gated" });
    goOn(sim);
    expect(sim.state.end).toMatchObject({ exitCode: 0 });
    expect(sim.state.counts["human-gated"]).toBe(1);
  });

  test("is ruled on again if its engine was lost meanwhile", () => {
    const sim = healing();
    claimed(sim);
    sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "lost" });
    goOn(sim);
    expect(sim.of(T1)).toBeDefined();
  });

  test("and a gap may name only what is open in this run", () => {
    const sim = healing({}, [ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] })]);
    const names = (kind: "gap" | "wall", id: TicketId) =>
      whyMisnamed(sim.state, RepoId.parse("app"), { ...GAP, kind, prediction: [id], evidence: wall.evidence, humanStep: "x" });
    expect(names("gap", T2)).toBeUndefined();
    expect(names("wall", T1)).toBeUndefined();
    expect(names("wall", T2)).toBe("names T-2 as stopped by a wall, and it is none of the tickets that failed");
    expect(names("gap", T3)).toBe("names T-3, which is not a ticket of this run");
  });
});
