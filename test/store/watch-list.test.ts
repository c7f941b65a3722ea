import { describe, expect, test } from "vitest";
import { type Machine, type WatchedRun, watchLines, watchList } from "../../src/store/watch-list.ts";

const NOW = Date.UTC(2026, 4, 4, 12);
const HOUR = 3_600_000;

const run = (name: string, of: Partial<WatchedRun> = {}): WatchedRun => ({
  run: name,
  live: true,
  startedAt: NOW - HOUR,
  needs: [],
  ...of,
});
const step = (ticket: string, blocks: readonly string[], hours: number) => ({
  ...{ kind: "step", ticket, says: `do what ${ticket} says`, blocks, since: NOW - hours * HOUR },
});
const text = (...machines: readonly Machine[]): readonly string[] => watchLines(watchList(machines, NOW));

describe("the list of all runs", () => {
  test("begins with what most tickets wait for, then with what has waited longest", () => {
    const here = { runs: [run("a", { needs: [step("T-1", [], 1), step("T-2", [], 5)] })] };
    const box = { host: "box", runs: [run("b", { host: "box", needs: [step("T-3", ["T-4", "T-5"], 0)] })] };
    expect(text(here, box)).toEqual([
      "! NEEDS YOU  3 · 2 runs at work",
      "  ! box  b  T-3: do what T-3 says · 2 tickets wait for it  (0s)",
      "  ! a  T-2: do what T-2 says  (5h)",
      "  ! a  T-1: do what T-1 says  (1h)",
      "runs",
      "  ● a  at work · 2 need you  (1h)",
      "  ● box  b  at work · 1 needs you  (1h)",
    ]);
  });

  test.each<[string, readonly Machine[]]>([
    ["● RUNNING  nothing needs you · 1 run at work", [{ runs: [run("a")] }]],
    ["✔ IDLE  nothing needs you, and no run is at work", [{ runs: [] }]],
    ["? UNKNOWN  1 run at work · 1 machine away", [{ runs: [run("a")] }, { host: "box", problem: "timed out" }]],
    ["? UNKNOWN  1 run at work · asking…", [{ runs: [run("a")] }, { host: "box" }]],
    ["! NEEDS YOU  1 · 1 run at work · 1 machine away", [{ runs: [run("a", { needs: [step("T-1", [], 1)] })], problem: "x" }]],
  ])("says in its first line: %s", (head, machines) => {
    expect(text(...machines)[0]).toBe(head);
  });

  test("leaves out runs that ended long ago, but for those that need a person; those at work come first", () => {
    const ended = { live: false, verdict: "not-done" };
    const runs = [
      run("old", { ...ended, endedAt: NOW - 30 * HOUR }),
      run("yours", { ...ended, endedAt: NOW - 30 * HOUR, needs: [step("T-1", [], 30)] }),
      run("late", { ...ended, endedAt: NOW - HOUR, startedAt: NOW - 2 * HOUR }),
      run("cut", { live: false, startedAt: NOW - 3 * HOUR }),
      run("now", { startedAt: NOW - 4 * HOUR }),
    ];
    const names = watchList([{ runs }], NOW).runs.map(({ where }) => where.at(-1));
    expect(names).toEqual(["now", "yours", "late", "cut"]);
  });

  test("draws nothing that a machine puts into its words", () => {
    const hostile = run("a", {
      host: "box",
      needs: [{ ...step("T-1", [], 1), says: "\u001b[2Jsign\u202e\n", ticket: "T\u0007" }],
    });
    expect(text({ host: "box", runs: [hostile] }).join("")).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});
