import { describe, expect, test } from "vitest";
import { type Change, classify, kindsIn } from "./classify.ts";

const NODE: Change["base"] = {
  "package.json": JSON.stringify({ name: "app", main: "src/index.mjs", scripts: { test: "node --test" } }),
  "src/index.mjs": 'export * from "./add.mjs";\n',
  "src/add.mjs": "export const add = (a, b) => a + b;\n",
  "src/pages/data.json": "{}\n",
  "test/add.test.mjs":
    'import { add } from "../src/add.mjs";\nimport { three } from "./helpers/values.mjs";\ntest("adds", () => {});\n',
  "test/helpers/values.mjs": "export const three = 3;\n",
  "README.md": "# App\n",
};
const PY: Change["base"] = {
  "calc.py": "def add(a, b):\n    return a + b\n",
  "pack/__init__.py": "",
  "pack/parts.py": "PART = 1\n",
  "tests/test_calc.py": "import json\nfrom calc import add\nfrom pack.parts import PART\n",
  "pyproject.toml": "[project]\nname = 'calc'\n",
};
const TS: Change["base"] = {
  "package.json": JSON.stringify({ scripts: { test: "vitest run", dev: "vite" }, jest: { setupFiles: ["./src/mend.ts"] } }),
  "index.html": '<script type="module" src="/src/main.ts"></script>',
  "tsconfig.json": JSON.stringify({ compilerOptions: { baseUrl: "./src", paths: { "@/*": ["./src/*"] } }, include: ["src"] }),
  "vitest.config.ts": 'export default { test: { setupFiles: ["./src/prepare.ts"] }, resolve: { alias: { "@": "./src" } } };\n',
  "src/main.ts": 'import { app } from "@/app";\n',
  "src/app.ts": `import { add } from "./add.js";\nconst page = \`./pages/\${name}.ts\`;\nexport const app = () => import(page);\n`,
  "src/add.ts": "export const add = 1;\n",
  "src/mend.ts": "globalThis.x = 1;\n",
  "src/prepare.ts": "globalThis.y = 1;\n",
  "src/add.test.ts": 'import { expect } from "vitest";\nimport * as chai from "chai";\nimport "./add";\n',
};
const GO: Change["base"] = { "go.mod": "module a\n", "calc/calc.go": "package calc\n", "calc/calc_test.go": "package calc\n" };

const node = (change: Change["change"], more: Partial<Change> = {}) =>
  kindsIn({ command: ["npm", "test"], base: NODE, change, ...more });
const py = (change: Change["change"], more: Partial<Change> = {}) => kindsIn({ command: ["pytest"], base: PY, change, ...more });
const ts = (change: Change["change"], more: Partial<Change> = {}) =>
  kindsIn({ command: ["npm", "test"], base: TS, change, ...more });

describe("code under test", () => {
  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ["what tests and entry points load", node({ "src/add.mjs": "", "src/index.mjs": "" }), ["src/add.mjs", "src/index.mjs"]],
    [
      "new files that it loads, by whatever words",
      node({
        "src/add.mjs": 'import{a}from"./more.mjs";new Worker(new URL("./work.mjs",import.meta.url));',
        "src/more.mjs": 'export const a = require("./deep/deepest");\n',
        "src/work.mjs": "",
        "src/deep/deepest.cjs": "",
      }),
      ["src/add.mjs", "src/more.mjs", "src/work.mjs", "src/deep/deepest.cjs"],
    ],
    [
      "data that it names",
      node({
        "src/add.mjs":
          'readFileSync(join(here, "..", "data", "rates.csv"));\nimport x from "./pages/data.json" with { type: "json" };\n',
        "data/rates.csv": "",
        "src/pages/data.json": "",
      }),
      ["src/add.mjs", "data/rates.csv", "src/pages/data.json"],
    ],
    [
      "a file that is gone, if the base loads it",
      node({ "src/add.mjs": null, "src/sum.mjs": "", "src/index.mjs": 'import "./sum.mjs"' }),
      ["src/add.mjs", "src/sum.mjs", "src/index.mjs"],
    ],
    [
      "what is named by an alias, by the name after compilation, and files of a folder that are chosen while it runs",
      ts({ "src/app.ts": TS["src/app.ts"] ?? "", "src/add.ts": "1", "src/pages/home.ts": "" }),
      ["src/app.ts", "src/add.ts", "src/pages/home.ts"],
    ],
    [
      "modules of Python, also relative ones and those in parentheses",
      py({
        "calc.py": "from pack import (\n    parts,\n    more,\n)\nfrom extra.deep import x\n",
        "pack/more.py": "from .next import y\n",
        "pack/next.py": "",
        "extra/deep.py": "",
        "pack/__init__.py": "1",
      }),
      ["calc.py", "pack/more.py", "pack/next.py", "extra/deep.py", "pack/__init__.py"],
    ],
    [
      "each source file of a language whose imports are not read",
      kindsIn({
        command: ["go", "test", "./..."],
        base: GO,
        change: { "calc/calc.go": "", "calc/more.go": "", "other/other.go": "" },
      }),
      ["calc/calc.go", "calc/more.go", "other/other.go"],
    ],
  ])("is %s", (_, kinds, code) => {
    expect(kinds).toEqual(Object.fromEntries(code.map((path) => [path, "code"])));
  });
});

/** Each is imported by code under test besides. */
const FOUND = [
  "postcss.config.mjs",
  "src/tailwind.config.ts",
  ".hidden.mjs",
  "src/.rc/mend.mjs",
  "vitest.setup.mjs",
  "jest-setup.js",
  "setupTests.mjs",
  "src/setup-tests.ts",
  "test-setup.mjs",
  "globalSetup.mjs",
  "babelrc.json",
  "karma.conf.js",
  "gulpfile.js",
  "tsconfig.base.json",
  "turbo.json",
  "__mocks__/fs.mjs",
  "src/__mocks__/add.mjs",
  "node_modules/chai/index.js",
  "tests/mend.mjs",
  "test/mend.test.mjs",
  "mend.test.mjs",
  "bunfig.toml",
  "package.json",
  "package-lock.json",
  "pkg/package.json",
];

describe("the judge's are", () => {
  test.each(FOUND)("%s, though code loads it", (path) => {
    const kind = node({ "src/add.mjs": `import "../${path}";\n`, [path]: "1" })[path];
    expect(kind).toMatch(/\.test\.|^tests\//.test(path) ? "additions" : "judges");
  });

  test.each([
    ["conftest.py"],
    ["sitecustomize.py"],
    ["mend.pth"],
    ["json.py"],
    ["attr.py"],
    ["_pytest/__init__.py"],
    ["tests/attr/__init__.py"],
    ["__init__.py"],
    ["tests/__init__.py"],
    ["pack.egg-info/entry_points.txt"],
    ["pytest.ini"],
    ["calc.pyc"],
  ])("%s, though a module loads it", (path) => {
    const name = path.replace(/\.py$|\/__init__\.py$/, "").replaceAll("/", ".");
    expect(py({ "calc.py": `import ${name}\nopen("${path}")\n`, [path]: "" })[path]).toBe("judges");
  });

  test("what settings and the command name", () => {
    const change = { "src/add.ts": 'import "./mend";import "./prepare";', "src/mend.ts": "", "src/prepare.ts": "" };
    expect(ts(change)).toEqual({ "src/add.ts": "code", "src/mend.ts": "judges", "src/prepare.ts": "judges" });
    const command = ["node", "--import", "./src/add.mjs", "--test"];
    expect(node({ "src/add.mjs": "" }, { command })).toEqual({ "src/add.mjs": "judges" });
    const base = { ...PY, "conftest.py": 'pytest_plugins = ["pack.parts"]\nfrom calc import add\n' };
    expect(py({ "pack/parts.py": "", "calc.py": "" }, { base })).toEqual({ "pack/parts.py": "judges", "calc.py": "code" });
    const options = { ...PY, "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p calc'\n" };
    expect(py({ "calc.py": "" }, { base: options })).toEqual({ "calc.py": "judges" });
  });

  test("what would be found instead of a package that the base imports", () => {
    const change = {
      "src/add.ts": 'import "./chai";import "./vitest/index";import "./events"',
      "src/chai.ts": "",
      "src/vitest/index.ts": "",
      "src/events.ts": "",
    };
    expect(ts(change)).toEqual({
      "src/add.ts": "code",
      "src/chai.ts": "judges",
      "src/vitest/index.ts": "judges",
      "src/events.ts": "code",
    });
  });

  test("but not what a command only reads, unless that becomes a command", () => {
    const base = { "docs/setup.txt": "", list: "test/a.mjs" };
    const kinds = (...command: string[]) => kindsIn({ command, base, change: { "docs/setup.txt": "1", list: "" } });
    expect(kinds("test", "-f", "docs/setup.txt")).toEqual({ "docs/setup.txt": "code", list: "judges" });
    expect(kinds("sh", "-c", "grep -q x docs/setup.txt && node --test $(cat list)").list).toBe("judges");
    expect(kinds("sh", "-c", "cat list | xargs node --test").list).toBe("judges");
  });

  test("but not what tests of a red base wait for", () => {
    const base = { ...PY, "tests/test_new.py": "from later import new\n" };
    expect(py({ "later.py": "" }, { base, isRed: true })).toEqual({ "later.py": "code" });
    expect(py({ "later.py": "" }, { base })).toEqual({ "later.py": "judges" });
  });

  test("links, submodules, and files of tests that are edited or gone", () => {
    const change = { "src/add.mjs": 'import "./link.mjs"', "src/link.mjs": "../test/x", sub: "" };
    const modes = { "src/link.mjs": "symlink", sub: "submodule" } as const;
    expect(node(change, { modes })).toEqual({ "src/add.mjs": "code", "src/link.mjs": "judges", sub: "judges" });
    expect(node({ "test/add.test.mjs": "1", "test/helpers/values.mjs": null })).toEqual({
      "test/add.test.mjs": "judges",
      "test/helpers/values.mjs": "judges",
    });
  });

  test("tests by the names that the base gives them", () => {
    const base = { ...NODE, "checks/one.mjs": 'import "../src/add.mjs";' };
    const command = ["node", "--test", "checks/*.mjs"];
    expect(node({ "checks/one.mjs": "", "checks/two.mjs": "" }, { base, command })).toEqual({
      "checks/one.mjs": "judges",
      "checks/two.mjs": "additions",
    });
    const settings = { ...PY, "pyproject.toml": "[tool.pytest.ini_options]\npython_files = ['check_*.py']\n", "check_a.py": "" };
    expect(py({ "check_a.py": "1", "check_b.py": "" }, { base: settings })).toEqual({
      "check_a.py": "judges",
      "check_b.py": "additions",
    });
  });

  test("files of the base that nothing loads", () => {
    const base = { ...NODE, "tool.yml": "", "tools/tool.txt": "" };
    expect(node({ "tool.yml": "1", "tools/tool.txt": null }, { base })).toEqual({
      "tool.yml": "judges",
      "tools/tool.txt": "judges",
    });
  });
});

test("additions are new tests with what they load, and tests to which lines were added", () => {
  const text = NODE["test/add.test.mjs"] ?? "";
  const change = {
    "test/new.test.mjs": "",
    "test/helpers/more.mjs": "",
    "src/unused.mjs": "",
    "notes.txt": "",
    "test/add.test.mjs": `${text}test("more", () => {});\n`,
  };
  expect(new Set(Object.values(node(change)))).toEqual(new Set(["additions"]));
});

test("documents are inert, unless they lie among tests", () => {
  expect(node({ "README.md": "", "docs/a.md": "", "test/a.md": "" })).toEqual({
    "README.md": "inert",
    "docs/a.md": "inert",
    "test/a.md": "additions",
  });
});

test("hostile text is read in time linear to its length", () => {
  const texts = ['"', "from ", "import (", "'a/".repeat(3), "from . import (a,\n", "${", "../"].map((each) =>
    each.repeat(400_000 / each.length),
  );
  const began = performance.now();
  for (const text of texts) {
    node({ "src/add.mjs": text });
    py({ "calc.py": text });
  }
  expect(performance.now() - began).toBeLessThan(8_000);
});

describe("a source file that tests of the base load and that is the judge's besides", () => {
  const base = {
    "index.js": "module.exports = 1;\n",
    "test/a.js": "const one = require('../');\nrequire('tape')('a', (t) => t.end());\n",
  };
  const command = ["npx", "tape", "test/*.js"];

  test("is none by the files of dependencies that a list of what is installed names", () => {
    const lock = { "package-lock.json": JSON.stringify({ packages: { "node_modules/x": { bin: { x: "index.js" } } } }) };
    const sorted = classify({ command, base: { ...base, ...lock }, change: { "index.js": "module.exports = 2;\n" } });
    expect(sorted).toMatchObject({ code: ["index.js"], judges: [], tested: [] });
  });

  test("needs approval: with its old version, tests would say nothing of the change", () => {
    const settings = { ".toolrc.json": JSON.stringify({ setup: "./index.js" }) };
    const sorted = classify({ command, base: { ...base, ...settings }, change: { "index.js": "module.exports = 2;\n" } });
    expect(sorted).toMatchObject({ judges: ["index.js"], tested: ["index.js"] });
  });
});

test("tests are gone if most of their lines are, and not if their file has another name or its tests lie in two now", () => {
  const text = Array.from({ length: 10 }, (_, n) => `test("${n}", () => {});\n`).join("");
  const files = ["a", "b", "c", "d", "e"].map((name) => `test/${name}.test.mjs`);
  const [a = "", b = "", c = "", d = "", e = ""] = files;
  const own = (path: string) => text.replaceAll('test("', `test("${path} `);
  const base = { ...NODE, ...Object.fromEntries(files.map((path) => [path, own(path)])), "src/d.mjs": text };
  const lines = own(e).split("\n");
  const change = {
    [a]: null,
    [b]: "// b\n",
    [c]: own(c).slice(60),
    [d]: null,
    "test/renamed.test.mjs": own(d).replace("{}", "{ again(); }"),
    [e]: lines.slice(0, 4).join("\n"),
    "test/half.test.mjs": lines.slice(4).join("\n"),
    "src/d.mjs": null,
  };
  expect(classify({ command: ["node", "--test"], base, change }).testsGone).toEqual([a, b]);
});
