import { describe, expect, test } from "vitest";
import { judgementRecords } from "../../../src/domain/results/judgements.ts";
import { computeReport } from "../../../src/domain/results/report.ts";
import { evidenceChange, type TicketEvidence } from "../../../src/domain/run/oracle-evidence.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { judgementLines } from "../../../src/store/results/judgement-lines.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2] = ["T-1", "T-2"].map((id) => TicketId.parse(id)) as [TicketId, TicketId];
const open = (id: TicketId): TicketEvidence => ({ id, state: "open" });
const gated = (id: TicketId, step: string): TicketEvidence => ({ id, state: "human-gated", step });

describe("the evidence of a judgement", () => {
  test("is kept whole at first, and then as what differs", () => {
    const first = [open(T1), open(T2)];
    expect(evidenceChange(undefined, first)).toEqual({ isWhole: true, tickets: first, more: 0 });
    expect(evidenceChange(first, first)).toEqual({ isWhole: false, tickets: [], more: 0 });
    const then = [gated(T1, "press"), open(T2)];
    expect(evidenceChange(first, then)).toEqual({ isWhole: false, tickets: [gated(T1, "press")], more: 0 });
    expect(evidenceChange(then, [gated(T1, "pull"), open(T2)]).tickets).toEqual([gated(T1, "pull")]);
  });

  test("of a very large batch is bounded, and the rest is counted", () => {
    const all = Array.from({ length: 2_001 }, (_, i) => open(TicketId.parse(`T-${i}`)));
    expect(evidenceChange(undefined, all)).toMatchObject({ tickets: { length: 2_000 }, more: 1 });
  });
});

describe("the judgements of a run", () => {
  const judged = (times: number): Simulation => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    for (let i = 0; i < times; i++) {
      sim.report({ type: "oracle-asked", final: i > 0 });
      const evidence = evidenceChange(i === 0 ? undefined : [open(T1)], [open(T1)]);
      sim.report({ type: "oracle-judged", final: i > 0, judgement: honestJudgement(sim.state), oracleSha: "f00", evidence });
    }
    return sim;
  };

  test("are all in the journal, with time, hash, verdict and evidence, and so in the report", () => {
    const sim = judged(60);
    const records = judgementRecords(sim.events, sim.state.oracleSha);
    expect(records).toHaveLength(60);
    expect(computeReport(sim.state, [], records).judgements[0]).toEqual({
      at: expect.stringMatching(/^1970-01-01T/),
      final: false,
      verdict: "not-done",
      oracleSha: "f00",
      counts: { done: 0, gated: 0, open: 1 },
      problem: null,
      durationMs: expect.any(Number),
      evidence: { isWhole: true, tickets: [open(T1)], more: 0 },
    });
    expect(judgementLines(records)[0]).toMatch(/UTC, oracle f00: not-done, 0 done, 0 gated, 1 open, \d+ ms; T-1 open$/);
    expect(judgementLines(records)[1]).toMatch(/: final: not-done, .*; nothing new$/);
  });

  test("are bounded in the state: the last 50", () => {
    const { oracle } = judged(60).state;
    expect(oracle.judged).toBe(60);
    expect(oracle.recent).toHaveLength(50);
    expect(oracle.recent.at(-1)).toMatchObject({ final: true, verdict: "not-done", oracleSha: "f00", changed: 0 });
  });

  test("without more have the run's oracle and no evidence", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.report({ type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
    const [record] = judgementRecords(sim.events, sim.state.oracleSha);
    expect(record).toMatchObject({ oracleSha: "o" });
    expect(judgementLines(record === undefined ? [] : [record])[0]).toMatch(/; no evidence$/);
  });
});
