import { describe, expect, test } from "vitest";
import { admitCommand } from "../../../src/domain/run/admit.ts";
import { buildFrozenSet, changedPart } from "../../../src/domain/run/frozen-set.ts";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { headline } from "../../../src/store/labels/run-label.ts";
import { renderSummaryText } from "../../../src/store/results/summary.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");

/** A run whose oracle is not proven yet. */
function unproven(tickets = [ticketOf("T-1"), ticketOf("T-2")]): Simulation {
  return new Simulation(batchOf(tickets), undefined, undefined, "unproven");
}
const words = (sim: Simulation) => sim.decide().map((action) => action.do);
const fires = { type: "tripwire-ended", ok: false, problem: "one open was judged done", canaries: 3, ms: 5 } as const;

describe("before the oracle is proven", () => {
  test("the proof is asked for once, beside the first workers and after them", () => {
    const sim = unproven();
    expect(words(sim)).toEqual(["start", "start", "tripwire"]);
    expect(sim.state.tripwire).toEqual({ status: "running", canaries: 0, ms: 0 });
    expect(words(sim)).toEqual([]);
  });

  test("no verdict is asked for, neither on the way nor at the end; with the proof both are", () => {
    const sim = unproven();
    sim.decide();
    expect(sim.state.oracle).toMatchObject({ asking: false, judged: 0 });
    for (const id of ["T-1", "T-2"]) sim.endAttempt(TicketId.parse(id), "done");
    expect(words(sim)).toEqual(["reverify"]);
    sim.report({ type: "reverify-ended", reopened: 0 });
    for (let again = 0; again < 3; again += 1) {
      sim.pass(60_000);
      expect(words(sim)).toEqual([]);
    }
    sim.report({ type: "tripwire-ended", ok: true, canaries: 25, ms: 900 });
    expect(sim.state.tripwire).toEqual({ status: "passed", canaries: 25, ms: 900 });
    expect(sim.decide()).toEqual([{ do: "judge", final: true }]);
  });

  test("a verdict that came all the same does not end the run", () => {
    const sim = unproven();
    sim.decide();
    for (const id of ["T-1", "T-2"]) sim.endAttempt(TicketId.parse(id), "done");
    sim.decide();
    sim.report({ type: "reverify-ended", reopened: 0 });
    sim.report({ type: "oracle-asked", final: true });
    sim.report({ type: "oracle-judged", final: true, judgement: honestJudgement(sim.state) });
    expect(sim.state.oracle.last?.verdict).toBe("done");
    expect(words(sim)).toEqual([]);
  });

  test("a person who asks for a verdict is told to wait", () => {
    const sim = unproven();
    const refused = [
      { type: "command-refused", command: { type: "judge" }, reason: expect.stringContaining("tripwire") as string },
    ];
    expect(admitCommand(sim.state, { type: "judge" })).toEqual(refused);
    sim.prove();
    expect(admitCommand(sim.state, { type: "judge" })).toEqual([{ type: "oracle-asked", final: false }]);
  });

  test("also where all is settled already, and where the run is paused, the proof is asked for", () => {
    const sim = unproven();
    sim.report({ type: "run-paused" });
    expect(words(sim)).toEqual(["tripwire"]);
    const { state } = unproven();
    const settled = { ...state, counts: { ...state.counts, done: 2, waiting: 0 }, ready: [] };
    expect(decide(settled, 5_000)).toEqual([{ do: "tripwire" }, { do: "reverify" }]);
  });

  test("each engine proves it again: what an earlier one proved is no proof", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    expect(sim.state.tripwire.status).toBe("passed");
    sim.report({ type: "run-resumed", orphansKilled: 0 });
    expect(sim.state.tripwire).toEqual({ status: "due", canaries: 0, ms: 0 });
    expect(words(sim)).toContain("tripwire");
  });
});

describe("a tripwire that fires", () => {
  test("stops the workers, and ends the run as unjudged with exit 3 once they are gone", () => {
    const sim = unproven();
    sim.decide();
    sim.report(fires);
    expect(sim.state.stage).toBe("stopping");
    expect(sim.decide()).toMatchObject([
      { do: "abort", ticket: "T-1", ending: "stopped" },
      { do: "abort", ticket: "T-2", ending: "stopped" },
    ]);
    for (const id of ["T-1", "T-2"]) sim.endAttempt(TicketId.parse(id), "stopped");
    const reason = "the tripwire fired: one open was judged done";
    expect(sim.decide()).toEqual([{ do: "end", kind: "tripwire", verdict: "unjudged", exitCode: 3, reason }]);
    expect(headline(sim.state)).toBe("✖ TRIPWIRE: the oracle failed its test; no verdict counts");
    expect(renderSummaryText(sim.state)).toContain(reason);
  });

  test("ends it so whoever else asked for a stop, before or after", () => {
    for (const order of [0, 1]) {
      const sim = unproven([ticketOf("T-1")]);
      sim.decide();
      const facts = [fires, { type: "stop-requested", by: "person" }] as const;
      for (const fact of order === 0 ? facts : facts.toReversed()) sim.report(fact);
      sim.endAttempt(T1, "stopped");
      expect(sim.decide()).toMatchObject([{ do: "end", kind: "tripwire", exitCode: 3 }]);
    }
  });

  test("while the world is re-verified, outlasts it", () => {
    const sim = unproven([ticketOf("T-1")]);
    sim.decide();
    sim.endAttempt(T1, "done");
    expect(words(sim)).toEqual(["reverify"]);
    sim.report(fires);
    sim.report({ type: "reverify-ended", reopened: 0 });
    expect(sim.decide()).toMatchObject([{ do: "end", kind: "tripwire" }]);
  });
});

describe("the frozen set", () => {
  const of = { batch: batchOf([ticketOf("T-1")]), oracleSha: "o", batchSha: "b", tripwireSha: "t" };
  const now = buildFrozenSet(of);

  test("is the same after it went through the journal, and names what changed", () => {
    const again = { ...of, batch: JSON.parse(JSON.stringify(of.batch)) };
    expect(changedPart(now, buildFrozenSet(again))).toBeUndefined();
    const { batch } = of;
    const changed = (over: object, rest: object = {}) =>
      changedPart(now, buildFrozenSet({ ...of, batch: { ...batch, ...over }, ...rest }));
    expect(changed({}, { oracleSha: "x" })).toBe("oracle");
    expect(changed({ oracle: { command: ["x"], reads: "tracker" } })).toBe("oracle");
    expect(changed({ limits: { ...batch.limits, attempts: 20 } })).toBe("limits");
    expect(changed({ limits: { ...batch.limits, usdPerRun: 51 } })).toBe("limits");
    expect(changed({ protect: ["**"] })).toBe("guard");
    expect(changed({ sandbox: "auto" })).toBe("sandbox");
    expect(changed({ sandboxPolicy: { read: ["/"] } })).toBe("sandbox");
    expect(changed({ tickets: [] })).toBe("batch");
    expect(changed({ tickets: [ticketOf("T-1", { finish: [{ step: "assert" }] })] })).toBe("batch");
    expect(changed({}, { batchSha: "x" })).toBe("batch");
    expect(changed({}, { tripwireSha: "x" })).toBe("tripwire");
  });
});
