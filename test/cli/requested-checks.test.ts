import { describe, expect, test } from "vitest";
import { RequestedChecks, type RequestedResult } from "../../src/cli/requested-checks.ts";
import type { RunState } from "../../src/domain/run/state.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { landNotLive } from "../domain/play-live.ts";
import { batchOf, Simulation, ticketOf } from "../domain/simulate.ts";

const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];
const MINE = "mine";

/** A run of three tickets of which the first two have landed and are not live, and what a command of mine has come to. */
function aRun({ only }: { only?: TicketId } = {}) {
  const checks = new RequestedChecks({ request: MINE, only });
  const states: RunState[] = [];
  const sim = new Simulation(
    { ...batchOf([ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")]), live: { repeats: 5, everySeconds: 300 } },
    (state) => states.push(state),
  );
  sim.decide();
  landNotLive(sim, T1);
  landNotLive(sim, T2);
  let seen = sim.events.length;
  const results = (): readonly RequestedResult[] => {
    const from = seen;
    seen = sim.events.length;
    return sim.events.slice(from).flatMap((event) => {
      const after = states.find(({ seq }) => seq === event.seq);
      return checks.take(event, after as RunState) ?? [];
    });
  };
  const end = (ticket: TicketId, ok: boolean) =>
    sim.report({ type: "live-check-ended", ticket, ok, summary: "it says so", detail: "" });
  return { sim, checks, results, end };
}

describe("the live checks of a command", () => {
  test("are all that it started; the result is known when the last of them is over", () => {
    const { sim, results, end, checks } = aRun();
    sim.command({ type: "verify", request: MINE });
    expect(results()).toEqual([]);
    expect(checks.open).toEqual([T1, T2]);
    end(T1, true);
    expect(results()).toEqual([]);
    end(T2, false);
    expect(results()).toEqual([{ live: false }]);
  });

  test("include a check that was under way: it is waited for, and a failure of it counts", () => {
    const { sim, results, end } = aRun();
    sim.report({ type: "live-check-started", ticket: T2, why: "due" });
    results();
    sim.command({ type: "verify", request: MINE });
    end(T1, true);
    expect(results()).toEqual([]);
    end(T2, false);
    expect(results()).toEqual([{ live: false }]);
  });

  test("are those under way, if the engine refuses because all of them are", () => {
    const { sim, results, end } = aRun();
    sim.command({ type: "verify" });
    results();
    sim.command({ type: "verify", request: MINE });
    expect(results()).toEqual([]);
    end(T1, true);
    end(T2, true);
    expect(results()).toEqual([{ live: true }]);
  });

  test("are not those that another command started and that ended before", () => {
    const { sim, results, end } = aRun({ only: T1 });
    sim.command({ type: "verify", ticket: T1, request: "another's" });
    end(T1, false);
    expect(results()).toEqual([]);
    sim.command({ type: "verify", ticket: T1, request: MINE });
    end(T1, true);
    expect(results()).toEqual([{ live: true }]);
  });

  test("are none of another ticket, if the command names one", () => {
    const { sim, results, end } = aRun({ only: T1 });
    sim.report({ type: "live-check-started", ticket: T2, why: "due" });
    sim.command({ type: "verify", ticket: T1, request: MINE });
    end(T2, false);
    expect(results()).toEqual([]);
    end(T1, true);
    expect(results()).toEqual([{ live: true }]);
  });

  test("have not passed, if one could not be finished", () => {
    const { sim, results } = aRun({ only: T1 });
    sim.command({ type: "verify", ticket: T1, request: MINE });
    const said = { ticket: T1, ok: false, summary: "the tracker is away", detail: "" } as const;
    sim.report({ type: "live-check-ended", ...said, problem: "inconclusive" });
    expect(results()).toEqual([{ live: false }]);
  });

  test("are none at all, if nothing has landed: the reason is given; another's refusal is not", () => {
    const { sim, results } = aRun({ only: T3 });
    sim.command({ type: "verify", ticket: T3 });
    expect(results()).toEqual([]);
    sim.command({ type: "verify", ticket: T3, request: MINE });
    expect(results()).toMatchObject([{ refused: expect.stringContaining("T-3 has not landed") }]);
  });
});
