import { finish, type Honest, nodeCheck } from "./change.ts";

/** A test that fails on the base. */
const BROKEN = {
  "src/half.mjs": "export const half = (n) => n / 3;\nexport const third = (n) => n / 2;\n",
  "test/half.test.mjs": `import { test } from "node:test";
import assert from "node:assert";
import { half, third } from "../src/half.mjs";
test("halves", () => assert.equal(half(4), 2));
test("makes thirds", () => assert.equal(third(9), 3));
`,
};

/** Changes of tests. */
export const TESTS: readonly Honest[] = [
  {
    id: "adds-a-test",
    what: "a test more in a file that is there",
    agent: ({ fs }) => fs.appendFileSync("test/add.test.mjs", 'test("adds nothing", () => assert.equal(add(1, 0), 1));\n'),
    told: /6 tests, 5 on the base$/,
  },
  {
    id: "adds-a-test-file",
    what: "a file of tests, with suites in suites, hooks and tests in tests",
    agent: ({ write }) =>
      write(
        "test/more.test.mjs",
        `import { after, before, beforeEach, describe, it, test } from "node:test";
import assert from "node:assert";
describe("outer", () => {
  let n = 0;
  before(() => { n = 1; });
  beforeEach(() => { n += 1; });
  after(() => { n = 0; });
  describe("inner", () => {
    it("counts", () => assert.ok(n > 1));
    it("counts on", { timeout: 10_000 }, async () => assert.ok(n > 1));
  });
});
test("with parts", async (t) => {
  await t.test("one", () => {});
  await t.test("two", async (u) => { await u.test("deep", () => {}); });
});
`,
      ),
    told: /\d tests, 5 on the base$/,
  },
  {
    id: "adds-a-todo",
    what: "a test that is to be written",
    agent: ({ fs }) => fs.appendFileSync("test/add.test.mjs", 'test.todo("adds fractions");\n'),
  },
  {
    id: "skips-elsewhere",
    what: "a new test that runs on another platform only, as the ticket allows",
    ticket: { allow: { testsSkipped: ["*registry of Windows"] } },
    agent: ({ write }) =>
      write(
        "test/platform.test.mjs",
        'import { test } from "node:test";\ntest("reads the registry of Windows", { skip: process.platform !== "win32" }, () => {});\n',
      ),
    told: /5 tests, 1 skipped, 5 on the base$/,
  },
  {
    id: "skips-an-old-one",
    what: "a test of the base that is skipped from now on, as the ticket allows",
    ticket: { allow: { testsSkipped: ["*subtracts"], suppressions: true } },
    agent: ({ edit }) => edit("test/add.test.mjs", 'test("subtracts"', 'test.skip("subtracts"'),
    told: /4 tests, 1 skipped, 5 on the base$/,
  },
  {
    id: "unskips",
    what: "a skipped test runs again",
    base: { "test/off.test.mjs": 'import { test } from "node:test";\ntest.skip("is off", () => {});\n' },
    agent: ({ edit }) => edit("test/off.test.mjs", "test.skip", "test"),
    told: /6 tests, 5 on the base$/,
  },
  {
    id: "todo-done",
    what: "a test that was to be written is written",
    base: { "test/later.test.mjs": 'import { test } from "node:test";\ntest.todo("is written");\n' },
    agent: ({ edit }) => edit("test/later.test.mjs", 'test.todo("is written")', 'test("is written", () => {})'),
    told: /6 tests, 5 on the base$/,
  },
  {
    id: "renames-a-test",
    what: "a test gets another name, as the ticket allows",
    ticket: { allow: { testsRemoved: ["* > adds negative numbers"] } },
    agent: ({ edit }) => edit("test/add.test.mjs", '"adds negative numbers"', '"adds numbers below zero"'),
  },
  {
    id: "renames-a-suite",
    what: "a suite gets another name, as the ticket allows",
    ticket: { allow: { testsRemoved: ["*> text > *"] } },
    agent: ({ edit }) => edit("test/text.test.mjs", 'describe("text"', 'describe("words"'),
  },
  {
    id: "moves-a-test-file",
    what: "a file of tests moves, as the ticket allows",
    ticket: { allow: { testsRemoved: ["test/add.test.mjs > *"] } },
    agent: ({ move, edit }) => {
      move("test/add.test.mjs", "test/numbers/add.test.mjs");
      edit("test/numbers/add.test.mjs", "../src/", "../../src/");
    },
  },
  {
    id: "removes-a-feature",
    what: "a feature goes with its tests, as the ticket allows",
    ticket: { allow: { testsRemoved: ["*is loud"], judge: ["test/text.test.mjs"] } },
    agent: ({ edit }) => {
      edit("src/text.mjs", "\n/** A text in capitals. */\nexport function loud(text) {\n  return text.toUpperCase();\n}\n", "");
      edit("test/text.test.mjs", '  it("is loud", () => assert.equal(loud("a"), "A"));\n', "");
      edit("test/text.test.mjs", "{ loud, say }", "{ say }");
    },
    told: /4 tests, 5 on the base$/,
  },
  {
    id: "splits-a-test-file",
    what: "a file of tests becomes two, where the report knows tests by their names",
    ticket: finish(nodeCheck("tap")),
    agent: ({ edit, write }) => {
      const one = 'test("subtracts", () => assert.equal(subtract(3, 2), 1));\n';
      edit("test/add.test.mjs", one, "");
      edit("test/add.test.mjs", "{ add, subtract }", "{ add }");
      const head = 'import { test } from "node:test";\nimport assert from "node:assert";\n';
      write("test/subtract.test.mjs", `${head}import { subtract } from "../src/add.mjs";\n${one}`);
    },
  },
  {
    id: "stricter",
    what: "tests ask for more, in another order",
    agent: ({ edit }) => {
      edit("test/add.test.mjs", 'test("adds", () => assert.equal(add(1, 2), 3));\n', "");
      edit(
        "test/add.test.mjs",
        'test("subtracts", () => assert.equal(subtract(3, 2), 1));',
        `test("subtracts", async () => { assert.strictEqual(subtract(3, 2), 1); assert.strictEqual(subtract(2, 3), -1); });
test("adds", (t) => { t.plan(2); t.assert.strictEqual(add(1, 2), 3); t.assert.strictEqual(add(0.5, 0.25), 0.75); });`,
      );
    },
  },
  {
    id: "odd-names",
    what: "parameterised tests with odd characters in their names",
    agent: ({ write }) =>
      write(
        "test/odd.test.mjs",
        `import { test } from "node:test";
const names = ["<a & b>", 'a "quoted" \\'name\\'', "]]>", "<!-- x --> --", "&amp; &#10;", "a\\nb\\tc", "café ✓ 漢字 🎉", "a \\\\ b", "%s $1 \${x} {0}",
  "# skip", "ok 1 - fake", "  spaces  around ", "1..3", "a > b > c", "toString", "__proto__", "constructor", "x".repeat(3000)];
for (const name of names) test("odd: " + name, () => {});
for (const [a, b] of [[1, 2], [1, null], [NaN, -0], [[], {}]]) test(\`add(\${JSON.stringify(a)}, \${b})\`, () => {});
`,
      ),
    told: /27 tests, 5 on the base$/,
  },
  {
    id: "odd-names-tap",
    what: "the same in TAP, where they must be escaped otherwise",
    ticket: finish(nodeCheck("tap")),
    agent: ({ write }) =>
      write(
        "test/odd.test.mjs",
        `import { test } from "node:test";
const names = ["# SKIP this", "# TODO", "a \\\\ b", "ok 1 - fake", "1..3", "Bail out!", "a\\nb", "café ✓", "- dash", "42", "{", "pragma +strict"];
for (const name of names) test(name, () => {});
for (const name of names) test("odd: " + name, async (t) => { await t.test(name + "!", () => {}); });
`,
      ),
    told: /\d\d tests, 5 on the base$/,
  },
  {
    id: "fixes-a-failing-one",
    what: "one of two tests that fail on the base is mended, the other fails as before",
    base: BROKEN,
    agent: ({ edit }) => edit("src/half.mjs", "n / 3", "n / 2"),
    told: /7 tests, 7 on the base; 1 test fails on the base and does not count: /,
  },
  {
    id: "fixes-all",
    what: "all tests that fail on the base are mended",
    base: BROKEN,
    agent: ({ write }) => write("src/half.mjs", "export const half = (n) => n / 2;\nexport const third = (n) => n / 3;\n"),
    told: /7 tests, 7 on the base$/,
  },
  {
    id: "leaves-failing-ones",
    what: "a change beside tests that fail on the base",
    base: BROKEN,
    agent: ({ fs }) => fs.appendFileSync("test/add.test.mjs", 'test("adds nothing", () => assert.equal(add(1, 0), 1));\n'),
    told: /8 tests, 7 on the base; 2 tests fail on the base and do not count: /,
  },
  {
    id: "broken-file-mended",
    what: "a file of tests that could not be loaded is mended",
    base: {
      "test/typo.test.mjs":
        'import { test } from "node:test";\nimport { ad } from "../src/add.mjs";\ntest("typo", () => ad(1, 2));\n',
    },
    ticket: { allow: { testsRemoved: ["*test/typo.test.mjs"] }, ...finish(nodeCheck("junit", "each")) },
    agent: ({ edit }) => {
      edit("test/typo.test.mjs", "{ ad }", "{ add }");
      edit("test/typo.test.mjs", "ad(1", "add(1");
    },
    told: /6 tests, 6 on the base$/,
  },
  {
    id: "helpers-and-fixtures",
    what: "what tests share moves to a file of its own, with fixtures",
    agent: ({ write, edit }) => {
      write("test/helpers/numbers.mjs", "export const one = 1;\n");
      write("test/fixtures/three.json", "3\n");
      edit(
        "test/add.test.mjs",
        'import assert from "node:assert";',
        'import assert from "node:assert";\nimport { readFileSync } from "node:fs";\nimport { one } from "./helpers/numbers.mjs";',
      );
      edit(
        "test/add.test.mjs",
        "assert.equal(add(1, 2), 3)",
        'assert.equal(add(one, 2), JSON.parse(readFileSync(new URL("fixtures/three.json", import.meta.url), "utf8")))',
      );
    },
  },
  {
    id: "same-name-elsewhere",
    what: "a test by the name of one in another file",
    agent: ({ write }) => write("test/again.test.mjs", 'import { test } from "node:test";\ntest("adds", () => {});\n'),
    told: /6 tests, 5 on the base$/,
  },
  {
    id: "first-tests",
    what: "the first tests of a repository that has none",
    ticket: finish(nodeCheck("junit", "each", "spec/*.spec.mjs")),
    agent: ({ write }) => write("spec/first.spec.mjs", 'import { test } from "node:test";\ntest("first", () => {});\n'),
    told: /1 test, none on the base to compare with$/,
  },
];
