import { describe, expect, test } from "vitest";
import type { Batch, Ticket } from "../../src/domain/batch/schema.ts";
import { RepoId, TicketId } from "../../src/domain/ids.ts";
import { leftWork } from "../../src/domain/left-work.ts";
import { batchOf, Simulation, ticketOf } from "./simulate.ts";

const T1 = TicketId.parse("T-1");
const LEFT = { id: T1, tip: "tip-1", baseSha: "base-1" };
const change = { tip: LEFT.tip, files: 1, additions: 1, deletions: 0 };
const app = RepoId.parse("app");

/** The batch with this ticket, and one that nobody worked. */
const batch = (over: Partial<Ticket> = {}): Batch => {
  const [one, other] = [ticketOf("T-1", { title: "Mend it", body: "all of it", ...over }), ticketOf("T-2")];
  return { ...batchOf([one, other], { workers: 1 }), repos: { app: repo(), web: repo() } };
};
const repo = (over: object = {}) => ({ path: "/app", base: "main", prepare: [], ...over });

/** A run whose first agent built something; its finish line has it. */
function built(of: Batch = batch()): Simulation {
  const sim = new Simulation(of);
  sim.decide();
  sim.report({ type: "worktree-ready", ...sim.of(T1), path: "/w", branch: "b", baseSha: LEFT.baseSha });
  sim.endAgent(T1);
  sim.report({ type: "change-captured", ...sim.of(T1), ...change });
  return sim;
}

/** The state of a run whose finish line was cut off. */
function cutOff(sim = built()): Simulation["state"] {
  sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "lost" });
  return sim.state;
}

describe("what an agent of the run before has built", () => {
  test("is taken up, of tickets that have such work alone", () => {
    expect(leftWork(cutOff(), batch())).toEqual([LEFT]);
    expect(leftWork(new Simulation(batch()).state, batch())).toEqual([]);
  });

  test("is taken up whatever else of the batch is new, its finish line too", () => {
    const more = {
      finish: [{ step: "gates" }, { step: "merge" }],
      dependsOn: [TicketId.parse("T-3")],
      exclusive: ["db"],
    } as const;
    const next = batch(more);
    const repos = { ...next.repos, app: repo({ prepare: [["npm", "ci"]] }), web: repo({ path: "/elsewhere" }) };
    expect(leftWork(cutOff(), { ...next, repos, tickets: [ticketOf("T-3"), ...next.tickets] })).toEqual([LEFT]);
  });

  test.for<Partial<Ticket>>([
    { title: "Mend another" },
    { body: "half of it" },
    { repo: RepoId.parse("web") },
    { allow: { testsRemoved: ["*"], testsSkipped: [] } as never },
    { id: TicketId.parse("T-9") },
  ])("is none of a ticket that asks for something else: %j", (over) => {
    expect(leftWork(cutOff(), batch(over))).toEqual([]);
  });

  test.for([{ path: "/other" }, { base: "next" }])("is none of another place: %j", (over) => {
    expect(leftWork(cutOff(), { ...batch(), repos: { app: repo(over), web: repo() } })).toEqual([]);
  });

  test("is nothing to be judged any more where it has landed", () => {
    const sim = built();
    sim.report({ type: "merge-intended", ...sim.of(T1), repo: app, from: "a", to: "b" });
    sim.report({ type: "merge-landed", ...sim.of(T1), repo: app, from: "a", to: "b" });
    expect(cutOff(sim).tickets).toBeDefined();
    expect(leftWork(sim.state, batch())).toEqual([]);
  });

  test("nor where it ends at a person", () => {
    const sim = built();
    sim.report({ type: "blocker-claimed", ...sim.of(T1), claim: "no quota", humanStep: "Raise it" });
    sim.report({ type: "blocker-ruled", ...sim.of(T1), upheld: true, reason: "so it is", step: "Raise it", change });
    expect(leftWork(cutOff(sim), batch())).toEqual([]);
  });
});
