import { describe, expect, test } from "vitest";
import { jest } from "../../../src/domain/test-canary/jest.ts";
import { nodeTest } from "../../../src/domain/test-canary/node-test.ts";
import { vitest } from "../../../src/domain/test-canary/vitest.ts";
import { names, plant } from "./planting.ts";

const MODULE = `import { describe, it as spec } from "node:test";
import assert, { deepEqual } from "node:assert/strict";
import { add } from "../src/add.mjs";
import type { Sum } from "../src/types.ts";
import "./setup.mjs";

describe("sums", () => {
    spec("adds", () => assert.equal(add(1, 2), 3));
    spec("adds zeros", () => assert.equal(add(0, 0), 0));
    spec("lists", () => deepEqual([1], [1]));
    spec("fails", () => assert.rejects(add()));
});
`;

describe("node:test", () => {
  test("a module gets tests at its end, by its own names and in its own style", () => {
    const { appended } = plant(nodeTest, "test/add.test.mjs", MODULE);
    expect(appended?.text.startsWith(`${MODULE}\n`)).toBe(true);
    const added = appended?.text.slice(MODULE.length) ?? "";
    expect(added).toMatch(/^spec\("\w+ \w+ [\w ]+", \(\) => \{\n {4}assert\.equal\((\d+), \1\);\n\}\);$/m);
    expect(added).toMatch(/^ {4}deepEqual\(\{ \w+: \[\d+\] \}, \{ \w+: \[\d+\] \}\);$/m);
    expect(added).toMatch(/async \(\) => \{\n {4}await assert\.rejects\(async \(\) => \d+\);$/m);
    expect(names(appended, "passes")).toHaveLength(1);
    expect(names(appended, "fails")).toHaveLength(3);
  });

  test("a test that fails by the name of one that is there: before it, or at the end in a group of the same name", () => {
    const text = `import { describe, it } from "node:test";\ndescribe("sums", () => {\n  it("adds", () => {});\n});\n`;
    const planted = [1, 2, 3, 4, 5, 6].map((seed) => plant(nodeTest, "a.test.js", text, "many", seed).appended);
    for (const each of planted) expect(names(each, "known")).toEqual(["adds"]);
    const texts = planted.map((each) => each?.text ?? "");
    const before = /sums", \(\) => \{\n {2}it\("adds", \(\) => \{\n {4}throw new Error\(".*"\);\n {2}\}\);\n\n {2}it\("adds"/;
    const atEnd = /\ndescribe\("sums", \(\) => \{\n {2}it\("adds", \(\) => \{\n {4}throw new Error\(".*"\);\n {2}\}\);\n\}\);\n/;
    expect(texts.some((each) => before.test(each))).toBe(true);
    expect(texts.some((each) => atEnd.test(each.replace(text, "")))).toBe(true);
    expect(texts.every((each) => before.test(each) !== atEnd.test(each.replace(text, "")))).toBe(true);
  });

  test("a fresh file loads what its neighbour loads, and no names that nobody uses", () => {
    const { fresh } = plant(nodeTest, "test/add.test.mjs", MODULE);
    expect(fresh?.path).toMatch(/^test\/\w+-\w+-[\w-]+\.test\.mjs$/);
    expect(fresh?.text.split("\n").slice(0, 6)).toEqual([
      'import { it as spec } from "node:test";',
      'import assert from "node:assert/strict";',
      'import { deepEqual } from "node:assert/strict";',
      'import "../src/add.mjs";',
      'import "./setup.mjs";',
      "",
    ]);
  });

  test("CommonJS, with single quotes and no semicolons", () => {
    const text =
      "const test = require('node:test')\nconst { strictEqual: same } = require('assert')\nconst add = require('../add')\ntest('adds', () => {\n\tsame(add(1, 2), 3)\n})";
    const { appended, fresh } = plant(nodeTest, "test/test-add.js", text);
    expect(appended?.text).toMatch(/\n\ntest\('\w+ [^']*', \(\) => \{\n\tsame\((\d+), \1\)\n\}\)\n/);
    expect(appended?.text).not.toContain(";");
    expect(fresh?.path).toMatch(/^test\/test-\w+-\w+-[\w-]+\.js$/);
    expect(
      fresh?.text.startsWith(
        "const test = require('node:test')\nconst { strictEqual: same } = require('assert')\nrequire('../add')\n\ntest(",
      ),
    ).toBe(true);
  });

  test("what does not use it gets none, nor does what is no text of it", () => {
    expect(plant(nodeTest, "test/helper.mjs", "export const x = 1;\n")).toEqual({ appended: undefined, fresh: undefined });
    expect(plant(nodeTest, "test/a.mjs", 'import { test } from "tap";\ntest("a");\n').appended).toBeUndefined();
  });

  test("one that fails, or none, where that is asked for", () => {
    expect(plant(nodeTest, "a.test.mjs", MODULE, "one").appended?.tests.map(({ role }) => role)).toEqual(["passes", "fails"]);
    expect(plant(nodeTest, "a.test.mjs", MODULE, "none").appended?.tests.map(({ role }) => role)).toEqual(["passes"]);
  });
});

describe("vitest and jest", () => {
  const GLOBALS = `import { add } from "../add";\n\nit("adds", () => {\n  expect(add(1, 2)).toBe(3);\n  expect([1]).toContain(1);\n});\n`;

  test.each([vitest, jest])("$name: globals", (runner) => {
    const { appended, fresh } = plant(runner, "src/__tests__/add.test.ts", GLOBALS);
    expect(appended?.text).toMatch(/^it\(".*", \(\) => \{\n {2}expect\((\d+)\)\.toBe\(\1\);\n\}\);$/m);
    expect(appended?.text).toMatch(/expect\(\["\w+"\]\)\.toContain\("\w+"\);/);
    expect(names(appended, "known")).toEqual(["adds"]);
    expect(fresh?.text.startsWith('import "../add";\n\nit(')).toBe(true);
    expect(fresh?.path).toMatch(/^src\/__tests__\/[\w-]+\.test\.ts$/);
  });

  test.each([
    [vitest, "vitest"],
    [jest, "@jest/globals"],
  ])("$name: imports", (runner, module) => {
    const text = `import {\n  expect,\n  test,\n} from "${module}";\ntest("a", () => expect({}).toEqual({}));\n`;
    const { fresh } = plant(runner, "a.spec.ts", text);
    expect(fresh?.text.split("\n").slice(0, 2)).toEqual([
      `import { test } from "${module}";`,
      `import { expect } from "${module}";`,
    ]);
    expect(fresh?.text).toMatch(/expect\(\{ \w+: \[\d+\] \}\)\.toEqual/);
  });

  test("an expect of somebody else's is not used", () => {
    const { appended } = plant(vitest, "a.test.ts", 'import { expect } from "chai";\ntest("a", () => expect(1).to.equal(1));\n');
    expect(appended?.text).toContain("throw new Error(");
    expect(appended?.text.match(/expect\(/g)).toHaveLength(1);
  });

  test("a hostile text takes no time", () => {
    const began = performance.now();
    const texts = [
      `import ${" ".repeat(190_000)}`,
      "import {a}\n".repeat(17_000),
      'test("a'.repeat(28_000),
      "const {".repeat(28_000),
      "it(".padEnd(190_000),
    ];
    for (const text of texts) plant(vitest, "a.test.ts", text);
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});
