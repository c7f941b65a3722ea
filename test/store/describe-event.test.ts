import { describe, expect, test } from "vitest";
import type { RunFact } from "../../src/domain/event.ts";
import { Fence, TicketId } from "../../src/domain/ids.ts";
import { describeEvent } from "../../src/store/describe-event.ts";
import { plumbing } from "./scenes.ts";

const run = plumbing();
const T7 = TicketId.parse("T-7");
const tell = (fact: RunFact) => describeEvent({ ...fact, seq: 1, at: 0 }, run.state);
const of = { ticket: T7, fence: Fence.parse(9) };

describe("claims and facts never look alike", () => {
  test("an agent that stops claims; that is dim and said as a claim", () => {
    expect(tell({ type: "agent-ended", ending: "exited", exitCode: 0, signal: null, costUsd: 0, ...of })).toMatchObject({
      tone: "claim",
      text: "agent stopped: claims to be done",
    });
  });

  test("an agent that gives up is a fact", () => {
    expect(tell({ type: "agent-ended", ending: "exited", exitCode: 7, signal: null, costUsd: 0, ...of })).toMatchObject({
      tone: "bad",
      text: "agent gave up: exit 7",
    });
  });

  test("the oracle's voice is its own", () => {
    const judgement = { verdict: "not-done" as const, counts: { done: 1, gated: 0, open: 10 }, open: [T7], durationMs: 1 };
    expect(tell({ type: "oracle-judged", final: false, judgement })).toMatchObject({
      glyph: "◆",
      tone: "oracle",
      text: "oracle: not done, 10 of 11 open: T-7 …",
    });
    expect(
      tell({
        type: "oracle-judged",
        final: false,
        judgement: { ...judgement, verdict: "unjudged", problem: "tracker unreachable" },
      }),
    ).toMatchObject({
      tone: "bad",
      text: "oracle cannot judge: tracker unreachable",
    });
  });
});

test("the tripwire tells how it ended, and why it fired; not that it began", () => {
  const ended = { type: "tripwire-ended", ms: 900 } as const;
  expect(tell({ type: "tripwire-started" })).toBeUndefined();
  expect(tell({ ...ended, ok: true, canaries: 38 })).toMatchObject({
    glyph: "◆",
    tone: "oracle",
    text: "tripwire: 38 canaries judged right",
  });
  expect(tell({ ...ended, ok: true, canaries: 1 })).toMatchObject({ text: "tripwire: 1 canary judged right" });
  expect(tell({ ...ended, ok: false, canaries: 2, problem: "a canary was judged wrong: one\u001b[2J open" })).toMatchObject({
    tone: "bad",
    text: expect.stringMatching(/^tripwire fired: a canary was judged wrong: one[^\u001b]* open$/),
  });
  expect(tell({ ...ended, ok: false, canaries: 0 })).toMatchObject({ text: "tripwire fired: no reason given" });
});

test("what the rows show anyway makes no line", () => {
  expect(tell({ type: "activity", text: "x", lines: 1, ...of })).toBeUndefined();
  expect(tell({ type: "agent-launching", ...of })).toBeUndefined();
  expect(tell({ type: "step-started", step: 0, kind: "gates", name: "gates", ...of })).toBeUndefined();
});

test("what a step has told is not told again by the end of its try", () => {
  const evidence = { step: "check" as const, name: "tests", summary: "2 fail", detail: "" };
  expect(tell({ type: "attempt-ended", outcome: "failed", evidence, ...of })?.text).toBe("try failed");
  expect(tell({ type: "attempt-ended", outcome: "failed", evidence: { ...evidence, step: "prepare" }, ...of })?.text).toBe(
    "try failed: 2 fail",
  );
});

test("a refusal names the command, its ticket and the reason", () => {
  expect(tell({ type: "command-refused", command: { type: "kill", ticket: T7 }, reason: "nobody works on it" })?.text).toBe(
    "refused: kill T-7: nobody works on it",
  );
});

test("outside text in any line is safe to draw", () => {
  const line = tell({ type: "ticket-stalled", ticket: T7, reason: "\u001b[2Jlast\nline" });
  expect(line).toMatchObject({ text: "stalled: last line", ticket: "T-7" });
});

test("every kind of event of a whole run is told or passed over without failing", () => {
  for (const event of run.events) {
    const line = describeEvent(event, run.state);
    if (line !== undefined) expect(line.text).not.toBe("");
  }
});
