import { join } from "node:path";
import { expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { type Files, judged, opened } from "./evidence-stage.ts";

function pytest(...words: readonly string[]) {
  const command = ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml={artifacts}/r.xml", ...words];
  return { step: "check", name: "tests", command, report: { format: "junit", path: "{artifacts}/r.xml" } } as StepSpec;
}

function byNode(...words: readonly string[]) {
  const command = [process.execPath, "--test", "--test-reporter=tap", ...words];
  return { step: "check", name: "tests", command, report: { format: "tap", path: "-" } } as StepSpec;
}

function byVitest() {
  const script = join(import.meta.dirname, "..", "..", "node_modules", "vitest", "vitest.mjs");
  const words = ["run", "--globals", "--dir", "vi", "--reporter=json", "--outputFile={artifacts}/r.json"];
  const report = { format: "vitest", path: "{artifacts}/r.json" };
  return { step: "check", name: "tests", command: [process.execPath, script, ...words], report } as StepSpec;
}

function inFolder(folder: string) {
  const script = `cd ${folder} && /usr/bin/python3 -m pytest -q -p no:cacheprovider --junitxml=$LOOPDASH_ARTIFACTS/r.xml tests`;
  const report = { format: "junit", path: "{artifacts}/r.xml" };
  return { step: "check", name: "tests", command: ["sh", "-c", script], report } as StepSpec;
}

const TEST = "from calc import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n";
const CALC = "def add(a, b):\n    return a + b\n";
const PY: Files = { "calc.py": CALC, "tests/test_calc.py": TEST, "tests/test_more.py": TEST.replace("adds", "sums") };
const SETTINGS = "[project]\nname = 'calc'\n\n[tool.pytest.ini_options]\naddopts = '--strict-markers'\n";
const MARKED = `import pytest\n\n${TEST.replace("def", "@pytest.mark.quick\ndef")}`;

const NODE: Files = {
  "add.mjs": "export const add = (a, b) => a + b;\n",
  "test/helpers/values.mjs": "export const three = 3;\n",
  "test/add.test.mjs": `import { test } from "node:test";
import assert from "node:assert";
import { add } from "../add.mjs";
import { three } from "./helpers/values.mjs";

test("adds", () => assert.equal(add(1, 2), three));
test("adds the other way round", () => assert.equal(add(2, 1), three));
`,
};

const DEEP = {
  "test/helpers/values.mjs": 'export { three } from "./deep/three.mjs";\n',
  "test/helpers/deep/three.mjs": 'export { three } from "./more/numbers.mjs";\n',
  "test/helpers/deep/more/numbers.mjs": "export const three = 3;\n",
};

const SRC: Files = {
  "src/config.mjs": "export const port = 80;\n",
  "src/app.mjs": 'import { port } from "./config.mjs";\nexport const info = () => [port].length + 1;\n',
  "vi/app.test.mjs": `import { info } from "../src/app.mjs";
test("tells", () => expect(info()).toBe(2));
test("tells again", () => expect(info()).toBe(2));
`,
};
const PORTS: Files = {
  "src/config.mjs": "export const port = 80;\nexport const timeout = 5;\n",
  "src/app.mjs": 'import { port, timeout } from "./config.mjs";\nexport const info = () => [port, timeout.toFixed(1)].length;\n',
  "vi/new.test.mjs": 'test("is new", () => expect(1).toBe(1));\n',
};

interface Case {
  readonly base: Files;
  readonly change: Files;
  readonly check?: StepSpec;
}

test.each<[string, Case]>([
  [
    "a marker is added to strict ones, and marks a test of the base",
    {
      base: { ...PY, "pyproject.toml": `${SETTINGS}markers = ['slow']\n` },
      change: { "pyproject.toml": `${SETTINGS}markers = ['slow', 'quick']\n`, "tests/test_calc.py": MARKED },
    },
  ],
  [
    "markers become strict with the first one, which marks a new test",
    {
      base: { ...PY, "pyproject.toml": "[project]\nname = 'calc'\n" },
      change: { "pyproject.toml": `${SETTINGS}markers = ['quick']\n`, "tests/test_new.py": MARKED.replace("adds", "is_new") },
    },
  ],
  [
    "a test of the base uses a fixture of a new conftest.py",
    {
      base: PY,
      change: {
        "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n",
        "tests/test_calc.py": "from calc import add\n\n\ndef test_adds(three):\n    assert add(1, 2) == three\n",
      },
    },
  ],
  [
    "a package below src has a new module types",
    {
      base: {
        "pytest.ini": "[pytest]\npythonpath = src\n",
        "src/pack/__init__.py": "",
        "src/pack/calc.py": CALC,
        "tests/test_calc.py": TEST.replace("calc", "pack.calc"),
      },
      change: {
        "src/pack/types.py": "Number = int\n",
        "src/pack/calc.py": `from pack.types import Number\n\n\n${CALC.replace("(a, b)", "(a: Number, b: Number)")}`,
      },
    },
  ],
  [
    "src is a package, and has a new module types",
    {
      base: { "src/__init__.py": "", "src/calc.py": CALC, "tests/test_calc.py": TEST.replace("calc", "src.calc") },
      change: { "src/types.py": "Number = int\n", "src/calc.py": `from src.types import Number\n\n\n${CALC}` },
    },
  ],
  [
    "src is a package without an __init__.py, and has a new module types",
    {
      base: { "src/calc.py": CALC, "tests/test_calc.py": TEST.replace("calc", "src.calc") },
      change: { "src/types.py": "Number = int\n", "src/calc.py": `from .types import Number\n\n\n${CALC}` },
    },
  ],
  [
    "a package that contains its tests has a new module types",
    {
      base: {
        "shop/__init__.py": "",
        "shop/tests/__init__.py": "",
        "shop/calc.py": CALC,
        "shop/tests/test_calc.py": TEST.replace("calc", "shop.calc"),
      },
      change: { "shop/types.py": "Number = int\n", "shop/calc.py": `from shop.types import Number\n\n\n${CALC}` },
      check: pytest("shop"),
    },
  ],
  [
    "a module moves to another folder that is searched",
    {
      base: { ...PY, "pytest.ini": "[pytest]\npythonpath = src .\n", "src/other.py": "TWO = 2\n" },
      change: { "calc.py": null, "src/calc.py": `from other import TWO\n\n\n${CALC}`, "src/more.py": "" },
    },
  ],
  [
    "a folder with code and tests becomes a package",
    {
      base: { "app/calc.py": CALC, "app/tests/test_calc.py": TEST.replace("calc", "app.calc") },
      change: { "app/__init__.py": "TWO = 2\n", "app/calc.py": `from app import TWO\n\n\n${CALC}` },
      check: pytest("app"),
    },
  ],
  [
    "the suite has another name in the report",
    {
      base: PY,
      change: { "pytest.ini": "[pytest]\njunit_suite_name = calc\n", "calc.py": "def add(a, b):\n    return b + a\n" },
    },
  ],
  ["a helper of a test loads new ones, two levels deep", { base: NODE, change: DEEP, check: byNode() }],
  [
    "a helper of a test loads new ones, and all tests share a process",
    { base: NODE, change: DEEP, check: byNode("--test-isolation=none") },
  ],
  [
    "a test of the base loads a new helper, which loads others",
    {
      base: NODE,
      change: {
        ...DEEP,
        "test/helpers/values.mjs": NODE["test/helpers/values.mjs"] ?? "",
        "test/add.test.mjs": (NODE["test/add.test.mjs"] ?? "").replace("values.mjs", "deep/three.mjs"),
      },
      check: byNode(),
    },
  ],
  [
    "a helper of a test loads new ones, and there is a new test",
    {
      base: NODE,
      change: {
        ...DEEP,
        "test/new.test.mjs": 'import { test } from "node:test";\nimport "./helpers/values.mjs";\ntest("new", () => {});\n',
      },
      check: byNode(),
    },
  ],
  [
    "code under test has the name of a module that the settings load",
    {
      base: { ...SRC, "vitest.config.mjs": '/** @type {import("vitest/config").UserConfig} */\nexport default {};\n' },
      change: PORTS,
      check: byVitest(),
    },
  ],
  [
    "settings name the folder of the code under test",
    {
      base: {
        ...SRC,
        "vitest.config.mjs": 'export default { resolve: { alias: { "@": "./src", "~": "./src/config.mjs" } } };\n',
      },
      change: PORTS,
      check: byVitest(),
    },
  ],
  [
    "a setup file loads code under test",
    {
      base: {
        ...SRC,
        "vitest.config.mjs": 'export default { test: { setupFiles: ["./setup.mjs"] } };\n',
        "setup.mjs": 'import "./src/config.mjs";\n',
      },
      change: PORTS,
      check: byVitest(),
    },
  ],
  [
    "a test below the folder in which pytest starts uses a fixture of a new conftest.py",
    {
      base: { "backend/calc.py": CALC, "backend/tests/test_calc.py": TEST, "backend/tests/test_more.py": TEST },
      change: {
        "backend/tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n",
        "backend/tests/test_calc.py": "from calc import add\n\n\ndef test_adds(three):\n    assert add(1, 2) == three\n",
      },
      check: inFolder("backend"),
    },
  ],
])("an honest change lands by itself: %s", async (_, { check = pytest("tests"), ...rest }) => {
  using stage = await opened({ check, ...rest, stage: { proof: "each" } });
  const { landed, summary, detail } = await judged(stage);
  const awaits = stage.of("approval-awaited")[0]?.zones;
  expect(landed ? "landed" : `${summary}\n${detail}\n${awaits}`).toBe("landed");
});
