import { describe, expect, test } from "vitest";
import type { TicketState } from "../../../src/domain/run/ticket-state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { vecAt } from "../../../src/domain/values/vec.ts";
import { attemptsText, runSpan, ticketTime, timeCells, timelineText } from "../../../src/store/results/timeline-cells.ts";
import { batchOf, RunBuilder, START } from "../run-builder.ts";

const second = (at: number): number => START + at * 1_000;
const run = (...ids: readonly string[]): RunBuilder => new RunBuilder(batchOf({ tickets: ids.map((id) => ({ id })) }));
const ticketIn = (of: RunBuilder, id: string): TicketState =>
  vecAt(of.state.tickets, of.state.plan.index[TicketId.parse(id)] ?? -1);

/** A ticket's row with a column for each ten seconds. */
function drawn(of: RunBuilder, id: string, heldSince?: number): string {
  const column = (at: number): number => Math.floor((at - START) / 10_000);
  const cells = timeCells(ticketTime(ticketIn(of, id), heldSince), { columns: 40, now: of.now, column });
  return cells
    .map(({ text }) => text)
    .join("")
    .trimEnd();
}

test("the span of a run goes on to its last event, or to its end, and is never nothing", () => {
  const { state } = run("A");
  expect(runSpan({ ...state, startedAt: 0, lastEventAt: 1_000 })).toEqual({ from: 0, to: 1_000 });
  const end = { kind: "interrupted", verdict: "unjudged", exitCode: 130, reason: "", at: 700 } as const;
  expect(runSpan({ ...state, startedAt: 0, lastEventAt: 1_000, end })).toEqual({ from: 0, to: 700 });
  expect(runSpan({ ...state, startedAt: 1_000, lastEventAt: 1_000 })).toEqual({ from: 1_000, to: 1_001 });
});

describe("a ticket's row", () => {
  test("is its agent, its checks and how it ended, and goes on while it is at work", () => {
    const ended = run("A").working("A").wait(50).claims("A").step("A", 1).wait(40);
    expect(drawn(ended, "A")).toBe("━━━━━░░░░░");
    expect(drawn(run("A").ships("A", 50), "A")).toMatch(/^━━━━━[━░]?✔$/);
    expect(drawn(run("A").working("A").wait(30), "A")).toBe("━━━━");
  });

  test("has the end of each attempt, and words about all of them", () => {
    const failed = run("A").fails("A", "2 of 9 fail: the cart").wait(100);
    failed.working("A").wait(20);
    expect(drawn(failed, "A")).toMatch(/✖ +━━━$/);
    expect(attemptsText(ticketIn(failed, "A"))).toBe("2 attempts: 2 of 9 fail: the cart");
    expect(attemptsText(ticketIn(run("A").ships("A", 5), "A"))).toBe("");
  });

  test("shows the wait for a person until the next attempt, or until now", () => {
    const waits = run("A");
    const change = { commit: "c".repeat(40), base: "a".repeat(40), change: "d", zones: ["pay/"], files: 1 };
    waits.working("A").wait(20).claims("A").step("A", 1).wait(10);
    waits.of("A", { type: "approval-awaited", ...change }, { type: "attempt-ended", outcome: "stopped" }).wait(40);
    expect(drawn(waits, "A")).toBe("━━░!╌╌╌╌");
    expect(drawn(run("A").gates("A", "sign it").wait(30), "A")).toMatch(/!╌╌╌$/);
  });

  test("ends where the journal could not be written any more", () => {
    expect(drawn(run("A").working("A").wait(60), "A", second(30))).toBe("━━━‖");
  });

  test("has a sign for what nobody attempted", () => {
    const of = ticketIn(run("A"), "A");
    expect(ticketTime(of)).toEqual({ stretches: [], marks: [] });
    expect(ticketTime({ ...of, phase: "done", endedAt: second(5) }).marks).toMatchObject([{ at: second(5), glyph: "✔" }]);
  });

  test("leaves out what is out of sight on either side", () => {
    const of = ticketIn(run("A").working("A").wait(100), "A");
    const column = (at: number): number => Math.floor((at - second(20)) / 10_000);
    const cells = timeCells(ticketTime(of), { columns: 4, now: second(100), column });
    expect(cells.map(({ text }) => text).join("")).toBe("━━━━");
  });
});

test("as text the rows have their ids, the length of the run and a legend, and fit", () => {
  const of = run("A", "LONG-2", "C").ships("A", 60).fails("LONG-2", "no");
  expect(timelineText(run("A").state, 78)).toEqual([]);
  const lines = timelineText(of.state, 78);
  expect(lines[0]).toMatch(/^A {7}━+.*✔/);
  expect(lines[1]).toMatch(/^LONG-2 +━.*✖$/);
  expect(lines.at(-1)).toContain("━ agent  ░ checks  ╌ waits for a person");
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(78);
});
