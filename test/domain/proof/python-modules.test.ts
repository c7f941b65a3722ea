import { expect, test } from "vitest";
import { importedBy, importsPackage, isRunnerModule, listedIn, moduleAt } from "../../../src/domain/proof/python-modules.ts";

test.each([
  ["queue.py", { folder: "", name: "queue" }],
  ["pytest/__init__.py", { folder: "", name: "pytest" }],
  ["tests/unit/json.py", { folder: "tests/unit", name: "json" }],
  ["__init__.py", undefined],
  ["queue.pyi", undefined],
  ["py.test_calc.py", undefined],
])("%s is a module", (path, module) => {
  expect(moduleAt(path)).toEqual(module);
});

test("Python and pytest have modules of their own", () => {
  expect(["queue", "_compression", "_pytest", "calc", "_version"].map(isRunnerModule)).toEqual([true, true, true, false, false]);
});

test("imports are known by their first names", () => {
  const text = "import calc, os.path as p\nfrom pack.deep import x\nfrom .near import y\n  import late\n";
  expect(importedBy(text, { surely: false })).toEqual(["calc", "os", "pack", "late"]);
  expect(importedBy(text, { surely: true })).toEqual(["calc", "os", "pack"]);
});

test.each([
  ["app/calc.py", "from .types import Number\n", true],
  ["tests/test_calc.py", "from app.calc import add\n", true],
  ["tests/test_calc.py", "from app import calc\n", true],
  ["tests/test_calc.py", "import app\n", false],
  ["tests/test_calc.py", "from apple.calc import add\n", false],
])("%s with %j imports from the folder app: %s", (path, text, is) => {
  expect(importsPackage("app", { path, text })).toBe(is);
});

test.each([
  ["[pytest]\npythonpath = app lib\nx = 1\n", ["app", "lib"]],
  ["[pytest]\npythonpath =\n    app\n    lib\nx = 1\n", ["app", "lib"]],
  ['pythonpath = [\n  "app",\n  "lib",\n]\n', ["app", "lib"]],
  ["[pytest]\naddopts = -q\n", []],
])("%j lists folders", (text, folders) => {
  expect(listedIn(text, "pythonpath")).toEqual(folders);
});
