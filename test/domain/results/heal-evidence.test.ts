import { describe, expect, test } from "vitest";
import { evidenceLine, evidenceOfGate, healResult } from "../../../src/domain/results/heal-results.ts";
import type { PastHeal } from "../../../src/domain/run/heals-state.ts";
import { NO_HEALS } from "../../../src/domain/run/heals-state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { healDetails } from "../../../src/store/results/heal-lines.ts";
import { batchOf, ticketOf } from "../simulate.ts";

const [T1, T2] = ["T-1", "T-2"].map((id) => TicketId.parse(id)) as [TicketId, TicketId];
const STEP = "buy a licence";

const WALL: PastHeal = {
  n: 1,
  outcome: "wall",
  why: "",
  changed: [],
  costUsd: 0,
  reason: "",
  startedAt: 0,
  endedAt: 1,
  base: 0,
  stalled: [T1],
  moved: [],
  answer: { kind: "wall", rootCause: "no licence", change: "a mirror", prediction: [T1] },
  wall: {
    claim: "x",
    wall: "no licence",
    tried: "a mirror",
    humanStep: STEP,
    evidence: [
      { command: ["npm", "ci"], exitCode: 1, output: `${"x".repeat(3_000)}\nfetching\n\u001b[31mE403 no licence\u001b[0m\n\n` },
    ],
  },
};

describe("the evidence of a wall", () => {
  test("is in the result of the heal: command, exit code and the end of the output, safe and bounded", () => {
    const { evidence } = healResult(WALL, batchOf([ticketOf("T-1")]));
    expect(evidence).toMatchObject([{ command: "npm ci", exitCode: 1, output: expect.stringContaining("E403 no licence") }]);
    expect(evidence[0]?.output).not.toContain("\u001b");
    expect(evidence[0]?.output.length).toBeLessThanOrEqual(1_000);
    expect(healDetails(healResult(WALL, batchOf([ticketOf("T-1")])))).toContain(
      "evidence: npm ci exited with code 1: E403 no licence",
    );
  });

  test("is that of the gate with its step, and of no other ticket or step", () => {
    const state = { heals: { ...NO_HEALS, past: [WALL] } };
    expect(evidenceOfGate(state, T1, STEP).map(evidenceLine)).toEqual(["npm ci exited with code 1: E403 no licence"]);
    expect(evidenceOfGate(state, T2, STEP)).toEqual([]);
    expect(evidenceOfGate(state, T1, "ask Jo")).toEqual([]);
  });
});
