import { describe, expect, it } from "vitest";
import { underContract } from "./contract-stage.ts";
import { type Files, judge, tap } from "./evidence-stage.ts";

const SCRIPT = `[ ! -e tests ] || cat tests > "$0"; exit $(cat code 2>/dev/null || echo 0)`;

const contractOf = (condition: string) =>
  underContract(
    `criteria:
  - name: unit
    command: [sh, -c, ${JSON.stringify(SCRIPT)}, "{artifacts}/r.tap"]
    report: {format: tap, path: "{artifacts}/r.tap"}
    condition: ${condition}`,
    { finish: [{ step: "merge" }, { step: "assert" }] },
  );

const play = (condition: string, change: Files, base: Files = { tests: tap("a b c!"), code: "1" }) =>
  judge({ ticket: contractOf(condition), base, change });

describe("a condition over the tests of base and candidate", () => {
  it.each([
    ["tests_total >= base", tap("a b c!"), "1", true, ""],
    ["tests_total > base", tap("a b c! d"), "1", true, ""],
    ["tests_total > base", tap("a b c!"), "1", false, "tests_total is 3, and must be > 3 (3 on the base)"],
    ["tests_failed == 0", tap("a b c!"), "1", false, "tests_failed is 1, and must be == 0"],
    ["tests_failed == 0 and tests_total >= base", tap("a b c"), "0", true, ""],
  ])("%s", async (condition, tests, code, landed, summary) => {
    const got = await play(condition, { tests, code });
    expect(got.landed).toBe(landed);
    expect(got.summary).toContain(landed ? "passed in" : summary);
  });

  it("stands beside the comparison of each test, which it cannot replace", async () => {
    const got = await play("tests_total >= base", { tests: tap("a x y"), code: "0" });
    expect(got).toMatchObject({ landed: false, summary: expect.stringContaining("vanished") as string });
  });

  it("counts none on a base without tests", async () => {
    expect(await play("tests_total > base", { tests: tap("a") }, { other: "1" })).toMatchObject({ landed: true });
    expect(await play("tests_total == base", { tests: tap("a") }, { other: "1" })).toMatchObject({ landed: false });
  });
});
