import { describe, expect, test } from "vitest";
import { reportsFoundIn, unreportedCommands, withFoundReports } from "../../../src/domain/batch/found-reports.ts";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";

const check = (name: string, over: object = {}): StepSpec => ({ step: "check", name, command: [name], ...over }) as StepSpec;
const REPORT = { format: "tap", path: "-" } as const;
const FINISH: readonly StepSpec[] = [
  { step: "gates" },
  check("tests"),
  check("lint"),
  check("own", { report: REPORT }),
  check("alone", { compare: "exit-code" }),
  { step: "merge" },
];
const batch = { finish: FINISH, tickets: [{ id: "T-1", finish: FINISH }] } as unknown as Batch;
const isTests = ([program]: readonly string[]) => program === "tests";
const reportsOf = (line: readonly StepSpec[] = []) =>
  line.flatMap((step) => (step.step === "check" && step.report !== undefined ? [`${step.name} ${step.report.format}`] : []));

describe("found reports", () => {
  test("are asked for checks alone that say nothing of one", () => {
    expect(unreportedCommands(batch)).toEqual([["tests"], ["lint"]]);
  });

  test("are those of commands that start a known runner, in the batch's line and in each ticket's", () => {
    const { finish, tickets } = withFoundReports(batch, isTests);
    for (const line of [finish, tickets[0]?.finish]) expect(reportsOf(line)).toEqual(["tests found", "own tap"]);
  });

  test("stay as they were in a batch that is read again", () => {
    const before = withFoundReports(batch, isTests);
    expect(withFoundReports(batch, reportsFoundIn(before))).toEqual(before);
    expect(reportsFoundIn(batch)(["tests"])).toBe(false);
  });
});
