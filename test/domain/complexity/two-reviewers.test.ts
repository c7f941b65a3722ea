import { describe, expect, test } from "vitest";
import { type ComplexitySpec, resolveRoutes } from "../../../src/domain/batch/complexity-spec.ts";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import { COMPLEXITIES } from "../../../src/domain/complexity/classes.ts";
import { appliesTo, lineWithReviews } from "../../../src/domain/complexity/review-steps.ts";

const merge: StepSpec = { step: "merge" };
const first = (name: string): StepSpec => ({ step: "review", name });
const second: StepSpec = { step: "review", name: "other", by: "second" };

/** The readers of each class's reviews, in order. */
function readers(finish: readonly StepSpec[], spec: ComplexitySpec = true) {
  const line = lineWithReviews(finish, resolveRoutes(spec), true);
  return COMPLEXITIES.map((one) =>
    line.flatMap((step) => (step.step === "review" && appliesTo(step, one) ? [step.by ?? "first"] : [])).join(" "),
  );
}

describe("a finish line of a batch with two reviewers", () => {
  test("has the second of two readings by the second", () => {
    expect(readers([merge])).toEqual(["", "", "first second", "first second"]);
    expect(readers([first("review"), merge])).toEqual(["first", "first", "first second", "first second"]);
  });

  test("has a reading by the second although two of its own are by the first", () => {
    const line = lineWithReviews([first("a"), first("b"), merge], resolveRoutes(true), true);
    expect(line.slice(2)).toEqual([
      { step: "review", name: "second-review", by: "second", classes: ["complex", "architectural"] },
      merge,
    ]);
  });

  test("has a reading by the first if its own is by the second", () => {
    expect(readers([second, merge])).toEqual(["second", "second", "second first", "second first"]);
    expect(readers([second, first("a"), merge])).toEqual(["second first", "second first", "second first", "second first"]);
  });

  test("takes any reading for the only one of a class", () => {
    expect(readers([second, merge], { trivial: { reviewers: 1 }, complex: {}, architectural: {} })).toEqual([
      "second",
      "second",
      "second",
      "second",
    ]);
  });

  test("is what it was without a second reviewer", () => {
    const line = lineWithReviews([first("review"), merge], resolveRoutes(true));
    expect(line[1]).toEqual({ step: "review", name: "second-review", classes: ["complex", "architectural"] });
  });
});
