import { expect, test } from "vitest";
import { ganttLines } from "../../../../components/views/summary/summary-lines.ts";
import { batchOf, RunBuilder } from "../../../store/run-builder.ts";

test("a bar ends when the slot is left: who comes next begins there, however long the finish line takes", () => {
  const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }, { id: "B" }], limits: { workers: 1 } }));
  run.working("A").wait(50).claims("A").working("B").wait(30).claims("B").wait(20).ships("A", 0).fails("B");
  const [slot] = ganttLines(run.state, 106).map((line) => line.map((span) => span.text).join(""));
  const [, a, b] = /^ {2}1 {2}(┣A━+)(┋B┅+)$/.exec(slot ?? "") ?? [];
  const perSecond = 99 / ((run.now - run.state.startedAt) / 1000);
  expect(a?.length).toBe(Math.round(50 * perSecond));
  expect(b?.length).toBe(Math.round(80 * perSecond) - Math.round(50 * perSecond));
});
