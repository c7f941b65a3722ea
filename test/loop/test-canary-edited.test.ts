import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { type Files, type Judging, judge, judged, opened } from "./evidence-stage.ts";

const TAP = {
  step: "check",
  name: "tests",
  command: [process.execPath, "--test", "--test-isolation=none", "--test-reporter=tap", "test/*.mjs"],
  report: { format: "tap", path: "-" },
} satisfies StepSpec;

const PYTEST = {
  step: "check",
  name: "tests",
  command: ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml={artifacts}/r.xml", "tests"],
  report: { format: "junit", path: "{artifacts}/r.xml" },
} satisfies StepSpec;

const IN_BACKEND =
  "cd backend && /usr/bin/python3 -m pytest -q -p no:cacheprovider --junitxml=$LOOPDASH_ARTIFACTS/r.xml tests/test_more.py tests/test_calc.py";

const HEAD = 'import { test } from "node:test";\nimport assert from "node:assert";\n';

const ROUND = `${HEAD}import { round } from "../money.mjs";

test("rounds down", () => assert.equal(round(1.2), 1));
test("rounds a half", () => assert.equal(round(2.5), 2));
`;

const ADD = `${HEAD}import { add } from "../money.mjs";
import { three } from "./helpers/values.mjs";

test("adds", () => assert.equal(add(1, 2), three));
`;

const NODE: Files = {
  "money.mjs": "export const add = (a, b) => a + b;\nexport const round = (a) => Math.floor(a);\n",
  "test/add.test.mjs": ADD,
  "test/round.test.mjs": ROUND,
  "test/helpers/values.mjs": "export const three = 3;\n",
};
const ROUNDS = { "money.mjs": "export const add = (a, b) => a + b;\nexport const round = (a) => Math.round(a);\n" };

const PY: Files = {
  "calc.py": "def add(a, b):\n    return a + b\n",
  "tests/__init__.py": "",
  "tests/test_base.py":
    "import unittest\n\n\nclass Base(unittest.TestCase):\n    def test_is_there(self):\n        assert self\n",
  "tests/test_calc.py":
    "from calc import add\nfrom tests.test_base import Base\n\n\nclass TestCalc(Base):\n    def test_adds(self):\n        assert add(1, 2) == 3\n",
};

test.each<[string, Judging]>([
  [
    "behaviour changes, and its test with it",
    { base: NODE, change: { ...ROUNDS, "test/round.test.mjs": ROUND.replace("2.5), 2", "2.5), 3") } },
  ],
  [
    "a helper and a test are edited, and a test that is not needs the helper as it is now",
    {
      base: NODE,
      change: {
        "money.mjs": "export const add = (a, b) => a + b + ' EUR';\nexport const round = (a) => Math.floor(a);\n",
        "test/helpers/values.mjs": 'import "./more.mjs";\nexport const three = "3 EUR";\n',
        "test/helpers/more.mjs": "export const more = 1;\n",
        "test/round.test.mjs": `${ROUND}test("rounds nothing", () => assert.equal(round(0), 0));\n`,
      },
    },
  ],
  [
    "a test is renamed within its file",
    {
      base: NODE,
      change: { ...ROUNDS, "test/round.test.mjs": ROUND.replace("a half", "a half up").replace("2.5), 2", "2.5), 3") },
      ticket: { allow: { testsRemoved: ["rounds a half"], testsSkipped: [], suppressions: false } },
    },
  ],
  [
    "an edited test imports a new export, and the old one is gone",
    {
      base: NODE,
      change: {
        "money.mjs": "export const add = (a, b) => a + b;\nexport const floor = (a) => Math.floor(a);\n",
        "test/round.test.mjs": ROUND.replace("{ round }", "{ floor as round }"),
      },
    },
  ],
  [
    "tests of an edited file have names that are made",
    {
      base: {
        ...NODE,
        "test/many.test.mjs": `${HEAD}for (const n of [1, 2]) test(\`is \${n}\`, () => assert.ok(n));\n`,
      },
      change: { "test/many.test.mjs": `${HEAD}for (const n of [1, 2, 3]) test(\`is \${n}\`, () => assert.ok(n));\n` },
    },
  ],
  [
    "a test needs what an edited file of tests does to the process",
    {
      base: {
        ...NODE,
        "test/a.test.mjs": `${HEAD}globalThis.ready = true;\ntest("is there", () => assert.ok(true));\n`,
        "test/b.test.mjs": `${HEAD}test("is ready", () => assert.ok(globalThis.ready));\n`,
      },
      change: { "test/a.test.mjs": `${HEAD}globalThis.ready = true;\ntest("is there", () => assert.ok(1));\n` },
    },
  ],
  [
    "a test needs a class of an edited file of tests, as it is now",
    {
      base: PY,
      change: {
        "calc.py": "def add(a, b):\n    return a + b\n\n\ndef two():\n    return 2\n",
        "tests/test_base.py": `from calc import two\n${PY["tests/test_base.py"]?.replace("assert self", "assert two() == 2")}`,
      },
      check: PYTEST,
    },
  ],
  [
    "a file that the command names is edited",
    {
      base: NODE,
      change: { ...ROUNDS, "test/round.test.mjs": ROUND.replace("2.5), 2", "2.5), 3") },
      check: { ...TAP, command: [process.execPath, ...TAP.command.slice(1, 4), "test/round.test.mjs", "./test/add.test.mjs"] },
    },
  ],
  [
    "a file that the command names from another folder is edited",
    {
      base: {
        "backend/calc.py": "def add(a, b):\n    return a + b\n",
        "backend/tests/test_calc.py": "from calc import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n",
        "backend/tests/test_more.py": "def test_is_there():\n    assert True\n",
      },
      change: { "backend/tests/test_more.py": "def test_is_there():\n    assert 1 == 1\n" },
      check: { ...PYTEST, command: ["sh", "-c", IN_BACKEND] },
    },
  ],
])("an honest change lands: %s", async (_, judging) => {
  const { landed, summary, detail } = await judge({ check: TAP, ...judging });
  expect(landed ? "landed" : `${summary}\n${detail}`).toBe("landed");
});

test("edited tests cost one more run, and none if no other file has tests", async () => {
  const runsOf = async (change: Files) => {
    using stage = await opened({ base: NODE, change });
    const file = join(stage.root, "runs-noted");
    writeFileSync(file, "");
    const script = `echo >> '${file}'; exec '${process.execPath}' --test --test-isolation=none --test-reporter=tap test/*.mjs`;
    using counted = await opened({ base: NODE, change, check: { ...TAP, command: ["sh", "-c", script] } });
    expect((await judged(counted)).landed).toBe(true);
    return readFileSync(file, "utf8").length;
  };
  const round = `${ROUND}test("rounds nothing", () => assert.equal(round(0), 0));\n`;
  expect(await runsOf({ "test/round.test.mjs": round })).toBe(3 + 1);
  expect(await runsOf({ "test/round.test.mjs": round, "test/add.test.mjs": `${ADD}// A sum.\n` })).toBe(3);
  expect(await runsOf({ "money.mjs": `${NODE["money.mjs"]}// Money.\n` })).toBe(3);
});
