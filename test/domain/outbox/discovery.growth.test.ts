import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admitDiscovery, discoveredId } from "../../../src/domain/outbox/discovery.ts";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import { admitCommand } from "../../../src/domain/run/admit.ts";
import { HumanStep } from "../../../src/domain/run/command.ts";
import { buildFrozenSet } from "../../../src/domain/run/frozen-set.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { grownPlan, planBatch } from "../../../src/domain/schedule/plan.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { atWork, D1, discover, FINISH, found, T1, T2 } from "../finder.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

describe("a discovery", () => {
  test("becomes a ticket of the engine's making: its words alone are the worker's", () => {
    const admission = admitDiscovery(atWork().state, T1, found());
    expect(admission).toEqual({
      ok: true,
      ticket: {
        id: D1,
        title: "A leak",
        body: "in the cellar\n\nFound by the worker on T-1: seen under way",
        repo: "app",
        dependsOn: [],
        exclusive: [],
        finish: FINISH,
        foundBy: T1,
      },
    });
  });

  test("names a repository of the batch, or has its finder's", () => {
    const { state } = atWork();
    expect(admitDiscovery(state, T1, found({ repo: "web" }))).toMatchObject({ ticket: { repo: "web" } });
    for (const repo of ["api", "constructor"]) {
      const why = `the batch has no repository "${repo}"; it has app, web`;
      expect(admitDiscovery(state, T1, { ...found(), repo: RepoId.parse(repo) })).toEqual({ ok: false, why });
    }
  });

  test("of a batch that an older program froze inherits the default finish line", () => {
    const { finish: _, ...batch } = atWork().state.batch;
    expect(admitDiscovery({ ...atWork().state, batch }, T1, found())).toMatchObject({ ticket: { finish: FINISH } });
  });

  test.each(["Do it", "DO IT", "  do   It ", "\uff24o it", "d\u200bo it"])(
    "with the title %j of a ticket is that ticket",
    (title) => {
      const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2", { title: "Do it" })], { discoveries: 9 }));
      expect(admitDiscovery(sim.state, T1, found({ title }))).toEqual({
        ok: false,
        why: "T-2 of the batch has this title already",
      });
    },
  );

  test("whose title shows nothing is refused; other signs that a terminal would obey are taken out", () => {
    const { state } = atWork();
    expect(admitDiscovery(state, T1, found({ title: "\u200b\u2060" }))).toEqual({ ok: false, why: "its title shows nothing" });
    const admission = admitDiscovery(
      state,
      T1,
      found({ title: "a\u001b[2Jb\nc\u202e", body: "one\r\ntwo\u001b[0m\u0000\n\u2028three", reason: "r\n---\u0007" }),
    );
    expect(admission).toMatchObject({
      ticket: { title: "ab c", body: "one\ntwo\n\nthree\n\nFound by the worker on T-1: r ---" },
    });
  });

  test("over the cap of the run is refused, whoever finds it; a cap of 0 takes none", () => {
    expect(admitDiscovery(atWork({ discoveries: 0 }).state, T1, found())).toMatchObject({ ok: false });
    const sim = atWork({ discoveries: 2 });
    expect([discover(sim), discover(sim, { title: "two" })]).toEqual(["T-1-d1", "T-1-d2"]);
    const why = "the run takes no more: at most 2 (limits.discoveries)";
    expect(admitDiscovery(sim.state, T1, found({ title: "three" }))).toEqual({ ok: false, why });
    expect(admitDiscovery(sim.state, T2, found({ title: "three" }))).toEqual({ ok: false, why });
  });

  test("a thousand of them are as many tickets as the cap allows", () => {
    const sim = atWork({ discoveries: 100 });
    for (let n = 0; n < 1_000; n++) {
      const admission = admitDiscovery(sim.state, T1, found({ title: `no ${n}` }));
      if (!admission.ok) continue;
      sim.report({ type: "ticket-discovered", ...sim.of(T1), discovered: admission.ticket, reason: "x", blocks: false });
    }
    expect(sim.state.plan.tickets).toHaveLength(102);
    expect(sim.state.batch.tickets).toHaveLength(2);
  });
});

describe("the id of a discovered ticket", () => {
  test("is nobody else's, also by another case, neither in the batch nor beyond it", () => {
    const batch = batchOf([ticketOf("T-1"), ticketOf("t-1-D1")], { discoveries: 5 });
    const { state } = new Simulation(batch);
    const admission = admitDiscovery(state, T1, found(), ["T-1-D2", "t-1-d3", "README"]);
    expect(admission).toMatchObject({ ticket: { id: "T-1-d4" } });
  });

  test("fits a branch and a folder, however long its finder's is and however often it is asked for", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/).filter((id) => TicketId.safeParse(id).success);
    fc.assert(
      fc.property(name, fc.integer({ min: 1, max: 12 }), (finder, count) => {
        const taken: string[] = [finder];
        for (let n = 0; n < count; n++) taken.push(discoveredId(TicketId.parse(finder), taken));
        expect(taken.slice(1).every((id) => TicketId.safeParse(id).success)).toBe(true);
        expect(new Set(taken.map((id) => id.toLowerCase())).size).toBe(count + 1);
      }),
    );
  });
});

describe("a batch that grows", () => {
  test("has the ticket at its end from the discovery on; it starts once the tracker holds it, and is counted", () => {
    const sim = atWork();
    const frozen = { oracleSha: "o", batchSha: "b", tripwireSha: "t" };
    const before = buildFrozenSet({ batch: sim.state.batch, ...frozen });
    expect(discover(sim)).toBe(D1);
    expect(stateOf(sim.state, D1)).toMatchObject({ phase: "waiting", foundBy: T1, unfiled: true, openDeps: 0 });
    expect(sim.state).toMatchObject({ counts: { waiting: 2 }, filing: [2], ready: [], discoveries: { filed: 0 } });
    expect(sim.decide().filter((action) => action.do === "start")).toEqual([]);
    sim.report({ type: "discovery-filed", ticket: D1 });
    expect(sim.state).toMatchObject({ filing: [], ready: [2], discoveries: { filed: 1 } });
    expect(stateOf(sim.state, D1).unfiled).toBeUndefined();
    expect(sim.decide()).toContainEqual(expect.objectContaining({ do: "start", ticket: D1 }));
    expect(computeLedger(sim.state).tickets).toMatchObject({ total: 3 });
    expect(buildFrozenSet({ batch: sim.state.batch, ...frozen })).toEqual(before);
  });

  test("filed twice is filed once", () => {
    const sim = atWork();
    discover(sim);
    sim.report({ type: "discovery-filed", ticket: D1 });
    const { state } = sim;
    sim.report({ type: "discovery-filed", ticket: D1 });
    expect({ ...sim.state, seq: 0, lastEventAt: 0 }).toEqual({ ...state, seq: 0, lastEventAt: 0 });
  });

  test("is not concluded over a ticket that is on its way into the tracker", () => {
    const sim = atWork();
    discover(sim);
    sim.endAttempt(T1, "done");
    sim.decide();
    sim.endAttempt(T2, "done");
    expect(sim.decide().filter((action) => action.do !== "judge")).toEqual([]);
    sim.report({ type: "ticket-stalled", ticket: D1, reason: "the tracker is down" });
    expect(sim.decide()).toContainEqual({ do: "reverify" });
    sim.report({ type: "discovery-filed", ticket: D1 });
    sim.report({ type: "reverify-ended", reopened: 0 });
    expect(stateOf(sim.state, D1)).not.toHaveProperty("stalledReason");
    expect(sim.decide()).toContainEqual(expect.objectContaining({ do: "start", ticket: D1 }));
  });

  test("can be stopped while the tracker does not answer", () => {
    const sim = atWork();
    discover(sim);
    sim.report({ type: "stop-requested", by: "signal" });
    sim.endAttempt(T1, "stopped");
    expect(sim.decide()).toContainEqual(expect.objectContaining({ do: "end", kind: "interrupted" }));
  });

  test("a person cannot gate what the tracker does not hold", () => {
    const sim = atWork();
    discover(sim);
    const gate = { type: "gate", ticket: D1, step: HumanStep.parse("press it") } as const;
    const reason = "the tracker does not hold T-1-d1 yet";
    expect(admitCommand(sim.state, gate)).toEqual([{ type: "command-refused", command: gate, reason }]);
    sim.report({ type: "discovery-filed", ticket: D1 });
    expect(admitCommand(sim.state, gate)).toContainEqual({ type: "gate-requested", ticket: D1, step: "press it" });
  });

  test("late news of another attempt add nothing", () => {
    const sim = atWork();
    const admission = admitDiscovery(sim.state, T1, found());
    const of = sim.of(T1);
    sim.endAttempt(T1, "failed");
    if (!admission.ok) throw new Error(admission.why);
    expect(sim.report({ type: "ticket-discovered", ...of, discovered: admission.ticket, reason: "x", blocks: false })).toBe(
      false,
    );
    expect(sim.state).toMatchObject({ droppedReports: 1 });
    expect(sim.state.plan.tickets).toHaveLength(2);
  });

  test.each([T1, T2])("nothing takes the place of %s", (id) => {
    const sim = atWork();
    const discovered = { ...ticketOf(id), foundBy: T1 };
    const fact = { type: "ticket-discovered", ...sim.of(T1), discovered, reason: "x", blocks: false } as const;
    expect(() => sim.report(fact)).toThrow(`the batch has a ticket ${id} already`);
    expect(() => grownPlan(sim.state.plan, ticketOf("N", { dependsOn: [T1] }), 1)).toThrow("N waits, and is waited for");
  });
});

describe("a discovery that blocks its finder", () => {
  test("holds back the finder's next attempt until it is done, and leaves its finish line as it is", () => {
    const sim = atWork();
    const before = sim.state.plan.tickets[0];
    discover(sim, { blocks: true });
    expect(sim.state.plan.tickets[0]).toEqual({ ...before, dependsOn: [D1] });
    sim.report({ type: "discovery-filed", ticket: D1 });
    sim.endAttempt(T1, "failed");
    expect(sim.decide().filter((action) => action.do === "start")).toEqual([expect.objectContaining({ ticket: D1 })]);
    sim.endAttempt(D1, "done");
    expect(sim.decide()).toContainEqual(expect.objectContaining({ do: "start", ticket: T1 }));
  });

  test("that is done at the moment in which its finder fails for the last time starts that one no more", () => {
    const sim = atWork({ attempts: 1 });
    discover(sim, { blocks: true });
    sim.report({ type: "discovery-filed", ticket: D1 });
    sim.decide();
    sim.endAttempt(T1, "failed");
    sim.endAttempt(D1, "done");
    expect(sim.decide()).toEqual([expect.objectContaining({ do: "stall", ticket: T1 })]);
    expect(stateOf(sim.state, T1)).toMatchObject({ phase: "stalled", failures: 1 });
  });

  test("does not keep the finder from being done in the attempt that found it: the finish line judges, not the word", () => {
    const sim = atWork();
    discover(sim, { blocks: true });
    sim.report({ type: "discovery-filed", ticket: D1 });
    sim.endAttempt(T1, "done");
    expect(stateOf(sim.state, T1).phase).toBe("done");
    sim.decide();
    sim.endAttempt(D1, "done");
    expect(stateOf(sim.state, T1)).toMatchObject({ phase: "done", openDeps: 0 });
  });

  test("comes before all that its finder holds up", () => {
    const sim = atWork();
    const { rank, unknownMs } = sim.state.plan;
    discover(sim, { blocks: true });
    expect(sim.state.plan.rank).toEqual([...rank, unknownMs + (rank[0] ?? 0)]);
    expect(sim.state.plan).toEqual(planBatch(sim.state.plan.tickets, { "T-1": 700, "T-2": 300 }));
  });
});
