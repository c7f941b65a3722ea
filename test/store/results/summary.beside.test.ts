import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import { computeReport } from "../../../src/domain/results/report.ts";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { renderMarkdown, renderSummaryText } from "../../../src/store/results/summary.ts";
import { beside, DEEDS } from "../../domain/beside.ts";
import { mixed } from "../../domain/mixed-run.ts";
import { batchOf, Simulation, ticketOf } from "../../domain/simulate.ts";

describe("what there is beside changes", () => {
  const sim = beside();

  test("is counted: questions and canaries, blockers and fakes, discoveries, transients; those that passed needed nobody", () => {
    const { reviewer, blockers, discoveries, transients, fixAndProceed, costUsd, claims, tickets } = computeLedger(sim.state);
    expect(reviewer).toEqual({
      questions: 4,
      valid: 3,
      usd: 1,
      findings: { critical: 0, high: 0, medium: 0, low: 0 },
      canaries: { seen: 1, missed: 1 },
    });
    expect(costUsd).toBe(1);
    expect(blockers).toEqual({ claimed: 3, upheld: 1, fake: 1 });
    expect(discoveries).toEqual({ filed: 1, refused: 1 });
    expect(transients).toEqual({ retried: 2, passed: 1 });
    expect(fixAndProceed).toBe(1);
    expect(claims).toEqual({ made: 3, upheld: 1, gap: 1 });
    expect(tickets.total).toBe(4);
  });

  test("stands in the report under keys of its own, with who found what and where what was built has landed", () => {
    const report = JSON.parse(JSON.stringify(computeReport(sim.state)));
    expect(report).toMatchObject({
      reviewer: {
        questions: 4,
        valid: 3,
        usd: 1,
        findings: { critical: 0, high: 0, medium: 0, low: 0 },
        canaries: { seen: 1, missed: 1 },
      },
      blockers: { claimed: 3, upheld: 1, fake: 1 },
      discoveries: { filed: 1, refused: 1 },
      transients: { retried: 2, passed: 1 },
    });
    expect(report.tickets[1]).toMatchObject({ id: "T-2", state: "human-gated", mergedSha: "sha-2", humanStep: "set the record" });
    expect(report.tickets[3]).toMatchObject({ id: "T-1-d1", foundBy: "T-1" });
  });

  test("stands in text and Markdown, only where there is any", () => {
    const words = [
      "reviewer asked 4, answered 3, $ 1.00",
      "canaries 2, missed 1",
      "blocker claims 3: 1 upheld, 1 rejected, 1 not ruled on",
      "discoveries filed 1, refused 1",
      "transients 2: 1 passed on retry",
    ];
    const text = renderSummaryText(sim.state);
    const markdown = renderMarkdown(sim.state);
    for (const word of words) expect(text).toContain(word);
    for (const word of words) expect(markdown).toContain(`\n- ${word}\n`);
    expect(text).toContain("  ! T-2  At the wall  sha-2  yours:\n      set the record\n");
    expect(markdown).toContain("- **T-2** At the wall `sha-2`: set the record\n");
    expect(text).toMatch(/(?:·|●) T-1-d1 {2}Found it \(found by T-1\) /);
    expect(markdown).toContain("**T-1-d1** Found it (found by T-1): ");
    const plain = renderSummaryText(mixed().state);
    expect(plain).not.toMatch(/reviewer|canaries|blocker claims|discoveries|transients|found by/);
  });

  test("whatever is claimed, the same journal gives the same numbers, and no part is greater than its whole", () => {
    const deeds = fc.array(fc.record({ deed: fc.nat(DEEDS.length - 1), ticket: fc.nat(2), yes: fc.boolean() }), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(deeds, (list) => {
        const run = new Simulation(
          batchOf([ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3")], { attempts: 20, discoveries: 5 }),
        );
        for (const { deed, ticket, yes } of list) DEEDS[deed]?.(run, TicketId.parse(`T-${ticket + 1}`), yes);
        const journal: RunEvent[] = JSON.parse(JSON.stringify(run.events));
        const again = journal.reduce<RunState | undefined>((state, event) => reduce(state, event), undefined) as RunState;
        expect(computeReport(again)).toEqual(computeReport(run.state));
        expect(renderSummaryText(again)).toBe(renderSummaryText(run.state));
        const { reviewer: m, blockers: b, transients: t, claims: c, costUsd } = computeLedger(again);
        expect(m.valid).toBeLessThanOrEqual(m.questions);
        expect(b.upheld + b.fake).toBeLessThanOrEqual(b.claimed);
        expect(t.passed).toBeLessThanOrEqual(t.retried);
        expect(c.gap + c.upheld).toBeLessThanOrEqual(c.made);
        expect(m.usd).toBeLessThanOrEqual(costUsd);
      }),
    );
  });
});
