import { describe, expect, test } from "vitest";
import { type Attack, ruleOnAttack } from "../../../src/domain/review/attack.ts";

const tried = (n: number) => Array.from({ length: n }, (_, i) => `way ${i + 1}`);
const inVain = (n: number): Attack => ({ nonce: "n", tree: "t", tried: tried(n), broken: false });
const broke = (severity: "high" | "low", ways = 2): Attack => ({
  ...{ nonce: "n", tree: "t", tried: tried(ways), broken: true },
  ...{ severity, scenario: "an empty list\u001b[31m", reproduce: "curl -d '[]'\nx" },
});

describe("an attack that broke nothing", () => {
  test("is survived, and told by what was tried", () => {
    expect(ruleOnAttack(inVain(1), "low")).toEqual({ ok: true, summary: "survived 1 attack", detail: "- tried: way 1" });
    expect(ruleOnAttack(inVain(2), "low")).toEqual({
      ...{ ok: true, summary: "survived 2 attacks" },
      detail: "- tried: way 1\n- tried: way 2",
    });
  });

  test("names ten ways at most, and counts the others", () => {
    const lines = (n: number) => ruleOnAttack(inVain(n), "low").detail.split("\n");
    expect(lines(10)).toHaveLength(10);
    expect(lines(10).at(-1)).toBe("- tried: way 10");
    expect(lines(13).slice(9)).toEqual(["- tried: way 10", "and 3 more"]);
  });
});

describe("an attack that broke something", () => {
  test("fails the change by what it broke and how to see it, safe for a terminal", () => {
    expect(ruleOnAttack(broke("high"), "high")).toEqual({
      ok: false,
      summary: "broken (high): an empty list",
      detail: "severity: high\nscenario: an empty list\nreproduce: curl -d '[]' x\n- tried: way 1\n- tried: way 2",
    });
  });

  test("below what blocks is survived, and named all the same", () => {
    const { ok, summary, detail } = ruleOnAttack(broke("low", 11), "high");
    expect(ok).toBe(true);
    expect(summary).toBe("survived 11 attacks but one below high: broken (low): an empty list");
    expect(detail).toMatch(/^severity: low\n[^]*\nand 1 more$/);
  });
});
