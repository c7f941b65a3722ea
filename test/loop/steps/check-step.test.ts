import { describe, expect, it } from "vitest";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { fixture } from "../../domain/triage/fixtures.ts";
import { type Files, judge } from "../evidence-stage.ts";

cleanUp();

/** Prints the file `says`, and exits with what is in `code`. */
const check = {
  step: "check",
  name: "unit",
  command: ["sh", "-c", "[ ! -e says ] || cat says; exit $(cat code 2>/dev/null || echo 0)"],
} as const satisfies StepSpec;

const judged = (change: Files) => judge({ check, change });

describe("the evidence of a failed check", () => {
  it("begins with the failures that the output names, before its end", async () => {
    const text = fixture("pytest.txt");
    const { landed, detail } = await judged({ says: `${"collected\n".repeat(600)}${text}`, code: "1" });
    expect(landed).toBe(false);
    expect(detail.startsWith("What failed, as the output says:\n- tests/test_broken.py:1\n  test: tests/test_broken.py\n")).toBe(
      true,
    );
    expect(detail).toContain("    KeyError: 'sum'\n  run: python -m pytest tests/test_order.py::TestTotal::test_key\n");
    expect(detail.split("The end of the output:\n\n")[1]).toMatch(/^\[… \d+ characters cut …\]\n/);
    expect(detail.endsWith(text.trimEnd().slice(-1_000))).toBe(true);
    expect(detail.length).toBeLessThanOrEqual(4_000);
  });

  it("is the end of the output alone if no tool is recognised in it", async () => {
    const { landed, detail } = await judged({ says: "nothing works\n", code: "1" });
    expect([landed, detail]).toEqual([false, "nothing works"]);
  });

  it("does not exist if the check passes, whatever its output says failed", async () => {
    expect(await judged({ says: fixture("pytest.txt"), code: "0" })).toMatchObject({ landed: true, detail: "" });
  });
});
