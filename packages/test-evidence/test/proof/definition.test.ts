import { describe, expect, test } from "vitest";
import { classify } from "./classify.ts";

const SCRIPTS = {
  test: "npm run unit && node scripts/check.mjs",
  unit: "vitest run",
  lint: "eslint .",
  all: "run-s 'part:*' lint",
  "part:a": "sh tools/a.sh",
  start: "node src/server.mjs",
};
const BASE: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ name: "a", main: "src/a.mjs", scripts: SCRIPTS, dependencies: { x: "1" } }),
  "pkg/package.json": JSON.stringify({ scripts: { test: "jest" } }),
  Makefile:
    "include tools/common.mk\nPY := python3\n\ntest: unit\n\t@$(PY) tools/run.py\n\nunit:\n\t@./tools/unit.sh\n\ndeploy:\n\t./deploy.sh\n",
  "tools/common.mk": "X = 1\n",
  "tools/run.py": "import helper\nfrom calc import add\n",
  "tools/helper.py": "",
  "tools/unit.sh": "#!/bin/sh\n. ./tools/env.sh\nexec node scripts/check.mjs\n",
  "tools/env.sh": "export A=1\n",
  "tools/a.sh": "true\n",
  "deploy.sh": "true\n",
  "scripts/check.mjs": 'import "./lib.mjs";\nimport "../src/a.mjs";\n',
  "scripts/lib.mjs": "",
  "src/a.mjs": "",
  "src/server.mjs": "",
  "calc.py": "",
  "test/a.test.mjs": 'import "../src/a.mjs";',
  "tests/test_calc.py": "import calc",
};

/** What a change of these files changes of the definition of a check by this command. */
function changes(command: readonly string[], change: Readonly<Record<string, string | null>>, base = BASE) {
  return classify({ command, base, change }).definition.map(({ says }) => says);
}

const pack = (scripts: Readonly<Record<string, unknown>>, more = {}) =>
  JSON.stringify({ name: "b", scripts: { ...SCRIPTS, ...scripts }, dependencies: { x: "2" }, ...more });

describe("the definition of a check", () => {
  test.each<[string, readonly string[], Readonly<Record<string, string | null>>, readonly string[]]>([
    ["is the Makefile", ["make", "test"], { Makefile: "test:\n\t@true\n" }, ["Makefile"]],
    ["and one that comes before it", ["make", "test"], { GNUmakefile: "test:\n\t@true\n" }, ["GNUmakefile"]],
    ["and those that it includes", ["make", "test"], { "tools/common.mk": "" }, ["tools/common.mk"]],
    [
      "and the programs of the target's recipes, in chains",
      ["make", "test"],
      {
        "tools/run.py": "",
        "tools/helper.py": "",
        "tools/unit.sh": "",
        "tools/env.sh": "",
        "scripts/check.mjs": "",
        "scripts/lib.mjs": "",
      },
      ["tools/run.py", "tools/helper.py", "tools/unit.sh", "tools/env.sh", "scripts/check.mjs", "scripts/lib.mjs"],
    ],
    [
      "without code under test, and programs of other targets",
      ["make", "test"],
      { "src/a.mjs": "", "calc.py": "", "deploy.sh": "" },
      [],
    ],
    [
      "is the script, and those that it runs",
      ["npm", "test"],
      { "package.json": pack({ test: "true", unit: "true" }) },
      ["test, unit"],
    ],
    [
      "and those before and after it",
      ["npm", "test"],
      { "package.json": pack({ pretest: "true", postunit: "x" }) },
      ["pretest, postunit"],
    ],
    [
      "and what it runs",
      ["npm", "test"],
      { "scripts/check.mjs": "", "scripts/lib.mjs": "" },
      ["scripts/check.mjs", "scripts/lib.mjs"],
    ],
    ["but no other script, and no dependency", ["npm", "test"], { "package.json": pack({ lint: "true", start: "x" }) }, []],
    [
      "and scripts of a list",
      ["pnpm", "all"],
      { "package.json": pack({ "part:a": "", "part:b": "x" }), "tools/a.sh": "" },
      ["part:a", "tools/a.sh"],
    ],
    ["and how scripts are run", ["npm", "test"], { ".npmrc": "script-shell=/bin/true\n" }, [".npmrc"]],
    [
      "and who runs them",
      ["yarn", "test"],
      { "package.json": pack({}, { packageManager: "yarn@9" }), ".yarnrc.yml": "" },
      ["packageManager", ".yarnrc.yml"],
    ],
    ["is gone with its package.json", ["npm", "test"], { "package.json": null }, ["package.json"]],
    [
      "is in the folder that the command changes to",
      ["sh", "-c", "cd pkg && npm test"],
      { "pkg/package.json": "{}" },
      ["pkg/package.json: test"],
    ],
    ["or names", ["npm", "--prefix", "pkg", "test"], { "pkg/package.json": "{}" }, ["pkg/package.json: test"]],
    ["or in all of them", ["npm", "test", "--workspaces"], { "pkg/package.json": "{}" }, ["pkg/package.json: test"]],
    [
      "is a program of the repository",
      ["./tools/unit.sh"],
      { "tools/unit.sh": "", "tools/env.sh": "" },
      ["tools/unit.sh", "tools/env.sh"],
    ],
    [
      "or one that is started by another",
      ["timeout", "60", "bash", "-e", "tools/unit.sh"],
      { "tools/env.sh": "" },
      ["tools/env.sh"],
    ],
    [
      "or a module",
      ["python3", "-m", "tools.run"],
      { "tools/run.py": "", "tools/run/__main__.py": "" },
      ["tools/run.py", "tools/run/__main__.py"],
    ],
    ["or would be found first", ["python3", "-m", "pytest"], { "pytest.py": "" }, ["pytest.py"]],
    ["or a file of tasks", ["tox"], { "tox.ini": "" }, ["tox.ini"]],
    ["but no test", ["node", "--test", "test/a.test.mjs"], { "test/a.test.mjs": "" }, []],
    ["and no code that tests load", ["pytest"], { "calc.py": "", "tests/test_calc.py": "" }, []],
  ])("%s", (_, command, change, says) => {
    expect(changes(command, change)).toEqual(says);
  });

  test("has what makes a checkout ready, and scripts that an installation runs", () => {
    const of = (prepare: readonly string[], change: Readonly<Record<string, string>>) =>
      classify({ command: ["vitest", "run"], prepare: [prepare], base: BASE, change }).definition.map(({ says }) => says);
    expect(of(["npm", "run", "part:a"], { "tools/a.sh": "", "package.json": pack({ "part:a": "x" }) })).toEqual([
      "tools/a.sh",
      "part:a",
    ]);
    expect(of(["npm", "ci"], { "package.json": pack({ postinstall: "x" }), ".npmrc": "" })).toEqual(["postinstall", ".npmrc"]);
    expect(of(["npm", "ci"], { "package.json": pack({ lint: "x" }), "package-lock.json": "" })).toEqual([]);
    expect(of(["make", "unit"], { "tools/unit.sh": "" })).toEqual(["tools/unit.sh"]);
  });

  test("has the program that its settings name", () => {
    const base = {
      ...BASE,
      ".yarnrc.yml": "yarnPath: .yarn/releases/yarn.cjs\n",
      ".yarn/releases/yarn.cjs": "x".repeat(400_000),
    };
    const found = classify({ command: ["yarn", "test"], base, change: { ".yarn/releases/yarn.cjs": "" } });
    expect(found).toMatchObject({ definition: [{ path: ".yarn/releases/yarn.cjs" }] });
    expect(found.unclear).toBeUndefined();
  });

  test("names its files the judge's, though code loads them", () => {
    const base = { ...BASE, "test/b.test.mjs": 'import "../scripts/check.mjs";' };
    const sorted = classify({ command: ["npm", "test"], base, change: { "scripts/check.mjs": "process.exit(0)" } });
    expect(sorted).toMatchObject({ code: [], judges: ["scripts/check.mjs"], definition: [{ path: "scripts/check.mjs" }] });
  });

  test.each([
    [["sh"]],
    [["sh", "-c", "$RUNNER test"]],
    [["sh", "-c", "cat list | xargs node --test"]],
    [["node", "-e", "require('child_process')"]],
    [["sh", "-c", "cd $DIR && npm test"]],
    [["./tools/binary"]],
  ])("is unclear if it is put together while it runs: %j", (command) => {
    const base = { ...BASE, "tools/binary": `#!/bin/sh\n${"x".repeat(400_000)}` };
    expect(classify({ command, base, change: {} }).unclear).toBeDefined();
  });

  test.each([
    [["npm", "test"]],
    [["make", "test"]],
    [["pytest", "-q"]],
    [["sh", "-c", "CI=1 npx vitest run > out.txt 2>&1"]],
    [["go", "test", "./..."]],
    [["sh", "-c", 'OUT="$1"; node --test; code=$?; rm -rf tmp; exit $code']],
  ])("is clear: %j", (command) => {
    expect(classify({ command, base: BASE, change: {} }).unclear).toBeUndefined();
  });

  test("is found in bounded time", () => {
    const loops = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, i) => [`s${i}`, `npm run s${(i * 7) % 2_000} && npm run s${(i * 13) % 2_000}`]),
    );
    const base = {
      "package.json": JSON.stringify({ scripts: { ...loops, test: "npm run s1" } }),
      Makefile: "a:\n".repeat(100_000),
    };
    const began = performance.now();
    changes(["npm", "test"], {}, base);
    changes(["make"], {}, base);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
