import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/domain/run/state.ts";
import { criticalPath, growGraph } from "../../../src/store/views/graph-tree.ts";
import { anyPlan, planWith } from "./plans.ts";

const DIAMOND = planWith({ A: [], B: ["A"], C: ["A"], D: ["B", "C"], E: [], F: ["A", "D"] });
const name = (plan: Plan, index: number | undefined): string => (index === undefined ? "" : (plan.tickets[index]?.id ?? "?"));

/** The rows as text: the layer, the ticket, and its other dependencies. */
function rows(plan: Plan, ...leftOut: readonly string[]): readonly string[] {
  const hidden = new Set(leftOut.flatMap((id) => plan.tickets.findIndex((ticket) => ticket.id === id)));
  return growGraph(plan, hidden).map(({ index, branch, others }) =>
    [branch.length, name(plan, index), ...others.map((other) => name(plan, other))].join(" "),
  );
}

describe("the rows of a graph", () => {
  test("have each ticket below the dependency that comes last, with its other ones beside it", () => {
    expect(rows(DIAMOND)).toEqual(["0 A", "1 B", "2 D C", "3 F A", "1 C", "0 E"]);
  });

  test("close up where tickets are left out", () => {
    expect(rows(DIAMOND, "A", "B")).toEqual(["0 C", "1 D", "2 F", "0 E"]);
    expect(rows(planWith({}))).toEqual([]);
  });

  test("of any plan: each ticket once, behind all that it waits for, and as deep as the longest way to it", () => {
    fc.assert(
      fc.property(anyPlan(40), (plan) => {
        const grown = growGraph(plan);
        const layer = new Map(grown.map(({ index, branch }) => [index, branch.length]));
        expect(grown.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(plan.tickets.map((_, i) => i));
        for (const { index, above, others, branch } of grown) {
          const deps = [...new Set(plan.tickets[index]?.dependsOn.map((id) => plan.index[id] ?? -1))];
          expect([...(above === undefined ? [] : [above]), ...others].toSorted()).toEqual(deps.toSorted());
          expect(branch.length).toBe(Math.max(-1, ...deps.map((dep) => layer.get(dep) ?? 0)) + 1);
        }
      }),
    );
  });

  test("of any plan: a branch says of each layer whether more follows there", () => {
    fc.assert(
      fc.property(anyPlan(40), (plan) => {
        const grown = growGraph(plan);
        grown.forEach(({ branch }, i) => {
          branch.forEach((isLast, at) => {
            const rest = grown.slice(i + 1).map((row) => row.branch.length);
            const end = rest.findIndex((layers) => layers <= at);
            const follows = (end < 0 ? rest : rest.slice(0, end)).includes(at + 1);
            expect(isLast).toBe(!follows);
          });
        });
      }),
    );
  });
});

describe("the longest way ahead", () => {
  const plan = planWith(
    { A: [], B: ["A"], C: ["A"], D: ["C"], E: [] },
    { A: 60_000, B: 500_000, C: 10_000, D: 10_000, E: 1_000 },
  );
  const path = (...over: readonly string[]): string =>
    criticalPath(plan, (index) => over.includes(name(plan, index)))
      .map((index) => name(plan, index))
      .join(" ");

  test("leads along the most work, without what is over", () => {
    expect(path()).toBe("A B");
    expect(path("A", "B")).toBe("C D");
    expect(path("A", "B", "C", "D", "E")).toBe("");
  });
});
