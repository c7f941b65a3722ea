import fc from "fast-check";
import { expect, test } from "vitest";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { graphLayout } from "../../../src/store/views/graph-layout.ts";
import { type GraphStep, walkGraph } from "../../../src/store/views/graph-walk.ts";
import { anyPlan, planWith } from "./plans.ts";

const plan = planWith({ A: [], B: [], C: [], X: ["A"], Y: ["C"], Z: ["Y"] });

function walk(from: string | undefined, ...steps: readonly GraphStep[]): string | undefined {
  return steps.reduce<string | undefined>((at, step) => walkGraph(plan, at as TicketId | undefined, step), from);
}

test("begins at the top of the first layer", () => {
  expect(walk(undefined, "down")).toBe("A");
  expect(walkGraph(planWith({}), undefined, "down")).toBeUndefined();
});

test("walks within a layer and stops at its ends", () => {
  expect(walk("A", "down")).toBe("B");
  expect(walk("A", "down", "down", "down", "down")).toBe("C");
  expect(walk("A", "up")).toBe("A");
  expect(walkGraph(plan, "A" as TicketId, "down", 10)).toBe("C");
});

test("goes to what hangs together, and else to the nearest of the next layer; at the ends it stays", () => {
  expect(walk("C", "right")).toBe("Y");
  expect(walk("C", "right", "right")).toBe("Z");
  expect(walk("Z", "right")).toBe("Z");
  expect(walk("Z", "left")).toBe("Y");
  expect(walk("Y", "left")).toBe("C");
  expect(walk("B", "right")).toMatch(/^[XY]$/);
  expect(walk("A", "left")).toBe("A");
});

test("every ticket of any plan can be reached", () => {
  fc.assert(
    fc.property(anyPlan(25), (any) => {
      const first = walkGraph(any, undefined, "down");
      const seen = new Set(first === undefined ? [] : [first]);
      for (const at of seen) {
        for (const step of ["up", "down", "left", "right"] as const) {
          const to = walkGraph(any, at, step);
          if (to !== undefined) seen.add(to);
        }
      }
      expect(seen.size).toBe(graphLayout(any).layers.flat().length);
    }),
  );
});
