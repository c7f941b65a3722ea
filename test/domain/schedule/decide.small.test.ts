import { findingsLine, findingsText, passedLine } from "@loopdash/test-evidence";
import { describe, expect, test } from "vitest";
import { apiKeyNamesInDotenv } from "../../../src/domain/batch/api-key-guard.ts";
import { computeReport } from "../../../src/domain/results/report.ts";
import { admitCommand } from "../../../src/domain/run/admit.ts";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { freeSlots } from "../../../src/domain/run/state.ts";
import { isSettled } from "../../../src/domain/run/ticket-state.ts";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { soonReady } from "../../../src/domain/schedule/slot-reservation.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { renderMarkdown, renderSummaryText } from "../../../src/store/results/summary.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../simulate.ts";

const [A, B, D] = ["A", "B", "D"].map((id) => TicketId.parse(id)) as [TicketId, TicketId, TicketId];

describe("a command that is granted", () => {
  test("to go on is an intervention and a fact", () => {
    const sim = new Simulation(batchOf([ticketOf("A")]));
    sim.report({ type: "run-paused" });
    expect(admitCommand(sim.state, { type: "unpause" })).toEqual([
      { type: "intervention", class: "I2", target: "run", note: "unpaused" },
      { type: "run-unpaused" },
    ]);
  });
});

describe("a command about workers and heals", () => {
  test("is counted and told in words", () => {
    const sim = new Simulation(batchOf([ticketOf("A")], { workers: 1 }));
    expect(admitCommand(sim.state, { type: "workers", workers: 1 })).toMatchObject([{ reason: "the run has 1 worker already" }]);
    const asked = { ...sim.state, heals: { ...sim.state.heals, asked: true as const } };
    expect(admitCommand(asked, { type: "drop-heal" })).toEqual([
      { type: "intervention", class: "I2", target: "harness", note: "cancelled the heal" },
      { type: "heal-dropped", why: "a person cancelled it" },
    ]);
  });
});

describe("slots and who comes next", () => {
  test("a slot whose ticket is still being finished is given away last", () => {
    const sim = new Simulation(batchOf([ticketOf("A")], { workers: 3 }));
    sim.decide();
    sim.endAgent(A);
    expect(freeSlots(sim.state)).toEqual([1, 2, 0]);
  });

  test("a ticket is not soon ready while one that it waits for is at work, however many are being finished", () => {
    const sim = new Simulation(batchOf([ticketOf("A"), ticketOf("B"), ticketOf("D"), ticketOf("C", { dependsOn: [A, B] })]));
    sim.pass(1_000);
    sim.decide();
    sim.pass(1_000);
    sim.endAgent(A);
    sim.endAgent(D);
    expect(soonReady(sim.state, sim.state.lastEventAt)).toEqual([]);
    sim.endAgent(B);
    expect(soonReady(sim.state, sim.state.lastEventAt)).toEqual([3]);
  });

  test("a ticket that was given up is settled", () => {
    expect((["done", "human-gated", "stalled", "waiting", "working", "finishing"] as const).map(isSettled)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

test("a tripwire that fires without a word ends the run without one", () => {
  const sim = new Simulation(batchOf([ticketOf("A")]), undefined, {}, "unproven");
  sim.report({ type: "tripwire-started" });
  sim.report({ type: "tripwire-ended", ok: false, canaries: 3, ms: 9 });
  expect(sim.state.tripwire).toEqual({ status: "fired", problem: "no reason given", canaries: 3, ms: 9 });
  expect(decide(sim.state, 9_999)).toMatchObject([
    { do: "end", kind: "tripwire", reason: "the tripwire fired: no reason given" },
  ]);
});

test("a final verdict from before a resume ends nothing: the oracle is asked again after the new re-verification", () => {
  const sim = new Simulation(batchOf([ticketOf("A")]));
  sim.decide();
  sim.endAttempt(A, "done");
  sim.report({ type: "reverify-started" });
  sim.report({ type: "reverify-ended", reopened: 0 });
  sim.report({ type: "oracle-asked", final: true });
  sim.report({ type: "oracle-judged", final: true, judgement: honestJudgement(sim.state) });
  expect(decide(sim.state, 5_000)).toMatchObject([{ do: "end", kind: "oracle-done" }]);
  sim.report({ type: "run-resumed" } as RunFact);
  sim.prove();
  expect(decide(sim.state, 6_000)).toEqual([{ do: "reverify" }]);
  sim.report({ type: "reverify-started" });
  sim.report({ type: "reverify-ended", reopened: 0 });
  expect(decide(sim.state, 7_000)).toEqual([{ do: "judge", final: true }]);
});

test("names in a .env file are sorted, and empty ones left out", () => {
  expect(apiKeyNamesInDotenv("OPENAI_API_KEY=x\nANTHROPIC_API_KEY=y\nOPENAI_API_KEY=z")).toEqual([
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
  ]);
  expect(apiKeyNamesInDotenv('OPENAI_API_KEY =  ""  \nANTHROPIC_API_KEY=   # none\n\njust words')).toEqual([]);
});

describe("what is said of a run that goes on, in a sandbox", () => {
  const running = () => {
    const sim = new Simulation(batchOf([ticketOf("A"), ticketOf("B")]));
    sim.decide();
    sim.endAgent(A);
    const landed = "0123456789abcdef";
    sim.report({ type: "merge-landed", ...sim.of(A), repo: ticketOf("A").repo, from: "a", to: landed });
    sim.report({ type: "attempt-ended", ...sim.of(A), outcome: "done" });
    return { ...sim.state, sandboxed: true };
  };

  test("as lines", () => {
    const lines = renderSummaryText(running()).split("\n");
    expect(lines[0]).toMatch(/^● RUNNING {3}test {3}\d+s {3}2 tickets: 1 shipped, 0 left to a person, 1 open$/);
    expect(lines.slice(1, 3)).toEqual(["  ✔ A  A  0123456  1 attempt", "  ● B  B  at work"]);
    // What happened and the numbers take four lines. Then who worked in which slot, over an axis of time.
    expect(lines.slice(7, 10)).toEqual([
      expect.stringMatching(/^ {2}A +━+░+✔$/),
      expect.stringMatching(/^ {2}B +━+$/),
      expect.stringMatching(/^ {5}0┄+ 0s$/),
    ]);
    expect(lines.slice(10)).toEqual(["     ━ agent  ░ checks  ╌ waits for a person", "  loopdash report test-run", ""]);
  });

  test("as Markdown", () => {
    const [title, , run, ...rest] = renderMarkdown(running()).split("\n");
    expect([title, run]).toEqual(["# ● RUNNING: test", "Run `test-run`, 0s, 2 tickets. The run has not ended."]);
    expect(rest.slice(0, 8)).toEqual([
      "",
      "## Open",
      "- **B** B: at work",
      "",
      "## Shipped",
      "- **A** A `0123456789` (1 attempt)",
      "",
      "## What happened",
    ]);
    expect(
      renderMarkdown({ ...running(), sandboxed: false })
        .split("\n")
        .slice(3, 5),
    ).toEqual(["", "Unsandboxed: agents and checks ran with the user's rights."]);
  });

  test("as a report", () => {
    expect(computeReport(running())).toMatchObject({
      verdict: "unjudged",
      reason: "the run has not ended",
      exitCode: null,
      endedAt: null,
    });
  });
});

describe("what a check says of itself", () => {
  const NONE_MOVED = { added: 0, removed: 0 };
  const tally = (passed: number, failed = 0, skipped = 0) => ({ passed, failed, skipped, todo: 0 });
  test.each([
    [{ strength: "exit-code", seconds: "2" } as const, "exit code only: passed in 2 s"],
    [
      {
        strength: "compared",
        seconds: "2",
        comparison: { findings: [], preExisting: [], candidate: tally(1), base: tally(3), moved: NONE_MOVED },
      } as const,
      "passed in 2 s: 1 test, 3 on the base",
    ],
    [
      {
        strength: "uncompared",
        seconds: "2",
        comparison: { findings: [], preExisting: ["a", "b"], candidate: tally(4, 2, 3), base: tally(0), moved: NONE_MOVED },
      } as const,
      "passed in 2 s: 6 tests, 3 skipped, none on the base to compare with; 2 tests fail on the base and do not count: a, b",
    ],
  ])("%j", (options, line) => {
    expect(passedLine(options)).toBe(line);
  });

  test("findings name their tests, the first fifteen", () => {
    const ids = Array.from({ length: 16 }, (_, i) => `t${i}`);
    const list = (n: number) =>
      ids
        .slice(0, n)
        .map((id) => `\n  ${id}`)
        .join("");
    expect(findingsText([{ says: "a", ids: [] }])).toBe("a");
    expect(findingsText([{ says: "a", ids: ids.slice(0, 15) }])).toBe(`a:${list(15)}`);
    expect(
      findingsText([
        { says: "a", ids },
        { says: "b", ids: ["x"] },
      ]),
    ).toBe(`a:${list(15)}\n  and 1 more\nb:\n  x`);
    expect(
      findingsLine([
        { says: "a", ids },
        { says: "b", ids: [] },
      ]),
    ).toBe("a; b");
  });
});
