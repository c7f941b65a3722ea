import { expect, test } from "vitest";
import { TicketId } from "../../src/domain/values/ids.ts";
import { batchOf, RunBuilder } from "../store/run-builder.ts";
import { SIZES, shot } from "./shot.ts";

/** T-1 is worked on, and all others are stalled. */
function stalled(many: number): RunBuilder {
  const tickets = Array.from({ length: many }, (_, i) => ({ id: `T-${i + 1}`, title: `part ${i + 1}` }));
  const run = new RunBuilder(batchOf({ tickets, limits: { workers: 1 } })).working("T-1", "reads");
  for (const { id } of tickets.slice(1))
    run.play({ type: "ticket-stalled", ticket: TicketId.parse(id), reason: "3 of 3 attempts failed", by: "attempts" });
  return run;
}

test.each(SIZES)("a mark stands in the first column, and moves no other, at %i×%i", async (columns, rows) => {
  const [before, after] = [
    await shot(stalled(4), [columns, rows], [["jjjj", "▌▶ T-1"]]),
    await shot(
      stalled(4),
      [columns, rows],
      [
        ["jjjj", "▌▶ T-1"],
        ["m", "+▶ T-1"],
        ["*", "+! T-2"],
      ],
    ),
  ];
  const rowsOf = (screen: string) => screen.split("\n").filter((line) => /^(.*│)?.\S T-\d/.test(line));
  expect(rowsOf(after).length).toBeGreaterThan(1);
  expect(rowsOf(after)).toEqual(rowsOf(before).map((line) => line.replace(/[▌ ](\S T-\d)/gu, "+$1")));
  expect(after).toContain("x kill 4");
});

test.each(SIZES)("the question says how many and which tickets it means at %i×%i", async (columns, rows) => {
  const screen = await shot(stalled(40), [columns, rows], [["R", "Retry 39 tickets?"]]);
  expect(screen).toContain("T-2, T-3, T-4, T-5, T-6, T-7, T-8, T-9, T-10, T-11,");
  expect(screen).toContain("T-12, T-13 and 27");
  expect(screen).toContain("y retry");
});

test("the question before a gate of several has one step for all", async () => {
  const screen = await shot(
    stalled(4),
    [80, 24],
    [
      ["*", "+! T-2"],
      ["g", "Leave 3 tickets to a person"],
    ],
  );
  const text = screen.replace(/[│\s]+/gu, " ");
  for (const words of ["T-2, T-3, T-4", "Which exact step is left to a person?"]) expect(text).toContain(words);
});
