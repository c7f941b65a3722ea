import { describe, expect, it } from "vitest";
import { corpus, fixture } from "../../../packages/triage/test/fixtures.ts";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { type Files, judge, tap } from "../evidence-stage.ts";

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
    expect(detail.split("The end of the output:\n\n")[1]).toMatch(/^\[… \d+ (?:characters|lines) cut …\]\n/);
    expect(detail.endsWith(text.trimEnd().split("\n").slice(-20).join("\n"))).toBe(true);
    expect(detail.length).toBeLessThanOrEqual(4_000);
  });

  it("names no failure of a command that passed, though its tests have changed", async () => {
    const report = { format: "tap", path: "{artifacts}/r.tap" } as const;
    const command = ["sh", "-c", 'cat says; cat tests > "$0"', "{artifacts}/r.tap"] as const;
    const says = `${"collected\n".repeat(600)}${fixture("pytest.txt")}`;
    const { landed, detail } = await judge({
      check: { step: "check", name: "unit", command, report },
      base: { says: "passed\n", tests: tap("a b") },
      change: { says, tests: tap("a") },
    });
    expect(landed).toBe(false);
    expect(detail).toContain("1 test of the base vanished");
    expect(detail).not.toContain("What failed, as the output says");
  });

  it("is the end of the output alone if no tool is recognised in it", async () => {
    const { landed, detail } = await judged({ says: "nothing works\n", code: "1" });
    expect([landed, detail]).toEqual([false, "nothing works"]);
  });

  it("puts the error that ended `npm test` first, and no warning of the linter that passed", async () => {
    const { detail } = await judged({ says: corpus("npm-eslint-warns-tape-typeerror"), code: "1" });
    const [first = "", ...rest] = detail.split("The end of the output:");
    expect(first).toContain("TypeError: Cannot read properties of undefined (reading 'deep')");
    expect(detail).not.toContain("no-var");
    expect(rest).toHaveLength(1);
  });

  it("has no line of a coverage tool's instrumented source", async () => {
    const { detail } = await judged({ says: corpus("nyc-instrumented-typeerror"), code: "1" });
    expect(detail).toContain("TypeError: Cannot read properties of undefined (reading 'deep')");
    expect(detail.split("\n").every((line) => line.length <= 300)).toBe(true);
  });

  it("does not repeat what the check printed on the base", async () => {
    const noise = 'Traceback (most recent call last):\n  File "app.py", line 3, in f\n    g()\nValueError: a test expects this\n';
    const report = { format: "tap", path: "{artifacts}/r.tap" } as const;
    const command = ["sh", "-c", 'cat says; cat tests > "$0"; exit $(cat code)', "{artifacts}/r.tap"] as const;
    const { detail } = await judge({
      check: { step: "check", name: "unit", command, report },
      base: { says: noise, tests: tap("a b"), code: "0" },
      change: {
        says: `${noise.replace("ValueError: a test expects this", "KeyError: 'own'")}${"\n".repeat(9)}${noise}`,
        tests: tap("a b!"),
        code: "1",
      },
    });
    const [list = ""] = detail.split("The end of the output:");
    expect(list).toContain("KeyError: 'own'");
    expect(list).not.toContain("ValueError");
  });

  it("does not exist if the check passes, whatever its output says failed", async () => {
    expect(await judged({ says: fixture("pytest.txt"), code: "0" })).toMatchObject({ landed: true, detail: "" });
  });
});
