import { expect, test } from "vitest";
import { planLines } from "../../src/cli/verbs/dry-run.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { batchOf, ticketOf } from "../domain/simulate.ts";

const review: StepSpec = { step: "review", name: "review" };
const gates: StepSpec = { step: "gates" };

test("the plan says the usual finish line once, each step by one name, and counts in the singular", () => {
  const lines = planLines(
    batchOf([
      ticketOf("T-1", { finish: [gates, review] }),
      ticketOf("T-2", { finish: [gates, review] }),
      ticketOf("T-3", { finish: [gates] }),
    ]),
    "none",
  );
  expect(lines).toContain("finish line: gates → review (tickets that have another name it)");
  expect(lines.filter((line) => line.includes("gates → review"))).toHaveLength(1);
  expect(lines.find((line) => line.includes("T-3"))).toMatch(/\(gates\)$/);
  expect(planLines(batchOf([ticketOf("T-1")]), "none")[0]).toContain(": 1 ticket, 1 repository, ");
});
