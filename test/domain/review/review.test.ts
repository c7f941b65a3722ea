import { describe, expect, test } from "vitest";
import { isAtLeast, type ReviewFinding, ruleOnReview } from "../../../src/domain/review/review.ts";

const finding = (over: Partial<ReviewFinding> = {}): ReviewFinding => ({
  ...{ file: "a.ts", line: 3, severity: "high", title: "wrong", scenario: "x gives y" },
  ...over,
});
const rule = (
  findings: readonly ReviewFinding[],
  verdict: "pass" | "fail" = "pass",
  blocking: ReviewFinding["severity"] = "high",
) => ruleOnReview({ findings: [...findings], verdict }, blocking);

test("a severity is at least as bad as itself and as all that are less", () => {
  const bySeverity = (["critical", "high", "medium", "low"] as const).map((each) => isAtLeast(each, "medium"));
  expect(bySeverity).toEqual([true, true, true, false]);
});

describe("a review", () => {
  test("that says pass and has no finding passes", () => {
    expect(rule([])).toEqual({ ok: true, summary: "no findings", detail: "" });
  });

  test("that says pass passes with findings below what blocks, and they are named", () => {
    expect(rule([finding({ severity: "low" })])).toMatchObject({ ok: true, summary: "1 finding: wrong (low, a.ts:3)" });
    expect(rule([finding({ severity: "low" }), finding({ severity: "medium", line: 9 })])).toEqual({
      ok: true,
      summary: "2 findings: wrong (medium, a.ts:9); wrong (low, a.ts:3)",
      detail: "1. medium  a.ts:9  wrong\n   scenario: x gives y\n2. low  a.ts:3  wrong\n   scenario: x gives y",
    });
  });

  test("fails by a finding that blocks; where it says pass all the same, that is told", () => {
    expect(rule([finding()], "fail")).toMatchObject({
      ok: false,
      summary: "wrong (high, a.ts:3)",
    });
    expect(rule([finding()], "pass")).toMatchObject({
      ok: false,
      summary: "wrong (high, a.ts:3); its verdict says pass",
    });
    expect(rule([finding({ severity: "low" })], "fail", "low")).toMatchObject({ ok: false });
  });

  test("that says fail and names nothing that blocks does not pass either", () => {
    expect(rule([], "fail")).toMatchObject({ ok: false, summary: "its verdict is fail, and it names no finding" });
    expect(rule([finding({ severity: "low" })], "fail")).toEqual({
      ok: false,
      summary: "its verdict is fail, and it names none of severity high or worse: wrong (low, a.ts:3)",
      detail: "1. low  a.ts:3  wrong\n   scenario: x gives y",
    });
  });
});

describe("its findings", () => {
  const many = (n: number) => Array.from({ length: n }, (_, i) => finding({ title: `no ${i + 1}` }));

  test("are named up to three, and the others counted", () => {
    expect(rule(many(3)).summary).toMatch(/^no 1 \(high, a\.ts:3\); no 2 \(high, a\.ts:3\); no 3 \(high, a\.ts:3\); its/);
    expect(rule(many(4)).summary).toMatch(/^no 1 .*; no 3 \(high, a\.ts:3\); and 1 more; its/);
  });

  test("say where: a line of a file, a file as a whole, or nowhere", () => {
    const place = (over: Partial<ReviewFinding>) => rule([finding(over)]).detail.split("  ")[1];
    expect(place({ file: "src/a.ts", line: 12 })).toBe("src/a.ts:12");
    expect(place({ line: 0 })).toBe("a.ts");
    expect(place({ file: " ", line: 0 })).toBe("no file");
  });

  test("come with a fix where they give one, and are safe for a terminal", () => {
    const [named, none] = [finding({ fix: " do \u001b[31mso " }), finding({ fix: " " })];
    expect(rule([named]).detail).toMatch(/^1\. high {2}a\.ts:3 {2}wrong\n {3}scenario: x gives y\n {3}fix:\s+do so\s*$/);
    expect(rule([none]).detail).not.toContain("fix");
  });

  /** A finding whose part of the detail has so many characters, its line break among them. */
  const sized = (chars: number) => {
    const rest = chars - 1 - "1. high  a.ts:3  ".length - "\n   scenario: ".length - 100;
    return finding({ title: "t".repeat(100), scenario: "s".repeat(rest) });
  };

  test("are all told where they fill the room to its last character, and counted where one does not fit", () => {
    const full = [985, 985, 985, 985].map(sized);
    expect(rule(full).detail).toMatch(/\n4\. high /);
    expect(rule(full).detail).toHaveLength(3_939);
    const { detail } = rule([...full.slice(1), sized(986)]);
    expect(detail).not.toMatch(/\n4\. high /);
    expect(detail).toMatch(/s\n\[\+1 more findings\]$/);
    expect(rule([...full, ...many(2)]).detail).toMatch(/s\n\[\+2 more findings\]$/);
  });

  test("never take more than evidence may hold", () => {
    expect(rule([1_010, 1_010, 1_010, 1_010].map(sized)).detail.length).toBeLessThanOrEqual(4_000);
  });
});
