import { describe, expect, test } from "vitest";
import { kindsIn } from "./classify.ts";

const JS = { "src/sum.mjs": "", "test/sum.test.mjs": 'import "../src/sum.mjs";\n' };
const PY = { "calc.py": "", "tests/test_calc.py": "import calc\n" };
const GO = { "go.mod": "module app\n", "calc/calc.go": "package calc\n", "calc/calc_test.go": "package calc\n" };
const JOINED = 'export default { test: { setupFiles: join(import.meta.dirname, "src", "mend.mjs") } };\n';

/** The kind of a file that code under test loads, and the command by other ways. */
function kindOf(command: string, base: Readonly<Record<string, string>>, path: string): string | undefined {
  const all = { ...JS, ...PY, ...GO, ...base };
  const change = { "src/sum.mjs": `import "../${path}";\n`, "calc.py": `open("${path}")\n`, [path]: "1" };
  return kindsIn({ command: ["sh", "-c", command], prepare: [["npm", "ci"]], base: all, change })[path];
}

describe("the judge's are", () => {
  test.each<[string, string, Readonly<Record<string, string>>, string]>([
    ["a preload in a variable", 'NODE_OPTIONS="--import ./src/mend.mjs" vitest run', { "src/mend.mjs": "" }, "src/mend.mjs"],
    ["a preload without its ending", "node -r ./src/mend --test", { "src/mend.js": "" }, "src/mend.js"],
    ["a preload that is a folder", "node -r ./src/mend --test", { "src/mend/index.js": "" }, "src/mend/index.js"],
    ["a preload before a runner", "node -r ./mend.cjs node_modules/.bin/mocha", { "mend.cjs": "" }, "mend.cjs"],
    [
      "an option in a sourced file",
      ". ./vars; vitest run",
      { vars: 'NODE_OPTIONS="-r ./mend.cjs"\n', "mend.cjs": "" },
      "mend.cjs",
    ],
    [
      "a preload by the name of a package",
      "node --import app/setup --test",
      { "package.json": '{ "name": "app", "exports": { "./setup": "./src/mend.mjs" } }', "src/mend.mjs": "" },
      "src/mend.mjs",
    ],
    ["settings of npm", "npm test", { ".npmrc": "script-shell=./tools/sh.sh\n", "tools/sh.sh": "" }, "tools/sh.sh"],
    ["settings in YAML", "mocha", { ".mocharc.yml": "require: src/mend.cjs\n", "src/mend.cjs": "" }, "src/mend.cjs"],
    ["settings in pieces", "vitest run", { "vitest.config.mjs": JOINED, "src/mend.mjs": "" }, "src/mend.mjs"],
    ["settings that the command names", "vitest -c ci.mjs", { "ci.mjs": JOINED, "src/mend.mjs": "" }, "src/mend.mjs"],
    [
      "what settings load through others",
      "vitest run",
      {
        "vitest.config.mjs": 'export { default } from "./part.mjs";\n',
        "part.mjs": JOINED,
        "src/mend.mjs": 'import "./next.mjs"',
        "src/next.mjs": "",
      },
      "src/next.mjs",
    ],
    [
      "settings that others extend",
      "mocha",
      { "tsconfig.json": '{"extends": "./t/base.json"}', "t/base.json": '{"x": "../m.js"}', "m.js": "" },
      "m.js",
    ],
    ["plugins in a list", "pytest", { "pyproject.toml": 'addopts = ["-p", "pack.mend"]\n', "pack/mend.py": "" }, "pack/mend.py"],
    ["plugins by a variable", "PYTEST_PLUGINS=json,mend pytest", { "mend.py": "" }, "mend.py"],
    ["warnings by their module", "pytest -W ignore::mend.Old", { "mend.py": "" }, "mend.py"],
    ["options in a file", "pytest @tools/options", { "tools/options": "-p\nmend\n", "mend.py": "" }, "mend.py"],
    ["a module on a path that the command sets", "PYTHONPATH=tools pytest", { "tools/x.py": "" }, "tools/traceback.py"],
    ["a program on the search path", 'PATH="$PWD/tools/bin:$PATH" pytest', { "tools/bin/x": "" }, "tools/bin/python3"],
    ["the same below another folder", "cd app && PATH=bin:$PATH pytest", { "app/bin/x": "" }, "app/bin/pytest"],
    [
      "a script beside a script",
      "sh ci/all.sh",
      { "ci/all.sh": '. "$(dirname "$0")/lib.sh"\npytest\n', "ci/lib.sh": "" },
      "ci/lib.sh",
    ],
    ["a script that is found by a pattern", 'for s in ci/*.sh; do sh "$s"; done; pytest', {}, "ci/new.sh"],
    ["a script behind an option with a value", "bash -euo pipefail ci/all.sh", { "ci/all.sh": "pytest\n" }, "ci/all.sh"],
    ["the shell of a Makefile", "make", { Makefile: "SHELL = ./sh.sh\nall:\n\tpytest\n", "sh.sh": "" }, "sh.sh"],
    ["what make makes a Makefile from", "make", { Makefile: "all:\n\tpytest\n" }, "Makefile.sh"],
    ["what npm builds by itself", "npm test", {}, "binding.gyp"],
    ["a program that runs tests of Go", 'go test -exec "$PWD/x.sh" ./...', { "x.sh": "" }, "x.sh"],
    ["dependencies beside a manifest", "cd app && go test ./...", { "app/go.mod": "module app\n" }, "app/vendor/modules.txt"],
    ["a runner in settings of cargo", "cargo test", { ".cargo/config.toml": 'runner = "t/x.sh"\n', "t/x.sh": "" }, "t/x.sh"],
  ])("%s", (_, command, base, path) => {
    expect(kindOf(command, base, path)).toBe("judges");
  });
});

test("the judge's are preloads, though tests load them", () => {
  const kinds = (command: string, settings: string) => {
    const base = { ...JS, ".mocharc.yml": settings, "src/mend.cjs": "", "test/b.test.mjs": 'import "../src/mend.cjs";\n' };
    return kindsIn({ command: ["sh", "-c", command], base, change: { "src/mend.cjs": "1" } });
  };
  expect(kinds("mocha", "require: src/mend.cjs\n")).toEqual({ "src/mend.cjs": "judges" });
  expect(kinds('NODE_OPTIONS="-r ./src/mend.cjs" mocha', "")).toEqual({ "src/mend.cjs": "judges" });
  expect(kinds("mocha", "")).toEqual({ "src/mend.cjs": "code" });
});

describe("code under test is", () => {
  test.each<[string, string, Readonly<Record<string, string>>, string]>([
    [
      "what tests load, though settings mention it",
      "pytest",
      { "setup.cfg": "[flake8]\nper-file-ignores = calc.py:E501\n" },
      "calc.py",
    ],
    [
      "what other targets of a Makefile run",
      "make t",
      { Makefile: "t:\n\tpytest\nrun:\n\tnode lib/a.mjs\n", "lib/a.mjs": "" },
      "lib/a.mjs",
    ],
    ["what a pattern of sources names", "eslint 'src/*.mjs' && vitest run", {}, "src/new.mjs"],
    [
      "what other services run",
      "vitest run",
      { ".github/workflows/ci.yml": "run: node lib/a.mjs\n", "lib/a.mjs": "" },
      "lib/a.mjs",
    ],
    ["what a comment mentions", "sh ci.sh", { "ci.sh": "# see lib/a.mjs\nvitest run\n", "lib/a.mjs": "" }, "lib/a.mjs"],
    [
      "what a set-up loads and the program too",
      "vitest run",
      {
        "package.json": "{}",
        "vitest.config.mjs": JOINED,
        "src/mend.mjs": 'import "./words.mjs"',
        "src/index.mjs": 'import "./words.mjs"',
        "src/words.mjs": "",
      },
      "src/words.mjs",
    ],
  ])("%s", (_, command, base, path) => {
    expect(kindOf(command, base, path)).toBe("code");
  });
});
