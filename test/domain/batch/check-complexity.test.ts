import { describe, expect, test } from "vitest";
import { checkComplexity } from "../../../src/domain/batch/check-complexity.ts";
import { ComplexitySpec, resolveRoutes } from "../../../src/domain/batch/complexity-spec.ts";
import { BatchFile } from "../../../src/domain/batch/schema.ts";
import { batchValue } from "./sample.ts";

const found = (part: Readonly<Record<string, unknown>>) => {
  const all: string[] = [];
  checkComplexity(BatchFile.parse(batchValue(part)), (path, message, hint) =>
    all.push(`${path.join(".")}: ${message}; ${hint ?? ""}`),
  );
  return all;
};

describe("a batch with a plan and without a reviewer", () => {
  const complexity = { simple: { plan: true }, complex: {}, architectural: {} };

  test("is told where, why, and what to do", () => {
    expect(found({ complexity })).toEqual([
      'complexity.simple.plan: simple tickets get a plan first, which a reviewer approves, and the batch has no reviewer; name a "reviewer", or leave "plan" out',
    ]);
    expect(found({ complexity, reviewer: { kind: "command", command: ["./review"] } })).toEqual([]);
    expect(found({ complexity: { ...complexity, simple: { plan: false } } })).toEqual([]);
  });

  test("is told of its reviews alone if it has both", () => {
    expect(found({ complexity: true })).toHaveLength(1);
  });
});

test("an architectural ticket is planned first by default, and as its class says otherwise", () => {
  expect(resolveRoutes(true)?.architectural).toMatchObject({ plan: true });
  expect(resolveRoutes(ComplexitySpec.parse(false))).toBeUndefined();
  expect(resolveRoutes({ architectural: { reviewers: 2 } })?.architectural).toEqual({ reviewers: 2 });
  expect(resolveRoutes(true)?.complex).not.toHaveProperty("plan");
});
