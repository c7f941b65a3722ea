import { describe, expect, test } from "vitest";
import type { Batch, Ticket } from "../../../src/domain/batch/schema.ts";
import { runNumbers } from "../../../src/domain/results/trend.ts";
import { carriedOverWork, findLanding, landingsUpTo } from "../../../src/domain/run/carry-over.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import { ticketById as ticketOfRun } from "../../../src/domain/run/state.ts";
import { RepoId, RunId, TicketId } from "../../../src/domain/values/ids.ts";
import { vecFrom, vecItems } from "../../../src/domain/values/vec.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

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
function built(options: Batch = batch()): Simulation {
  const sim = new Simulation(options);
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
    expect(carriedOverWork(cutOff(), batch())).toEqual([LEFT]);
    expect(carriedOverWork(new Simulation(batch()).state, batch())).toEqual([]);
  });

  test("is taken up whatever else of the batch is new, its finish line too", () => {
    const more = {
      finish: [{ step: "gates" }, { step: "merge" }],
      dependsOn: [TicketId.parse("T-3")],
      exclusive: ["db"],
    } as const;
    const next = batch(more);
    const repos = { ...next.repos, app: repo({ prepare: [["npm", "ci"]] }), web: repo({ path: "/elsewhere" }) };
    expect(carriedOverWork(cutOff(), { ...next, repos, tickets: [ticketOf("T-3"), ...next.tickets] })).toEqual([LEFT]);
  });

  test.for<Partial<Ticket>>([
    { title: "Mend another" },
    { body: "half of it" },
    { repo: RepoId.parse("web") },
    { allow: { testsRemoved: ["*"], testsSkipped: [] } as never },
    { id: TicketId.parse("T-9") },
  ])("is none of a ticket that asks for something else: %j", (over) => {
    expect(carriedOverWork(cutOff(), batch(over))).toEqual([]);
  });

  test.for([{ path: "/other" }, { base: "next" }])("is none of another place: %j", (over) => {
    expect(carriedOverWork(cutOff(), { ...batch(), repos: { app: repo(over), web: repo() } })).toEqual([]);
  });

  describe("and has landed", () => {
    const landing = { from: "a", to: "b" };
    const landed = (options = batch()): Simulation => {
      const sim = built(options);
      sim.report({ type: "merge-intended", ...sim.of(T1), repo: app, ...landing });
      sim.report({ type: "merge-landed", ...sim.of(T1), repo: app, ...landing });
      return sim;
    };

    test.for([
      ["it was cut off", undefined],
      ["the tracker could not be told", { step: "assert", name: "assert", summary: "no such folder", detail: "" }],
      ["the engine could not go on", { step: "worktree", name: "engine", summary: "git read-tree failed", detail: "" }],
    ] as const)("is taken up with its landing, also by the next attempt, where %s", ([, evidence]) => {
      const sim = landed();
      const end = evidence === undefined ? ({ outcome: "lost" } as const) : ({ outcome: "failed", evidence } as const);
      sim.report({ type: "attempt-ended", ...sim.of(T1), ...end });
      expect(carriedOverWork(sim.state, batch())).toEqual([{ ...LEFT, landed: landing }]);
      expect(ticketOfRun(sim.state, T1)).toMatchObject({
        failures: evidence === undefined ? 0 : 1,
        pendingWork: { landed: landing },
      });
    });

    test("is not where the engine could not go on before it had", () => {
      const sim = built();
      const evidence = { step: "worktree", name: "engine", summary: "no checkout of it can be made", detail: "" } as const;
      sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "failed", evidence });
      expect(carriedOverWork(sim.state, batch())).toEqual([]);
    });

    test("is not where the live thing was not what it should be", () => {
      const sim = landed();
      const evidence = { step: "verify", name: "live", summary: "exit code 1", detail: "" } as const;
      sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "failed", evidence });
      expect(carriedOverWork(sim.state, batch())).toEqual([]);
    });

    test("is taken up whatever asks for it and judges it now: it is in the base", () => {
      const [gates, merge] = [{ step: "gates" }, { step: "merge" }] as const;
      const check = { step: "check", name: "tests", command: ["true"] } as never;
      const last = cutOff(landed(batch({ finish: [gates, merge] })));
      const kept = { ...LEFT, landed: landing };
      expect(carriedOverWork(last, batch({ finish: [gates, merge, { step: "assert" }] }))).toEqual([kept]);
      expect(carriedOverWork(last, batch({ finish: [gates, check, merge] }))).toEqual([kept]);
      expect(carriedOverWork(last, batch({ body: "half of it" }))).toEqual([{ ...kept, rewritten: true }]);
    });
  });

  test("nor where it ends at a person", () => {
    const sim = built();
    sim.report({ type: "blocker-claimed", ...sim.of(T1), claim: "no quota", humanStep: "Raise it" });
    sim.report({ type: "blocker-ruled", ...sim.of(T1), upheld: true, reason: "so it is", step: "Raise it", change });
    expect(carriedOverWork(cutOff(sim), batch())).toEqual([]);
  });
});

describe("a landing that was not live when its run ended", () => {
  const evidence = { step: "verify", name: "live", summary: "down", detail: "" } as const;
  const landing = { from: "a", to: "b" };

  /** A run that landed the ticket, whose live check fails. */
  function notLive(): Simulation["state"] {
    const sim = built();
    sim.report({ type: "merge-intended", ...sim.of(T1), repo: app, ...landing });
    sim.report({ type: "merge-landed", ...sim.of(T1), repo: app, ...landing });
    sim.report({ type: "attempt-ended", ...sim.of(T1), outcome: "landed", evidence });
    return sim.state;
  }

  /** The run after `last`, called `name`, which carries its work over. */
  function next(last: Simulation["state"], name: string): Simulation {
    const sim = new Simulation(batch());
    const [started] = sim.events;
    if (started?.type !== "run-started") throw new Error("the first event is not the start");
    sim.state = reduce(undefined, { ...started, run: RunId.parse(name), carriedOver: carriedOverWork(last, batch()) });
    return sim;
  }

  test("is the landing of that run in all later ones, live or not, and has shipped in the one that found it live", () => {
    const first = notLive();
    const landedByFirst = { sha: "b", earlierRun: first.run };
    const second = next(first, "second-run");
    expect(findLanding(ticketOfRun(second.state, T1))).toEqual(landedByFirst);
    const third = next(second.state, "third-run");
    expect(findLanding(ticketOfRun(third.state, T1))).toEqual(landedByFirst);
    third.report({ type: "live-check-started", ticket: T1, why: "due" });
    third.report({ type: "live-check-ended", ticket: T1, ok: true, summary: "up", detail: "" });
    expect(ticketOfRun(third.state, T1).phase).toBe("done");
    expect(landingsUpTo(third.state).get(T1)).toEqual({ run: first.run, sha: "b", from: "a" });
    expect(runNumbers(third.state)).toMatchObject({ "tickets.shipped": 1, "tickets.before": 0 });
  });
});

describe("the landing of an earlier run", () => {
  const earlier = { run: RunId.parse("first-run"), sha: "sha-1" };
  const settled = (as: "done" | "human-gated"): Simulation => {
    const sim = new Simulation(batch());
    const [started] = sim.events;
    if (started?.type !== "run-started") throw new Error("the first event is not the start");
    sim.state = reduce(undefined, { ...started, settled: [{ id: T1, as, landedEarlier: earlier }] });
    return sim;
  };

  test.for(["done", "human-gated"] as const)("is shown as that run's for a %s ticket, and is never this run's own", (as) => {
    const { state } = settled(as);
    const ticket = ticketOfRun(state, T1);
    expect(ticket.mergedSha).toBeUndefined();
    expect(findLanding(ticket)).toEqual({ sha: "sha-1", earlierRun: "first-run" });
    expect(landingsUpTo(state)).toEqual(new Map([[T1, earlier]]));
  });

  test("is not shown once the ticket is open again without it, and gives way to this run's", () => {
    const sim = settled("done");
    const evidence = { step: "merge", name: "merge", summary: "reverted", detail: "" } as const;
    sim.report({ type: "ticket-reopened", ticket: T1, evidence });
    const ticket = ticketOfRun(sim.state, T1);
    expect(findLanding(ticket)).toBeUndefined();
    expect(findLanding({ ...ticket, mergedSha: "sha-2" })).toEqual({ sha: "sha-2" });
  });

  test("is checked first if the ticket fails the last re-verification, and stays that run's", () => {
    const sim = settled("done");
    const evidence = { step: "verify", name: "live", summary: "down", detail: "" } as const;
    sim.report({ type: "ticket-reopened", ticket: T1, evidence });
    const ticket = ticketOfRun(sim.state, T1);
    expect(ticket).toMatchObject({ phase: "landed", live: { sha: "sha-1", failed: 1 } });
    expect(findLanding(ticket)).toEqual({ sha: "sha-1", earlierRun: "first-run" });
    expect(landingsUpTo(sim.state).get(T1)).toEqual(earlier);
    const tickets = vecFrom([...vecItems(sim.state.tickets)].map((ticket) => ({ ...ticket, closedByPerson: "closed" as const })));
    expect(landingsUpTo({ ...sim.state, tickets }).get(T1)).toEqual({ ...earlier, closedByPerson: true });
  });
});
