import { describe, expect, test } from "vitest";
import { canShadow, isDependency } from "../../src/compare/sealed-paths.ts";

describe("something new in a checkout", () => {
  const file = (path: string, ...siblings: string[]) => canShadow({ path, entries: undefined, siblings });
  const folder = (path: string, entries: readonly string[] = [], ...siblings: string[]) => canShadow({ path, entries, siblings });

  test.each([
    ["test/helpers", "helpers.js"],
    ["test/helpers.mjs", "helpers.ts"],
    ["src/add.js", "add.ts"],
    ["src/kit.js", "kit"],
    ["lib/native.node", "native.js"],
    ["lib/user.service", "user.service.js"],
    ["lib/user.service.js", "user.service"],
    ["lib/kit.json", "kit"],
    ["lib/data.js", "data.json"],
  ])("%s can be taken for %s", (path, beside) => {
    expect(file(path, "other.txt", beside)).toBe(true);
  });

  test.each([
    "tests/yaml.py",
    "tests/helpers.cpython-311-x86_64-linux-gnu.so",
    "conftest.py",
    "test/package.json",
    "pkg/more_test.go",
    "node_modules/left-pad/index.js",
    "node_modules/.prisma/client/index.js",
    ".venv/lib/python3.11/site-packages/x.pth",
  ])("%s can be taken for something else whatever lies beside it", (path) => {
    expect(file(path)).toBe(true);
  });

  test("folders can: of a dependency beside files, of what Python compiled, of a package of Python", () => {
    expect(folder("test/node_modules", ["kit"])).toBe(true);
    expect(folder("tests/__pycache__", ["helpers.cpython-311.pyc"])).toBe(true);
    expect(folder("tests/helpers", ["__init__.py"], "helpers.py")).toBe(true);
    expect(folder(".config", ["nextest.toml"])).toBe(true);
  });

  test.each([
    ["coverage.xml", "index.js"],
    ["out.txt", "out.js"],
    ["test/tmp.json", "tmp.js"],
    ["src/add.js.map", "add.js"],
    ["test/new.js", "old.js"],
    ["node_modules/.cache/babel/x.js", "y.js"],
    ["node_modules/.vite/deps/x.js", "y.js"],
    ["Makefile.log", "Makefile"],
    ["Cargo.lock", "Cargo.toml"],
    ["jest-results.json", "jest.config.js"],
    ["lib.min.js", "lib.js"],
    [".tmp.js", ".eslintrc.js"],
    ["node_modules/.vite-temp/vitest.config.ts.timestamp-1.mjs", "x"],
    ["target/debug/deps/x-0123", "x"],
  ])("%s beside %s is nothing but new", (path, beside) => {
    expect(file(path, beside)).toBe(false);
  });

  test("folders of results, and dependencies that a command installs where there are none", () => {
    expect(folder("dist", ["index.js"], "src")).toBe(false);
    expect(folder("coverage", ["lcov.info"])).toBe(false);
    expect(folder("node_modules", ["kit"])).toBe(false);
    expect(folder("packages/a/node_modules", [".vite", ".cache"])).toBe(false);
    expect(folder("target/debug/deps", ["x"])).toBe(false);
  });
});

test("what is installed in hidden folders is a dependency, and caches of known tools are none", () => {
  expect(["node_modules/.pnpm/a/index.js", "node_modules/.prisma/x", "node_modules/.bin/tsc"].every(isDependency)).toBe(true);
  expect(["node_modules/.cache/x", "node_modules/.vite/x", "src/a.js"].some(isDependency)).toBe(false);
});
