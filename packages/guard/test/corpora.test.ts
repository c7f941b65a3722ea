import { describe, expect, test } from "vitest";
import { judgeCommand } from "../src/judge-command.ts";
import { FAMILIES, RULES } from "../src/rule-table.ts";
import { BENIGN, CONTEXT, DANGEROUS, LOOK_ALIKE } from "./corpus.ts";

describe("the guard", () => {
  test("has corpora of at least 400 different commands", () => {
    const all = [...DANGEROUS, ...LOOK_ALIKE, ...BENIGN].map(({ command }) => command);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(400);
    expect(new Set(DANGEROUS.map(({ family }) => family))).toEqual(new Set(Object.keys(FAMILIES)));
  });

  test("blocks every dangerous command, by a rule of its family", () => {
    const wrong = DANGEROUS.flatMap(({ command, family }) => {
      const verdict = judgeCommand(command, CONTEXT);
      if (verdict.verdict === "allow") return [{ command, found: "allowed" }];
      return RULES[verdict.rule].family === family ? [] : [{ command, family, found: verdict.rule }];
    });
    expect(wrong).toEqual([]);
  });

  test.for([
    ["look-alikes", LOOK_ALIKE],
    ["everyday commands", BENIGN],
  ] as const)("allows all %s", ([, cases]) => {
    const blocked = cases.flatMap(({ command }) => {
      const verdict = judgeCommand(command, CONTEXT);
      return verdict.verdict === "allow" ? [] : [{ command, rule: verdict.rule }];
    });
    expect(blocked).toEqual([]);
  });
});
