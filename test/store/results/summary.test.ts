import { describe, expect, test } from "vitest";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import { outcomes } from "../../../src/domain/results/outcomes.ts";
import { computeTrend } from "../../../src/domain/results/trend.ts";
import type { EndKind, RunEvent } from "../../../src/domain/run/event.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { numbersLine, numbersLines } from "../../../src/store/results/numbers-line.ts";
import { renderMarkdown, renderSummaryText } from "../../../src/store/results/summary.ts";
import { trendLine } from "../../../src/store/results/trend-text.ts";
import { attempt } from "../../domain/mixed-run.ts";
import { batchOf, Simulation, ticketOf } from "../../domain/simulate.ts";
import { earlierRuns } from "../../report/pages.ts";
import { plumbingEnded } from "../scenes.ts";

const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];
const why = (sim: Simulation) => outcomes(sim.state).open.map((open) => open.why);

function end(sim: Simulation, kind: EndKind): void {
  sim.report({ type: "run-ended", kind, verdict: "unjudged", exitCode: 130, reason: "it was stopped" });
}

describe("why a ticket is open", () => {
  test("is what it waits for, and once the run has ended how its last try did", () => {
    const sim = new Simulation(
      batchOf([ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3"), ticketOf("T-4", { dependsOn: [T1] })]),
    );
    attempt(sim, T1, "lost");
    attempt(sim, T1, "failed");
    sim.report({
      type: "attempt-claimed",
      ticket: T2,
      fence: (sim.state.lastFence + 1) as Fence,
      attempt: 1,
      slot: 0,
      reservedUsd: 0,
    });
    sim.report({ type: "attempt-ended", ...sim.of(T2), outcome: "stopped" });
    expect(why(sim)).toEqual(["ready", "ready", "ready", "waits for T-1"]);
    end(sim, "interrupted");
    expect(why(sim)).toEqual(["attempt 1 failed: broken", "attempt 1 stopped", "not started", "waits for T-1"]);
  });
});

const NO_FIXES = { transient: 0, reviewFinding: 0, failedCheck: 0, liveFix: 0, sentBack: 0, conflict: 0 };
const NO_FINDINGS = { critical: 0, high: 0, medium: 0, low: 0 };

describe("the numbers in words", () => {
  test("are broken between two numbers, never inside one, if the summary is printed", () => {
    const { state } = plumbingEnded();
    const whole = numbersLine(computeLedger(state));
    const printed = renderSummaryText(state).split("\n");
    const first = printed.findIndex((line) => line.startsWith("  attempts "));
    const lines = printed.slice(first, first + numbersLines(computeLedger(state), 76).length);
    expect(
      lines.every((line) => line.length <= 78),
      lines.join("\n"),
    ).toBe(true);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.map((line) => line.trim()).join(" · ")).toBe(whole);
  });

  test("name what there was, and nothing of what there was not", () => {
    const ledger = computeLedger(plumbingEnded().state);
    const claims = { made: 3, upheld: 3, gap: 0 };
    const none = { compared: 0, uncompared: 0, exitCodeOnly: 0 };
    const bare = { ...ledger, claims, checks: none, costUsd: 1, attempts: 4, fixAndProceed: 0, fixAndProceedByCause: NO_FIXES };
    const rest = "fixed without you 0 · incidents 0 · $ 1.00 · interventions 1 (0 work, 1 harness)";
    expect(numbersLine(bare)).toBe(`attempts 4 · claims of done 3: 3 upheld · ${rest}`);
    const asked = { questions: 2, valid: 1, usd: 0, findings: NO_FINDINGS, canaries: { seen: 0, missed: 0 } };
    expect(numbersLine({ ...bare, reviewer: asked, discoveries: { filed: 2, refused: 0 } })).toBe(
      `attempts 4 · claims of done 3: 3 upheld · reviewer asked 2, answered 1 · discoveries filed 2 · ${rest}`,
    );
    const found = { ...asked, findings: { ...NO_FINDINGS, high: 2, low: 1 } };
    const fixed = { transient: 1, reviewFinding: 2, failedCheck: 1, liveFix: 1, sentBack: 2, conflict: 1 };
    const broken = { liveChecks: 1, brokenBases: 2, reopened: 1 };
    expect(
      numbersLine({
        ...bare,
        reviewer: found,
        fixAndProceed: 8,
        fixAndProceedByCause: fixed,
        incidents: 4,
        incidentsByKind: broken,
      }),
    ).toBe(
      "attempts 4 · claims of done 3: 3 upheld · reviewer asked 2, answered 1 · findings 3: 2 high, 1 low · " +
        "fixed without you 8: 1 transient, 2 review findings, 1 failed check, 1 live fix, 2 sent back by the forge, 1 conflict · " +
        "incidents 4: 1 failed live check, 2 broken bases, 1 reopened · $ 1.00 · interventions 1 (0 work, 1 harness)",
    );
    const paid = { ...asked, usd: 0.5, canaries: { seen: 2, missed: 1 } };
    expect(numbersLine({ ...bare, reviewer: paid, discoveries: { filed: 0, refused: 1 } })).toBe(
      "attempts 4 · claims of done 3: 3 upheld · reviewer asked 2, answered 1, $ 0.50 · canaries 3, missed 1 · " +
        `discoveries filed 0, refused 1 · ${rest}`,
    );
  });
});

describe("a summary", () => {
  test("has the trend where there were runs before", () => {
    const { state } = plumbingEnded();
    const line = trendLine(computeTrend(state, earlierRuns())) ?? "";
    expect(renderSummaryText(state, true, earlierRuns()).split("\n")).toContain(`  ${line}`);
    expect(renderMarkdown(state, true, earlierRuns())).toContain("- last 5 runs: interventions ?█×▅▂");
    expect(`${renderSummaryText(state)}${renderMarkdown(state)}`).not.toContain("last ");
  });

  test("says where nobody wrote down what a person is to do", () => {
    const first = new Simulation(batchOf([ticketOf("T-1")])).events[0] as Extract<RunEvent, { type: "run-started" }>;
    const state = reduce(undefined, { ...first, settled: [{ id: T1, as: "human-gated" }] });
    expect(renderSummaryText(state)).toContain("yours:\n      no step was recorded\n");
  });
});
