import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { landedSize } from "../../../src/domain/run/landed-size.ts";
import type { LandedCommit } from "../../../src/domain/run/landings.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { landedCommands, landedSizeText } from "../../../src/store/results/landed-lines.ts";
import { renderMarkdown, renderSummaryText } from "../../../src/store/results/summary.ts";
import { attempt, mixed } from "../../domain/mixed-run.ts";
import { batchOf, Simulation, ticketOf } from "../../domain/simulate.ts";

const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];

/** A run that has ended, with these commits on the base of its repository. */
function landed(commits: readonly LandedCommit[], over: Partial<RunState["batch"]["repos"][string & never]> = {}): RunState {
  const sim = mixed();
  sim.report({ type: "run-ended", kind: "not-done", verdict: "not-done", exitCode: 1, reason: "open" });
  const { state } = sim;
  const [repo = "", spec] = Object.entries(state.batch.repos)[0] ?? [];
  const landings = { first: "a", trusted: [], initial: "a", last: commits.at(-1)?.sha ?? "a", commits };
  const repos = { [repo]: { ...spec, ...(over as object) } } as RunState["batch"]["repos"];
  return { ...state, batch: { ...state.batch, repos }, landings: { [repo]: landings } };
}

describe("the commands after a run", () => {
  test("take back each landed commit by name, the newest first, and none that was taken back", () => {
    const state = landed([
      { sha: "one", ticket: T1 },
      { sha: "two", ticket: T2 },
      { sha: "three", ticket: T1, reverts: true },
      { sha: "four", ticket: T1 },
    ]);
    expect(landedCommands(state)).toEqual([
      "landed:    git -C /repo log --oneline a..four",
      "take back: git -C /repo switch main && git -C /repo revert --no-edit four two",
    ]);
  });

  test("come after what no proof covers, where the run was stopped before its proof", () => {
    const ended = landed([{ sha: "one", ticket: T1 }]);
    const [ticket, ...others] = ended.plan.tickets;
    if (ticket === undefined) throw new Error("no ticket");
    const check = { step: "check", name: "tests", command: ["true"] } as const;
    const tickets = [{ ...ticket, finish: [check, ...ticket.finish] }, ...others];
    const state = { ...ended, batch: { ...ended.batch, proof: "batch" as const }, plan: { ...ended.plan, tickets } };
    expect(landedCommands(state)[0]).toMatch(
      /^unproven: {2}what landed on the base of \w+ is not proven: its proof has not run$/,
    );
    expect(landedCommands(ended)[0]).toMatch(/^landed/);
  });

  test("are words of a shell, whatever the folder is called", () => {
    const [log, back] = landedCommands(landed([{ sha: "one", ticket: T1 }], { path: "/a b/$(x)" } as never));
    expect(log).toContain("git -C '/a b/$(x)' log");
    expect(back).toContain("git -C '/a b/$(x)' revert");
  });

  test("push where changes land at a remote, and name no revert where they land by pull requests", () => {
    const forge = { kind: "push", remote: "origin" };
    const commits = [{ sha: "one", ticket: T1 }];
    expect(landedCommands(landed(commits, { forge } as never))[1]).toMatch(/ && git -C \/repo push origin main$/);
    expect(landedCommands(landed(commits, { forge: { kind: "github", remote: "origin" } } as never))).toHaveLength(1);
  });

  test("say that others committed in between", () => {
    // T-1 landed on another commit than the one that the run had landed before it.
    const state = landed([
      { sha: "zero", ticket: T2 },
      { sha: "sha-2", ticket: T1 },
    ]);
    expect(landedCommands(state)[1]).toContain("others committed in between");
  });

  test("are not given while a run goes on", () => {
    expect(landedCommands(mixed().state)).toEqual([]);
  });
});

describe("what a ticket landed", () => {
  const passed = { index: 0, kind: "check" as const, name: "tests", ms: 1 };

  test("is its captured lines, and the tests of the check that compared the most", () => {
    const few = { ...passed, tests: { added: 0, removed: 0 } };
    const most = { ...passed, tests: { added: 2, removed: 1 } };
    const landedWith = landedSize({ change: { additions: 3, deletions: 4 }, passed: [few, most] });
    expect(landedSizeText({ mergedSha: "one", landedWith } as never)).toBe("+3 −4 · tests +2 −1");
  });

  test("claims nothing about tests that were not compared", () => {
    const landedWith = landedSize({ change: { additions: 3, deletions: 0 }, passed: [passed] });
    expect(landedSizeText({ mergedSha: "one", landedWith } as never)).toBe("+3 −0");
    expect(landedSize({ passed: [passed] })).toBeUndefined();
  });
});

describe("the summary", () => {
  test("a run with nothing to list has no empty sections, and one attempt is singular", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    attempt(sim, T1, "done");
    expect(renderMarkdown(sim.state)).not.toMatch(/## (Yours|Open)/);
    expect(renderMarkdown(sim.state)).toContain("The run has not ended.");
    expect(renderSummaryText(sim.state)).toContain("  1 attempt\n");
  });

  test("what was settled before this run says so; a sandboxed run does not say it was not", () => {
    const first = new Simulation(batchOf([ticketOf("T-1")])).events[0] as Extract<RunEvent, { type: "run-started" }>;
    const state = reduce(undefined, { ...first, sandboxed: true, settled: [{ id: T1, as: "done" }] });
    expect(renderSummaryText(state)).toContain("\n  ✔ T-1  T-1  done before this run\n");
    expect(renderMarkdown(state)).toContain("\n- **T-1** T-1 (done before this run)\n");
    expect(`${renderSummaryText(state)}${renderMarkdown(state)}`).not.toMatch(/unsandboxed/i);
  });
});

test("a change of which only exit codes were checked says that its tests were not compared", () => {
  const [code, tests, gates] = [
    { index: 0, kind: "check", name: "a", ms: 1, byExitCode: true },
    { index: 1, kind: "check", name: "b", ms: 1 },
    { index: 2, kind: "gates", name: "gates", ms: 1 },
  ] as const;
  const change = { additions: 1, deletions: 2 };
  expect(landedSize({ change, passed: [gates, code] })).toMatchObject({ notCompared: true });
  expect(landedSize({ change, passed: [gates, code, tests] })?.notCompared).toBeUndefined();
  expect(landedSize({ change, passed: [gates] })?.notCompared).toBeUndefined();
});

test("a stopped run counts the tickets that never started, and none of them looks like a failure", () => {
  const ids = Array.from({ length: 30 }, (_, i) => `T-${i + 1}`);
  const sim = new Simulation(batchOf(ids.map((id) => ticketOf(id))));
  attempt(sim, T1, "failed");
  sim.report({ type: "run-ended", kind: "interrupted", verdict: "unjudged", exitCode: 130, reason: "stopped" });
  const text = renderSummaryText(sim.state, true, []);
  expect(text).toMatch(/✖ T-1 /);
  expect(text).toContain("29 more never started: T-2, T-3, T-4, T-5, T-6, T-7, T-8, T-9, T-10, T-11 and 19 more");
  expect(text).not.toContain("✖ T-2");
});
