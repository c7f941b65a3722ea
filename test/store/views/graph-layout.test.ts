import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/domain/run/state.ts";
import { layOutGraph } from "../../../src/store/views/graph-layers.ts";
import { criticalPath, graphLayout, MOST_DRAWN } from "../../../src/store/views/graph-layout.ts";
import type { GraphLine } from "../../../src/store/views/graph-lines.ts";
import { anyPlan, bigPlan, planWith } from "./plans.ts";

const DIAMOND = planWith({ A: [], B: ["A"], C: ["A"], D: ["B", "C"], E: [], F: ["A", "D"] });

function ids(plan: Plan, indexes: readonly number[]): string {
  return indexes.map((i) => plan.tickets[i]?.id ?? "?").join(" ");
}

describe("layers", () => {
  test("a ticket stands one layer after the last of those that it waits for", () => {
    expect(layOutGraph(DIAMOND).layers.map((layer) => ids(DIAMOND, layer).split(" ").toSorted())).toEqual([
      ["A", "E"],
      ["B", "C"],
      ["D"],
      ["F"],
    ]);
  });

  test("of any plan: each ticket once, each behind all that it waits for, and no layer further than that", () => {
    fc.assert(
      fc.property(anyPlan(40), (plan) => {
        const { layers, layerOf, deps } = layOutGraph(plan);
        expect(layers.flat().toSorted((a, b) => a - b)).toEqual(plan.tickets.map((_, i) => i));
        layerOf.forEach((layer, i) => {
          expect(layers[layer]).toContain(i);
          expect(layer).toBe(Math.max(-1, ...(deps[i] ?? []).map((dep) => layerOf[dep] ?? 0)) + 1);
        });
      }),
    );
  });

  test("tickets stand near those that they hang together with, so that lines need not cross", () => {
    const plan = planWith({ A: [], B: [], C: [], X: ["C"], Y: ["B"], Z: ["A"] });
    const [first = [], second = []] = layOutGraph(plan).layers;
    const order = ids(plan, first).split(" ");
    expect(ids(plan, second)).toBe(order.map((id) => ({ A: "Z", B: "Y", C: "X" })[id]).join(" "));
  });
});

describe("rows and lines", () => {
  test("of any plan: no two cells of a layer share a row, and none stands beyond the rows there are", () => {
    fc.assert(
      fc.property(anyPlan(40), (plan) => {
        const { layers, rowOf, rows, cells } = graphLayout(plan);
        layers.forEach((layer, l) => {
          expect(cells[l]?.size).toBe(layer.length);
          for (const i of layer) expect(rowOf[i]).toBeLessThan(rows);
        });
      }),
    );
  });

  test("of any plan: the lines lead wherever a ticket waits, and nowhere else; what is left out is counted", () => {
    fc.assert(
      fc.property(anyPlan(30), (plan) => {
        const { lines, deps } = graphLayout(plan);
        if (lines === undefined) return;
        const next = new Map<number, number[]>();
        for (const { from, to } of lines.lines) next.set(from, [...(next.get(from) ?? []), to]);
        for (const { from, to } of lines.lines) expect(deps[to]).toContain(from);
        if (lines.leftOut > 0) return;
        const reaches = (from: number, to: number): boolean => (next.get(from) ?? []).some((n) => n === to || reaches(n, to));
        deps.forEach((own, to) => {
          for (const from of own) expect(reaches(from, to), `${from} to ${to}`).toBe(true);
        });
      }),
    );
  });

  test("of any plan: no two lines of different tickets lie on each other", () => {
    fc.assert(
      fc.property(anyPlan(30), (plan) => {
        const { lines, layerOf } = graphLayout(plan);
        if (lines === undefined) return;
        const upright = new Map<string, number>();
        const leaving = new Map<string, { readonly from: number; readonly track: number }>();
        each(lines.lines, layerOf, ({ line, gap, row, next, track }) => {
          if (track === undefined) return;
          expect(track).toBeLessThan(lines.tracks[gap] ?? 0);
          for (let r = Math.min(row, next); r <= Math.max(row, next); r++) {
            const key = `${gap} ${track} ${r}`;
            expect(upright.get(key) ?? line.from).toBe(line.from);
            upright.set(key, line.from);
          }
          leaving.set(`${gap} ${row}`, { from: line.from, track });
        });
        each(lines.lines, layerOf, ({ line, gap, next, track }) => {
          const out = leaving.get(`${gap} ${next}`);
          if (track === undefined || out === undefined || out.from === line.from) return;
          expect(track, "who turns into a row does so behind who turns off from it").toBeGreaterThan(out.track);
        });
      }),
    );
  });

  test("a wait that follows from others has no line of its own", () => {
    const named = (graphLayout(DIAMOND).lines?.lines ?? []).map(({ from, to }) => ids(DIAMOND, [from, to]));
    expect(named.toSorted()).toEqual(["A B", "A C", "B D", "C D", "D F"]);
  });

  /** Every one of so many tickets is waited for by every one of as many others. */
  function tangle(value: number): Plan {
    const firsts = Array.from({ length: value }, (_, i) => `A-${i}`);
    return planWith(Object.fromEntries([...firsts.map((id) => [id, []]), ...firsts.map((_, i) => [`B-${i}`, firsts])]));
  }

  test("where lines would run into each other, layers stand in rows of their own", () => {
    const { lines, rows } = graphLayout(tangle(4));
    expect(lines).toMatchObject({ leftOut: 0 });
    expect(lines?.lines).toHaveLength(16);
    expect(rows).toBe(8);
  });

  test("a line without a track is left out and counted; where that is many, none is drawn", () => {
    const { lines } = graphLayout(tangle(9));
    expect([lines?.lines.length, lines?.leftOut]).toEqual([72, 9]);
    expect(graphLayout(tangle(12)).lines).toBeUndefined();
  });

  test("beyond so many tickets there are no lines, and every row is used from the top", () => {
    const plan = bigPlan(MOST_DRAWN + 1, 300);
    const layout = graphLayout(plan);
    expect(layout.lines).toBeUndefined();
    for (const layer of layout.layers) expect(layer.map((i) => layout.rowOf[i])).toEqual(layer.map((_, at) => at));
    expect(graphLayout(bigPlan(MOST_DRAWN, 130)).lines).toBeDefined();
  });

  test("one plan is laid out once", () => {
    expect(graphLayout(DIAMOND)).toBe(graphLayout(DIAMOND));
  });

  test("500 tickets and 2,000 waits are laid out whole", () => {
    const plan = bigPlan(500, 2_000);
    const { layers, rows } = graphLayout(plan);
    expect(layers.flat()).toHaveLength(500);
    expect(rows).toBe(Math.max(...layers.map((layer) => layer.length)));
  });
});

describe("the longest way ahead", () => {
  const minutes = { A: 60_000, B: 60_000, C: 600_000, D: 60_000, E: 300_000, F: 60_000 };
  const plan = planWith({ A: [], B: ["A"], C: ["A"], D: ["B", "C"], E: [], F: ["A", "D"] }, minutes);

  test("leads through what takes longest", () => {
    expect(
      ids(
        plan,
        criticalPath(plan, () => false),
      ),
    ).toBe("A C D F");
  });

  test("begins with what is not over, and passes over what is", () => {
    const over = new Set(["A", "C"].map((id) => plan.index[id]));
    expect(
      ids(
        plan,
        criticalPath(plan, (i) => over.has(i)),
      ),
    ).toBe("E");
    expect(criticalPath(plan, () => true)).toEqual([]);
  });
});

interface Passing {
  readonly line: GraphLine;
  readonly gap: number;
  readonly row: number;
  readonly next: number;
  readonly track: number | undefined;
}

function each(lines: readonly GraphLine[], layerOf: readonly number[], see: (passing: Passing) => void): void {
  for (const line of lines) {
    line.tracks.forEach((track, step) => {
      const gap = (layerOf[line.from] ?? 0) + step;
      see({ line, gap, row: line.rows[step] ?? 0, next: line.rows[step + 1] ?? 0, track });
    });
  }
}
