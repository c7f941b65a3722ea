import { expect, test } from "vitest";
import { isRunnerModule, listedIn, moduleAt } from "../../src/proof/python-modules.ts";

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

test.each([
  ["[pytest]\npythonpath = app lib\nx = 1\n", ["app", "lib"]],
  ["[pytest]\npythonpath =\n    app\n    lib\nx = 1\n", ["app", "lib"]],
  ['pythonpath = [\n  "app",\n  "lib",\n]\n', ["app", "lib"]],
  ["[pytest]\naddopts = -q\n", []],
])("%j lists folders", (text, folders) => {
  expect(listedIn(text, "pythonpath")).toEqual(folders);
});
