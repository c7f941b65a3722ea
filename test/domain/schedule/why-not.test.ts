import { describe, expect, test } from "vitest";
import { whatIsLeft } from "../../../src/domain/results/what-is-left.ts";
import { describeReason, type Reason, whyNot } from "../../../src/domain/schedule/why-not.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { attempt, mixed } from "../mixed-run.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../simulate.ts";

const id = (name: string) => TicketId.parse(name);
const [T1, T4] = [id("T-1"), id("T-4")];

describe("why a ticket is not worked on", () => {
  const at = (sim: Simulation, index: number) => describeReason(whyNot(sim.state, index));

  test("in the order in which it would be met", () => {
    const sim = new Simulation(
      batchOf(
        [
          ticketOf("T-1", { exclusive: ["db"] }),
          ticketOf("T-2", { exclusive: ["db"] }),
          ticketOf("T-3", { dependsOn: [T1] }),
          ticketOf("T-4"),
        ],
        { workers: 1 },
      ),
    );
    expect(at(sim, 0)).toBe("ready");
    expect(at(sim, 2)).toBe("waits for T-1");
    sim.report({ type: "run-paused" });
    expect(at(sim, 0)).toBe("ready; the run is paused");
    sim.report({ type: "run-unpaused" });
    sim.decide();
    expect([at(sim, 0), at(sim, 1), at(sim, 3)]).toEqual(["at work", "db is held by T-1", "ready; the only slot is busy"]);
    sim.report({ type: "gate-requested", ticket: T4, step: "x" });
    expect(at(sim, 3)).toBe("the human gate is being recorded");
    sim.report({ type: "ticket-gated", ticket: T4, step: "x" });
    expect(at(sim, 3)).toBe("settled");
    sim.report({ type: "stop-requested", by: "person" });
    expect(at(sim, 1)).toBe("the run is stopping");
  });

  test("dependencies that a person or nobody will finish are named as such, and long lists are cut", () => {
    const deps = Array.from({ length: 6 }, (_, i) => ticketOf(`D-${i}`));
    const sim = new Simulation(batchOf([...deps, ticketOf("T-1", { dependsOn: deps.map((d) => d.id) })], { workers: 4 }));
    expect(at(sim, 6)).toBe("waits for D-0, D-1, D-2, D-3 and 2 more");
    const four = deps.slice(0, 4);
    const whole = new Simulation(batchOf([...four, ticketOf("T-1", { dependsOn: four.map((d) => d.id) })]));
    expect(at(whole, 4)).toBe("waits for D-0, D-1, D-2, D-3");
    sim.report({ type: "ticket-stalled", ticket: id("D-1"), reason: "" });
    expect(at(sim, 6)).toBe("waits for D-1, which is stalled");
    sim.report({ type: "ticket-gated", ticket: id("D-2"), step: "" });
    expect(at(sim, 6)).toBe("waits for D-2, which a person must finish");
    sim.decide();
    expect(whyNot(sim.state, 6)).toEqual({
      kind: "depends",
      on: deps.map((d) => d.id),
      gated: [id("D-2")],
      stalled: [id("D-1")],
      landed: [],
    } satisfies Reason);
    sim.endAttempt(id("D-0"), "done");
    expect(whyNot(sim.state, 6)).toMatchObject({ on: ["D-1", "D-2", "D-3", "D-4", "D-5"] });
  });

  test("money and slots", () => {
    const batch = {
      ...batchOf([ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")], { usdPerRun: 3, workers: 2 }),
      agent: { kind: "command" as const, command: ["x"], usdPerAttempt: 2 },
    };
    const sim = new Simulation(batch);
    sim.decide();
    expect(at(sim, 1)).toBe("one more attempt could exceed limits.usdPerRun ($3)");
    const free = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")], { workers: 2 }));
    free.decide();
    expect(at(free, 2)).toBe("ready; all 2 slots are busy");
  });
});

describe("a free slot that a ready ticket does not get", () => {
  test("is said in words, for one and for several", () => {
    expect(describeReason({ kind: "finishing", tickets: 1 })).toBe("ready; 1 ticket is being finished first");
    expect(describeReason({ kind: "finishing", tickets: 2 })).toBe("ready; 2 tickets are being finished first");
    expect(describeReason({ kind: "reserved", by: T4 })).toBe("ready; the free slot is reserved for T-4");
  });

  test("because enough is under way: the tickets that are being finished are counted, and it is not called busy", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")], { workers: 1 }));
    sim.decide();
    sim.endAgent(T1);
    expect(whyNot(sim.state, 2)).toEqual({ kind: "ready" });
    sim.decide();
    expect(whyNot(sim.state, 2)).toEqual({ kind: "slots", slots: 1 });
    sim.endAgent(id("T-2"));
    expect(whyNot(sim.state, 2)).toEqual({ kind: "finishing", tickets: 2 });
    sim.report({ type: "run-paused" });
    expect(whyNot(sim.state, 2)).toEqual({ kind: "paused" });
  });

  test("because it is kept: for the one with the longest path of several", () => {
    const [T5, T6] = [id("T-5"), id("T-6")];
    const after = (...ids: TicketId[]) => ({ dependsOn: ids });
    const tickets = [
      ticketOf("T-1"),
      ticketOf("T-4", after(T1)),
      ticketOf("T-5", after(T1)),
      ticketOf("T-6", after(T5)),
      ticketOf("T-7", after(T6)),
    ];
    const sim = new Simulation(batchOf([...tickets, ticketOf("T-8", after(T4)), ticketOf("T-2")], { workers: 1 }));
    sim.decide();
    sim.pass(1_000);
    sim.endAgent(T1);
    expect(whyNot(sim.state, 6)).toEqual({ kind: "reserved", by: T5 });
    expect(whyNot(sim.state, 1)).toMatchObject({ kind: "depends" });
  });
});

describe("what is left", () => {
  test("names every open ticket and what it waits for", () => {
    expect(whatIsLeft(mixed().state)).toBe(
      "2 of 4 tickets are open: T-3 stalled (broken · 1 attempt failed); T-4 waits for T-3, which is stalled",
    );
  });

  test("of many it names five", () => {
    const sim = new Simulation(
      batchOf(
        Array.from({ length: 7 }, (_, i) => ticketOf(`T-${i}`)),
        { workers: 9 },
      ),
    );
    expect(whatIsLeft(sim.state)).toBe(
      "7 of 7 tickets are open: T-0 ready; T-1 ready; T-2 ready; T-3 ready; T-4 ready; and 2 more",
    );
    const five = new Simulation(batchOf(Array.from({ length: 5 }, (_, i) => ticketOf(`T-${i}`))));
    expect(whatIsLeft(five.state)).not.toContain("more");
  });

  test("where all is settled here and the tracker disagrees, it says so", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    attempt(sim, T1, "done");
    const words = "every ticket is settled here, but the oracle has not said done: ";
    expect(whatIsLeft(sim.state)).toBe(`${words}it has named none`);
    const judgement = {
      ...honestJudgement(sim.state),
      verdict: "not-done" as const,
      open: Array.from({ length: 9 }, (_, i) => id(`X-${i}`)),
    };
    sim.report({ type: "oracle-judged", final: true, judgement });
    expect(whatIsLeft(sim.state)).toBe(`${words}X-0, X-1, X-2, X-3, X-4 open`);
  });
});
