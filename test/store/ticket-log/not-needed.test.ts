import { describe, expect, it } from "vitest";
import { type RunState, ticketById } from "../../../src/domain/run/state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { describeEvent } from "../../../src/store/describe-event.ts";
import { attemptMarks } from "../../../src/store/labels/attempt-status.ts";
import { finishLine } from "../../../src/store/labels/progress-label.ts";
import { decisiveEntry, listAttemptHistories } from "../../../src/store/ticket-log/attempts.ts";
import { reviewNotNeeded } from "../scenes.ts";

const A = TicketId.parse("A");
const histories = (state: RunState) => listAttemptHistories(ticketById(state, A), finishLine(state, A));
const marks = (state: RunState) => histories(state).map(({ entries }) => entries.map(({ mark }) => mark).join(" "));

describe("a step that the ticket's class does not need", () => {
  it("is not marked as passed, while the attempt runs and after it", () => {
    const { state } = reviewNotNeeded(3);
    expect(marks(state)).toEqual(["claimed passed passed not-needed running ahead"]);
    const { attempt } = ticketById(state, A);
    expect(attempt && attemptMarks(attempt, finishLine(state, A))).toEqual([
      "passed",
      "passed",
      "not-needed",
      "running",
      "ahead",
    ]);
    expect(marks(reviewNotNeeded().state)).toEqual(["claimed passed passed not-needed passed passed"]);
  });

  it("stays so in an attempt that only goes on after the landing", () => {
    const run = reviewNotNeeded(4).of("A", { type: "attempt-ended", outcome: "lost" });
    run.claim("A").of("A", { type: "attempt-ended", outcome: "done" });
    expect(marks(run.state)[1]).toMatch(/passed passed not-needed passed passed$/);
  });

  it("is passed in a later attempt that has run it", () => {
    const run = reviewNotNeeded(3).of("A", { type: "attempt-ended", outcome: "failed" });
    run.working("A").claims("A").step("A", 3).lands("A", "5c1e0aa", 3);
    expect(marks(run.state)[1]).toBe("claimed passed passed passed passed passed");
  });

  it("is told in the feed without the sign of a pass", () => {
    const run = reviewNotNeeded(3);
    const event = run.events.find((one) => one.type === "step-ended" && one.notNeeded);
    expect(event && describeEvent(event, run.state)).toMatchObject({ glyph: "–", tone: "waiting" });
  });

  it("is not the step that tells most of an attempt", () => {
    const [attempt] = histories(reviewNotNeeded(3).of("A", { type: "attempt-ended", outcome: "done" }).state);
    expect(attempt && decisiveEntry(attempt)?.step).toBe(4);
  });
});
