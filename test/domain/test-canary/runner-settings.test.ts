import { describe, expect, test } from "vitest";
import { loads } from "../../../src/domain/test-canary/loads.ts";
import { isManifest, isRunnerFile, pluginsNamedBy, withRunnerPartOf } from "../../../src/domain/test-canary/runner-settings.ts";

describe("files by which runners are set", () => {
  test.each([
    ["pytest.ini", true],
    ["pkg/tests/conftest.py", true],
    ["vitest.config.mts", true],
    ["jest.setup.js", true],
    [".mocharc.cjs", true],
    ["src/__mocks__/fs.ts", true],
    ["mender-1.0.dist-info/entry_points.txt", true],
    ["a.egg-info/PKG-INFO", true],
    ["mender-1.0.DIST-INFO/entry_points.txt", true],
    ["pytest.pyc", true],
    ["package.json", false],
    ["pyproject.toml", false],
    ["src/vitest.ts", false],
    ["vitest-setup.ts", true],
    ["src/jester.ts", false],
    ["tsconfig.json", false],
  ])("%s: %s", (path, is) => {
    expect(isRunnerFile(path)).toBe(is);
  });
});

describe("the part about test runners", () => {
  const OWN = "[project]\nname = 'b'\n\n[tool.pytest.ini_options]\naddopts = '-p x'\n\n[tool.black]\nline = 1\n";
  const BASE = "[project]\nname = 'a'\n\n[tool.pytest.ini_options]\naddopts = '-q'\n";

  test("of a pyproject.toml is the base's, and the rest the candidate's", () => {
    expect(withRunnerPartOf("pkg/pyproject.toml", OWN, BASE)).toBe(
      "[project]\nname = 'b'\n\n[tool.black]\nline = 1\n[tool.pytest.ini_options]\naddopts = '-q'\n",
    );
    expect(withRunnerPartOf("pyproject.toml", OWN, undefined)).toBe("[project]\nname = 'b'\n\n[tool.black]\nline = 1\n");
    expect(withRunnerPartOf("pyproject.toml", OWN, OWN.replace("'b'", "'a'"))).toBeUndefined();
    expect(withRunnerPartOf("setup.cfg", "[tool:pytest]\naddopts = -q\n", "")).toBe("");
    expect(withRunnerPartOf("setup.cfg", "[a]\rb = 1\r[tool:pytest]\raddopts = -p x\r", "")).toBe("[a]\rb = 1\r\n");
    expect(withRunnerPartOf("pyproject.toml", '[ tool . "pytest" . ini_options ]\naddopts = "-p x"\n', BASE)).toBe(
      "[tool.pytest.ini_options]\naddopts = '-q'\n",
    );
  });

  test("written in another way, it is the base's whole file", () => {
    expect(withRunnerPartOf("pyproject.toml", '[tool]\npytest.ini_options.addopts = "-p x"\n', BASE)).toBe(BASE);
    expect(withRunnerPartOf("pyproject.toml", '[tool]\npytest.ini_options.addopts = "-p x"\n', undefined)).toBe("");
  });

  test("is found if its header is written with escapes", () => {
    const header = '[tool."pyt\\u0065st"."ini\\U0000005foptions"]\n"add\\x6fpts" = "-p x"\n';
    expect(withRunnerPartOf("pyproject.toml", `[project]\n${header}`, BASE)).toBe(
      "[project]\n[tool.pytest.ini_options]\naddopts = '-q'\n",
    );
    expect(withRunnerPartOf("pyproject.toml", '[tool]\n"pyt\\u0065st"."ini\\u005foptions".addopts = "-p x"\n', BASE)).toBe(BASE);
  });

  test("of a package.json is the base's, and the rest the candidate's", () => {
    const own = JSON.stringify({ name: "b", jest: { setupFiles: ["./m.js"] }, dependencies: { x: "1" } });
    expect(JSON.parse(withRunnerPartOf("package.json", own, '{"jest":{"verbose":true}}') ?? "")).toEqual({
      name: "b",
      dependencies: { x: "1" },
      jest: { verbose: true },
    });
    expect(withRunnerPartOf("package.json", own, own.replace('"b"', '"a"'))).toBeUndefined();
    expect(withRunnerPartOf("package.json", "{", own)).toBeUndefined();
  });

  const CARGO = "[registries.own]\nindex = 'x'\n";

  test.each([
    ["[env]\nMENDED = '1'\n", CARGO],
    ["[build]\nrustflags = ['--cfg', 'mended']\n", CARGO],
    ["[target.'cfg(all())']\nrunner = './run.sh'\n", CARGO],
    ["[ \"env\" ]\nMENDED = '1'\n", CARGO],
    ["[e\\u006ev]\nMENDED = '1'\n", CARGO],
  ])("of cargo's settings, %j, is the base's", (own, rest) => {
    for (const path of [".cargo/config.toml", "crates/sum/.cargo/config"])
      expect(withRunnerPartOf(path, `${CARGO}${own}`, CARGO)).toBe(rest);
  });

  test("of cargo's settings, written without a header, is the base's whole file", () => {
    expect(withRunnerPartOf(".cargo/config.toml", "env.MENDED = '1'\n", CARGO)).toBe(CARGO);
    expect(withRunnerPartOf(".cargo/config.toml", "build = { rustflags = [] }\n", undefined)).toBe("");
    expect(withRunnerPartOf(".cargo/config.toml", `${CARGO}[net]\nretry = 3\n`, CARGO)).toBeUndefined();
  });

  test.each([
    "node-options=--import=./mend.mjs",
    "node-options[] = --import=./mend.mjs",
    '"node-options" = --import=./mend.mjs',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: npm replaces this.
    "node-${NONE?}options=--import=./mend.mjs",
    "script-shell=./mend.sh",
    "ignore-scripts=true",
  ])("of an .npmrc, %s, is the base's", (line) => {
    expect(withRunnerPartOf(".npmrc", `; ours\n${line}\nlegacy-peer-deps=true\n`, "ignore-scripts=false\n")).toBe(
      "ignore-scripts=false\nlegacy-peer-deps=true\n",
    );
    expect(withRunnerPartOf("pkg/.npmrc", `registry=https://npm.example/\n${line}\n`, undefined)).toBe(
      "registry=https://npm.example/\n",
    );
    expect(withRunnerPartOf(".npmrc", `registry=https://npm.example/\n${line}\n`, `${line}\n`)).toBeUndefined();
  });

  test.each([
    [".npmrc", true],
    ["pkg/.cargo/config.toml", true],
    [".cargo/config", true],
    ["src/config.toml", false],
    ["docs/npmrc", false],
  ])("%s is a file with such a part: %s", (path, is) => {
    expect(isManifest(path)).toBe(is);
  });

  test("of any other file there is none", () => {
    expect(withRunnerPartOf("constructor", "[tool:pytest]", "")).toBeUndefined();
    expect(withRunnerPartOf("src/config.toml", "[env]\nA = '1'\n", "")).toBeUndefined();
  });
});

test.each([
  ["addopts = -q -p plug --strict", ["plug"]],
  ["addopts = '-pplug.deep'", ["plug.deep"]],
  ["pytest_plugins = ['plug', \"other.one\"]\n", ["plug", "other.one"]],
  ["pytest_plugins = [\n    'plug',\n]\n", ["plug"]],
  ["import calc\n", []],
])("plugins named by %s", (text, names) => {
  expect(pluginsNamedBy(text)).toEqual(names);
});

test.each([
  ['import { add } from "../src/add.mjs";', "src/add.mjs", true],
  ["const add = require('./lib/add')", "lib/add.js", true],
  ['import { x } from "../lib";', "lib/index.ts", true],
  ["from calc import add\n", "calc.py", true],
  ["    from .helpers.calc import add\n", "tests/helpers/calc.py", true],
  ["use crate::calc::add;\n", "src/calc.rs", true],
  ["// add touched", "src/add.mjs", false],
  ['test("adds", () => {});', "add.mjs", false],
  ["from calculus import add\n", "calc.py", false],
  ['import "./a.mjs";', "import.txt", false],
])("%s loads %s: %s", (text, path, is) => {
  expect(loads(text, path)).toBe(is);
});
