import { describe, expect, test } from "vitest";
import type { Evidence } from "../../../src/domain/run/attempt-fact.ts";
import { isNamedBy } from "../../../src/loop/steps/named-by.ts";
import type { Change } from "../../../src/ports/vcs.ts";

const BEFORE = { "test/cart.test.js": 'test("adds up", () => {});\ntest("rounds down", () => {});\n' };

/** A change of these files, with their texts after it. */
function changing(after: Readonly<Record<string, string>>) {
  const repo = {
    baseTip: () => Promise.resolve("base"),
    readFiles: ({ commit, paths }: { readonly commit: string; readonly paths: readonly string[] }) => {
      const texts = new Map(Object.entries<string>(commit === "base" ? BEFORE : after));
      return Promise.resolve(new Map(paths.flatMap((path) => (texts.has(path) ? [[path, texts.get(path) ?? ""]] : []))));
    },
  };
  const paths = Object.keys(after).map((path) => ({ path, how: "modified" as const }));
  const change = { tip: "tip", paths, additions: 1, deletions: 1 } as unknown as Change;
  return (evidence: Partial<Evidence>) =>
    isNamedBy(repo as Parameters<typeof isNamedBy>[0], change, {
      step: "check",
      name: "tests",
      summary: "",
      detail: "",
      ...evidence,
    });
}

describe("isNamedBy", () => {
  test.each([
    ["a path of the change", { "src/cart.js": "x" }, { firstError: "src/cart.js:3 TypeError" }, true],
    ["a path as a module", { "app/test_cart.py": "x" }, { tests: ["app.test_cart.TestCart.test_sum"] }, true],
    [
      "a test that it no longer declares",
      { "test/cart.test.js": 'test("adds up", () => {});' },
      { tests: ["rounds down"] },
      true,
    ],
    ["a test that it still declares", { "test/cart.test.js": BEFORE["test/cart.test.js"] }, { tests: ["rounds down"] }, false],
    ["other paths and tests", { "src/cart.js": "x" }, { summary: "1 test failed", tests: ["rounds down"] }, false],
  ])("%s", async (_, after: Readonly<Record<string, string>>, evidence, isNamed) => {
    expect(await changing(after)(evidence)).toBe(isNamed);
  });
});
