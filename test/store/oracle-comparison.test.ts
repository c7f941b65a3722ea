import { describe, expect, test } from "vitest";
import type { OracleEvidence } from "../../src/domain/run/oracle-evidence.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { compare, countComparisons, isAbout } from "../../src/store/oracle-comparison.ts";
import { evidenceOf } from "../components/views/oracle/judged-scene.ts";
import { batchOf, RunBuilder } from "./run-builder.ts";

/** A done, B left to a person, C at work, D waits; judged so a moment ago. */
function judged({ open }: { readonly open?: number } = {}): { readonly run: RunBuilder; readonly evidence: OracleEvidence } {
  const run = new RunBuilder(batchOf({ tickets: ["A", "B", "C", "D"].map((id) => ({ id })) }));
  run.ships("A").gates("B", "press it").working("C").wait(60);
  const evidence = evidenceOf(run);
  run.judged("not-done", { done: 1, gated: 1, open: open ?? 2 });
  return { run: run.wait(5), evidence };
}

const words = (run: RunBuilder, evidence: OracleEvidence | undefined) =>
  compare(run.state, evidence).map(({ id, said, is }) => `${id} ${said ?? "?"} ${is}`);

/** The same evidence with another word on one ticket, and the last judgement counting it so. */
function lying(id: string, state: "done" | "open"): { readonly run: RunBuilder; readonly evidence: OracleEvidence } {
  const { run, evidence } = judged();
  const tickets = evidence.tickets.map((each) => (each.id === id ? { id: each.id, state } : each));
  const open = tickets.filter((each) => each.state === "open").map((each) => each.id);
  const counts = { done: tickets.filter((each) => each.state === "done").length, gated: 1, open: open.length };
  run.play({ type: "oracle-judged", final: false, judgement: { verdict: "not-done", counts, open, durationMs: 120 } });
  return { run, evidence: { ...evidence, tickets } };
}

describe("the oracle's word beside the engine's", () => {
  test("agrees where both see the same", () => {
    const { run, evidence } = judged();
    expect(words(run, evidence)).toEqual(["A done agreed", "B human-gated agreed", "C open agreed", "D open agreed"]);
    expect(compare(run.state, evidence)[1]?.step).toBe("press it");
  });

  test("differs where the tracker says done of what nobody has done, and the other way round", () => {
    const early = lying("D", "done");
    expect(words(early.run, early.evidence)[3]).toBe("D done differs");
    const lost = lying("A", "open");
    expect(words(lost.run, lost.evidence)[0]).toBe("A open differs");
    expect(countComparisons(compare(lost.run.state, lost.evidence))).toEqual({ agreed: 3, moved: 0, differs: 1, unknown: 0 });
  });

  test("what the engine has done since is no difference", () => {
    const { run, evidence } = judged();
    run.ships("C", 30);
    expect(words(run, evidence)[2]).toBe("C open moved");
  });

  test("nor is what the engine is telling the tracker just now", () => {
    const { run, evidence } = lying("C", "done");
    expect(words(run, evidence)[2]).toBe("C done differs");
    run.claims("C").step("C", 4);
    expect(words(run, evidence)[2]).toBe("C done moved");
  });

  test("without kept evidence only what the judgement names is known", () => {
    const { run } = judged();
    expect(words(run, undefined)).toEqual(["A ? unknown", "B ? unknown", "C open agreed", "D open agreed"]);
  });

  test("evidence of another judgement does not count", () => {
    const { run, evidence } = judged();
    run.ships("C", 30).judged("not-done", { done: 2, gated: 1, open: 1 });
    expect(isAbout(evidence, run.state.oracle.last)).toBe(false);
    expect(words(run, evidence)[0]).toBe("A ? unknown");
    expect(isAbout({ ...evidence, askedAt: run.now + 1 }, judged().run.state.oracle.last)).toBe(false);
  });

  test("after a judgement that could not be, nothing is known", () => {
    const { run, evidence } = judged();
    run.judged("unjudged", { done: 0, gated: 0, open: 0 }, "the tracker is not JSON");
    expect(words(run, evidence)).toEqual(["A ? unknown", "B ? unknown", "C ? unknown", "D ? unknown"]);
  });

  test("tickets beyond those that were kept are unknown", () => {
    const { run, evidence } = judged();
    const cut = { ...evidence, tickets: evidence.tickets.slice(0, 3), more: 1 };
    expect(words(run, cut)).toEqual(["A done agreed", "B human-gated agreed", "C open agreed", "D ? unknown"]);
  });
});

test("a ticket that a person changed in the tracker says so, and does not differ for it", () => {
  const { run, evidence } = lying("D", "done");
  expect(compare(run.state, evidence)[3]).toMatchObject({ id: "D", is: "differs" });
  run.play({ type: "tracker-drifted", ticket: TicketId.parse("D"), change: { kind: "reopened" } });
  expect(compare(run.state, evidence)[3]).toMatchObject({ id: "D", is: "moved", act: "reopened in the tracker" });
});
