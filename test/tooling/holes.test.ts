import { beforeAll, describe, expect, test } from "vitest";
import { WITHOUT_OPEN_TICKETS, WITHOUT_PROOF } from "../adversary/holed-build.ts";
import { type Hole, programLocator } from "../adversary/holes/locate.ts";
import { registered } from "../adversary/register.ts";
import { findTestFile } from "../adversary/rules/find-test.ts";
import { RULES } from "../adversary/rules/rules.ts";

/** The message of what a call throws; nothing if it throws nothing. */
function problem(call: () => unknown): readonly string[] {
  try {
    call();
    return [];
  } catch (error) {
    return [String(error)];
  }
}

describe("the register of attacks and rules", () => {
  let holeLists: readonly (readonly Hole[])[];

  beforeAll(async () => {
    const defences = new Set((await registered()).map(({ defence }) => defence));
    holeLists = [...[...defences, ...RULES].map(({ holes }) => holes), [WITHOUT_PROOF, WITHOUT_OPEN_TICKETS]];
  });

  test("names a place in the source for every hole, and another text for it", () => {
    const holes = new Set(holeLists.flat());
    expect(holes.size).toBeGreaterThan(400);
    expect([...holes].flatMap((hole) => problem(() => programLocator().locate(hole)))).toEqual([]);
    expect([...holes].filter(({ from, to }) => from === to)).toEqual([]);
  });

  test("digs no two holes of a defence in the same place", () => {
    expect(holeLists.flatMap((holes) => problem(() => programLocator().dig(holes)))).toEqual([]);
  });

  test("names one test for every rule", () => {
    expect(RULES.flatMap((rule) => problem(() => findTestFile(rule.test)))).toEqual([]);
  });
});
