import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import { admitDiscovery, joinedTickets, withEarlier } from "../../../src/domain/outbox/discovery.ts";
import { admitCommand } from "../../../src/domain/run/admit.ts";
import { type RunState, ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { planBatch } from "../../../src/domain/schedule/plan.ts";
import { vecAt, vecFrom, vecItems, vecPush } from "../../../src/domain/values/vec.ts";
import { atWork, D1, discover, found, T1 } from "../finder.ts";
import { given, play, turn } from "../play.ts";
import { Simulation, ticketOf } from "../simulate.ts";

/** What every state of a growing run keeps of the one before. */
function checkGrowth(durations: Record<string, number>): (state: RunState) => void {
  let last: RunState | undefined;
  return (state) => {
    const { batch, plan } = state;
    for (const [at, before] of (last?.plan.tickets ?? []).entries()) {
      const { dependsOn, ...rest } = plan.tickets[at] as (typeof plan.tickets)[number];
      const { dependsOn: had, ...same } = before;
      expect(rest).toEqual(same);
      expect(dependsOn.slice(0, had.length)).toEqual(had);
    }
    if (last !== undefined) expect(batch).toBe(last.batch);
    expect(plan.tickets.length - batch.tickets.length).toBeLessThanOrEqual(batch.limits.discoveries);
    if (plan !== last?.plan) expect(plan).toEqual(planBatch(plan.tickets, durations));
    for (const index of [...state.ready, ...state.slots.filter((i) => i !== null)])
      expect(vecAt(state.tickets, index).unfiled).toBeUndefined();
    const unfiled = [...vecItems(state.tickets)].flatMap((t, i) => (t.unfiled && t.phase === "waiting" ? [i] : []));
    expect(state.filing.toSorted((a, b) => a - b)).toEqual(unfiled);
    last = state;
  };
}

/** More of what matters here than other tests need. */
const which = fc.nat();
const finds = fc.record({ do: fc.constant("discover" as const), which, blocks: fc.boolean() });
const ends = fc.record({ do: fc.constant("agent" as const), which, exitCode: fc.constant(0) });
const turns = fc.array(fc.oneof(turn, turn, ends, finds), { maxLength: 80 });

test("whatever happens, a batch only grows, within its cap, and no done is said over what was found", () => {
  let grew = 0;
  fc.assert(
    fc.property(given(fc.constant(0)), turns, (given, turns) => {
      const { state } = play(given, turns, { state: checkGrowth(given.durations) });
      const open = [...vecItems(state.tickets)].filter((t) => t.phase !== "done" && t.phase !== "human-gated");
      expect(state.end?.exitCode).toBe(open.length === 0 ? 0 : 1);
      grew += state.plan.tickets.length - state.batch.tickets.length;
    }),
    { numRuns: 200 },
  );
  expect(grew).toBeGreaterThan(50);
});

describe("a new run of the batch", () => {
  const all = () => true;

  test("takes along what the last one's workers found, behind the batch's own and with its finish line of today", () => {
    const sim = atWork();
    discover(sim, { blocks: true });
    discover(sim, { title: "another", repo: "web" });
    const batch: Batch = { ...sim.state.batch, finish: [{ step: "assert" }] };
    const grown = withEarlier(batch, sim.state, all);
    expect(grown.tickets.map((t) => [t.id, t.dependsOn, t.foundBy])).toEqual([
      ["T-1", [D1], undefined],
      ["T-2", [T1], undefined],
      ["T-1-d1", [], "T-1"],
      ["T-1-d2", [], "T-1"],
    ]);
    expect(grown.tickets[2]?.finish).toEqual([{ step: "assert" }]);
    const again = new Simulation(grown);
    expect(stateOf(again.state, D1).foundBy).toBe(T1);
    expect(joinedTickets(again.state).map((t) => t.id)).toEqual(["T-1-d1", "T-1-d2"]);
    expect(withEarlier(batch, again.state, all)).toEqual(grown);
  });

  test("has its whole cap again, and gives no id twice", () => {
    const sim = atWork();
    discover(sim);
    discover(sim, { title: "two" });
    const again = new Simulation(withEarlier(sim.state.batch, sim.state, all));
    again.decide();
    expect(admitDiscovery(again.state, T1, found({ title: "three" }))).toMatchObject({ ticket: { id: "T-1-d3" } });
  });

  test("leaves what the batch names itself by now, what has no repository any more, and what is not there", () => {
    const sim = atWork();
    discover(sim);
    discover(sim, { title: "two", repo: "web" });
    const { web: _, ...repos } = sim.state.batch.repos as Record<string, Batch["repos"][string]>;
    const own = { ...sim.state.batch, tickets: [...sim.state.batch.tickets, ticketOf("t-1-D1")] };
    expect(withEarlier({ ...own, repos }, sim.state, all)).toEqual({ ...own, repos });
    expect(withEarlier(sim.state.batch, sim.state, () => false)).toEqual(sim.state.batch);
  });
});

test("a list grows by one at any length", () => {
  for (const length of [0, 1, 127, 128, 129, 256, 1_000]) {
    const items = Array.from({ length }, (_, i) => i);
    expect(vecPush(vecFrom(items), length)).toEqual(vecFrom([...items, length]));
  }
});

describe("a discovery for another repository", () => {
  const across = (allowed?: boolean) => {
    const sim = atWork();
    const discoveries = allowed === undefined ? {} : { discoveries: { otherRepositories: allowed } };
    sim.state = { ...sim.state, batch: { ...sim.state.batch, ...discoveries } };
    const id = discover(sim, { repo: "web" });
    return { sim, id };
  };
  const filed = (sim: Simulation, ticket: typeof D1) => sim.report({ type: "discovery-filed", ticket });

  test.each([
    ["waits for a person", undefined, "stalled"],
    ["waits for a person where the batch says so", false, "stalled"],
    ["does not wait where the batch allows it", true, "waiting"],
  ] as const)("%s", (_, allowed, phase) => {
    const { sim, id } = across(allowed);
    filed(sim, id);
    expect(stateOf(sim.state, id)).toMatchObject({ phase, foundBy: T1 });
    expect(sim.state.ready.includes(2)).toBe(phase === "waiting");
    expect(sim.state.counts).toMatchObject({ stalled: phase === "stalled" ? 1 : 0 });
  });

  test("and one for its finder's repository waits for nobody", () => {
    const sim = atWork();
    const id = discover(sim, { repo: "app" });
    filed(sim, id);
    expect(stateOf(sim.state, id).phase).toBe("waiting");
  });

  test("is let in by a person's retry", () => {
    const { sim, id } = across();
    filed(sim, id);
    expect(stateOf(sim.state, id).stalledReason).toContain("the worker on T-1 in app found it for this other repository");
    for (const fact of admitCommand(sim.state, { type: "retry", ticket: id })) sim.report(fact);
    expect(stateOf(sim.state, id).phase).toBe("waiting");
    expect(sim.state.ready).toContain(2);
  });

  test("waits in the next run too, unless it was let in and worked", () => {
    const { sim, id } = across();
    filed(sim, id);
    const next = new Simulation(withEarlier(sim.state.batch, sim.state, () => true));
    expect(stateOf(next.state, id).phase).toBe("stalled");
    const worked = vecFrom([...vecItems(sim.state.tickets)].map((t) => (t.id === id ? { ...t, history: [{} as never] } : t)));
    const after = new Simulation(withEarlier(sim.state.batch, { ...sim.state, tickets: worked }, () => true));
    expect(stateOf(after.state, id).phase).toBe("waiting");
  });
});
