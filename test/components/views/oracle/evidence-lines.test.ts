import { describe, expect, test } from "vitest";
import { spansWidth } from "../../../../components/kit/spans.tsx";
import { panelLines } from "../../../../components/views/oracle/evidence-lines.ts";
import { TicketId } from "../../../../src/domain/values/ids.ts";
import type { OracleComparison } from "../../../../src/store/oracle-comparison.ts";
import { plumbing } from "../../../store/scenes.ts";

const said = (id: string, is: OracleComparison["is"], state?: NonNullable<OracleComparison["said"]>): OracleComparison => ({
  id: TicketId.parse(id),
  is,
  believed: "open",
  phase: "waiting",
  ...(state === undefined ? {} : { said: state }),
});
const texts = (all: readonly OracleComparison[], width = 60) =>
  panelLines(all, plumbing().state, width).map((line) =>
    line
      .map(({ text }) => text)
      .join("")
      .trimEnd(),
  );

describe("the oracle's panel", () => {
  test("lists tickets by what the oracle said, the disagreements first, and heals last", () => {
    const all = [
      said("T-1", "agreed", "done"),
      said("T-2", "moved", "open"),
      said("T-3", "differs", "done"),
      said("T-4", "unknown"),
      said("T-5", "agreed", "human-gated"),
      said("T-6", "agreed", "open"),
    ];
    expect(texts(all)).toEqual([
      " ≠ DIFFERS    1  T-3",
      " □ open       2  T-2 T-6",
      " ? unknown    1  T-4",
      " ! gated      1  T-5",
      " ✔ done       1  T-1",
      " ✚ heals      0 of 2 · 0 accepted · 2 left",
    ]);
    expect(panelLines(all, plumbing().state, 60)[0]?.[0]).toMatchObject({ tone: "bad", bold: true });
  });

  test("counts the tickets that do not fit, and is never wider than its place", () => {
    const all = Array.from({ length: 40 }, (_, i) => said(`T-${i + 1}`, "agreed", "open"));
    expect(texts(all, 40)[0]).toBe(" □ open      40  T-1 T-2 T-3 +37 more");
    for (const width of [24, 40, 61, 300])
      for (const line of panelLines(all, plumbing().state, width).slice(0, -1))
        expect(spansWidth(line)).toBeLessThanOrEqual(width);
  });
});
