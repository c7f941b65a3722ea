import { expect, test } from "vitest";
import { describeMeasured } from "../../../src/domain/run/base-measure.ts";
import { basesToMeasure, isRedOnBase } from "../../../src/domain/run/reduce-base-measure.ts";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { describeReason, whyNot } from "../../../src/domain/schedule/why-not.ts";
import { RepoId } from "../../../src/domain/values/ids.ts";
import { lastingWork, provingLabels } from "../../../src/store/labels/progress-label.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const APP = RepoId.parse("app");
const CHECK = { step: "check", name: "tests", command: ["npm", "test"] } as const;
const LINE = [CHECK, { step: "merge" }, { step: "assert" }] as const;
const OWN = [{ ...CHECK, name: "own", command: ["true"] }, { step: "merge" }, { step: "assert" }] as const;

/** A run whose base is due to be measured. */
function due(tickets = [ticketOf("T-1", { finish: LINE }), ticketOf("T-2", { finish: LINE })]): Simulation {
  const sim = new Simulation({ ...batchOf(tickets), finish: LINE });
  sim.report({ type: "base-measure-due", repos: basesToMeasure(sim.state) });
  return sim;
}
const actions = (sim: Simulation) => decide(sim.state, sim.now).map((action) => action.do);
const measured = (sim: Simulation, as: "passed" | "red" | "cannot-run") => {
  sim.report({ type: "base-measure-started", repo: APP });
  sim.report({ type: "base-measured", repo: APP, sha: "aa", checks: [{ check: "tests", as, says: "gone" }] });
};

test("the usual checks of a repository are measured, not those of one ticket alone, nor of settled tickets", () => {
  expect(basesToMeasure(due().state)).toEqual([APP]);
  expect(basesToMeasure(due([ticketOf("T-1", { finish: OWN })]).state)).toEqual([]);
});

test("no agent starts before its base is measured, and the wait says so", () => {
  const sim = due();
  expect(actions(sim)).toContain("measure-base");
  expect(actions(sim)).not.toContain("start");
  sim.report({ type: "base-measure-started", repo: APP });
  sim.report({ type: "base-measure-started", repo: APP, check: "tests", expectedMs: 42_000 });
  expect(actions(sim)).not.toContain("measure-base");
  expect(describeReason(whyNot(sim.state, 0))).toBe("ready; the base of app is measured first: check tests");
  expect(provingLabels(sim.state, sim.now + 12_000)?.[0]).toBe("measuring app: check tests 0:12 of about 0:42");
  expect(lastingWork(sim.state, sim.now + 12_000)).toBe("measuring app: check tests 0:12 of about 0:42");
  sim.report({ type: "base-measured", repo: APP, sha: "aa", checks: [{ check: "tests", as: "red" }] });
  expect(actions(sim)).toContain("start");
  expect(isRedOnBase(sim.state, APP, "tests")).toBe(true);
});

test("a base whose check cannot run keeps agents away until it moves on, and is measured again then", () => {
  const sim = due();
  measured(sim, "cannot-run");
  expect(actions(sim)).not.toContain("start");
  expect(actions(sim)).not.toContain("measure-base");
  expect(describeReason(whyNot(sim.state, 0))).toBe("the check tests cannot run on the base of app: gone");
  sim.report({ type: "fingerprints-recorded", fingerprints: [{ key: "base:app", value: "bb" }] });
  expect(actions(sim)).toContain("measure-base");
  measured(sim, "passed");
  expect(actions(sim)).toContain("start");
});

test.each(["red", "cannot-run"] as const)(
  "the next engine measures a base again that was %s, and goes on with one that passed",
  (as) => {
    for (const [result, again] of [
      [as, true],
      ["passed", false],
    ] as const) {
      const sim = due();
      measured(sim, result);
      sim.report({ type: "run-resumed", orphansKilled: 0 });
      sim.prove();
      expect(actions(sim).includes("measure-base")).toBe(again);
    }
    const sim = due();
    sim.report({ type: "base-measure-started", repo: APP });
    sim.report({ type: "run-resumed", orphansKilled: 0 });
    expect(actions(sim)).toContain("measure-base");
  },
);

test("what is compared is said, and what is not", () => {
  expect(describeMeasured({ check: "t", as: "red", tests: 12, failing: 3 })).toBe(
    "check t compares 12 tests, 3 of them fail already and do not count",
  );
  expect(describeMeasured({ check: "t", as: "passed" })).toBe("check t passes, by exit code only: tests not compared");
});
