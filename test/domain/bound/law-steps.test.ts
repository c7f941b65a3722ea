import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import { hasLaw, lineWithLaws } from "../../../src/domain/bound/law-steps.ts";

const origin = { file: "batch" } as const;
const bound = {
  zones: [],
  neverDo: [],
  ironLaws: [
    { name: "iron-law-1", text: "types hold", command: ["tsc"], origin },
    { name: "iron-law-2", text: "prose", origin },
    { name: "iron-law-3", text: "lint", command: ["lint"], origin },
  ],
};
const names = (line: readonly StepSpec[]) => line.map((step) => ("name" in step ? `${step.step} ${step.name}` : step.step));

describe("lineWithLaws", () => {
  const line: readonly StepSpec[] = [
    { step: "gates" },
    { step: "check", name: "tests", command: ["test"] },
    { step: "review", name: "review" },
    { step: "merge" },
    { step: "verify", name: "live", command: ["live"] },
    { step: "assert" },
  ];

  test("checks each law before the review, and verifies it right after the merge", () => {
    expect(names(lineWithLaws(line, bound))).toEqual([
      "gates",
      "check tests",
      "check iron-law-1",
      "check iron-law-3",
      "review review",
      "merge",
      "verify iron-law-1",
      "verify iron-law-3",
      "verify live",
      "assert",
    ]);
  });

  test("is idempotent, and changes nothing without laws", () => {
    const once = lineWithLaws(line, bound);
    expect(lineWithLaws(once, bound)).toBe(once);
    expect(lineWithLaws(line, undefined)).toBe(line);
  });

  test("a step of a person that bears a law's name takes nothing from the law", () => {
    const shadow: readonly StepSpec[] = [{ step: "check", name: "iron-law-1", command: ["true"] }, { step: "merge" }];
    const whole = lineWithLaws(shadow, bound);
    expect(names(whole)).toContain("check iron-law-1-law");
    expect(hasLaw(whole, ["tsc"])).toBe(true);
    expect(hasLaw(shadow, ["tsc"])).toBe(false);
  });

  test("a step with the law's command and options of its own is not the law", () => {
    const lax = { step: "check", name: "x", command: ["tsc"], writes: ["**"] } as const;
    expect(names(lineWithLaws([lax, { step: "merge" }], bound))).toContain("check iron-law-1");
  });
});
