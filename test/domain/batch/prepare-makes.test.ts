import { describe, expect, test } from "vitest";
import type { Argv } from "../../../src/domain/batch/prepare-command.ts";
import { inEnvironment, notIgnoredBy } from "../../../src/domain/batch/prepare-makes.ts";

function loose(command: readonly string[], ignore = "", files: Readonly<Record<string, string>> = {}) {
  return notIgnoredBy([command], new Map(Object.entries({ ...files, ".gitignore": ignore })));
}

describe("notIgnoredBy", () => {
  test.each<[command: readonly string[], made: readonly string[]]>([
    [["npm", "ci"], ["node_modules"]],
    [
      ["npm", "--no-audit", "install"],
      ["node_modules", "package-lock.json"],
    ],
    [["npm", "install", "--no-package-lock"], ["node_modules"]],
    [["/usr/bin/yarn"], ["node_modules"]],
    [["npm", "install", "-g", "x"], []],
    [["npm", "ci", "--prefix=web"], []],
    [["npm", "run", "build"], []],
    [["python3", "-m", "venv", ".venv"], [".venv"]],
    [["python3.12", "-I", "-m", "venv", "--clear", "./env/"], ["env"]],
    [["python3", "-m", "venv", "/srv/env"], []],
    [["python3", "-m", "venv", "../env"], []],
    [["python3", "-m", "pip", "install", "venv"], []],
    [["uv", "sync", "--frozen"], []],
    [
      ["sh", "-ec", "CI=1 npm ci && python3 -m venv 'my env'; env/bin/pip install x"],
      ["node_modules", "my env"],
    ],
    [["make", "ready"], []],
  ])("knows what %j makes", (command, made) => {
    expect(loose(command)).toEqual(made);
  });

  test("knows that npm writes no lockfile if there is one", () => {
    expect(loose(["npm", "install"], "", { "npm-shrinkwrap.json": "{}" })).toEqual(["node_modules"]);
  });

  test.each([".venv", "/.venv", ".venv/", "**/.venv/", ".venv/*", "/.venv/**", ".v*", "*", "/*", ".venv  \r", "!.venv\n.venv"])(
    "takes %j for a rule that ignores it",
    (rule) => {
      expect(loose(["python3", "-m", "venv", ".venv"], `*.pyc\n${rule}\n`)).toEqual([]);
    },
  );

  test.each(["# .venv", ".venv\n!.venv", "docs/.venv", ".venv-old", ".venv/lib", "venv", "{.venv,env}", "\\#.venv"])(
    "takes %j for a rule that does not",
    (rule) => {
      expect(loose(["python3", "-m", "venv", ".venv"], `${rule}\n`)).toEqual([".venv"]);
    },
  );
});

describe("a test command of Python runs in the environment that prepare makes", () => {
  const PYTEST: Argv = ["python3", "-m", "pytest"];
  test.each<[string, readonly Argv[], string]>([
    [
      "venv",
      [
        ["python3", "-m", "venv", ".venv"],
        [".venv/bin/pip", "install", "-r", "requirements.txt"],
      ],
      ".venv/bin/python",
    ],
    ["venv in a shell", [["sh", "-c", "python3.12 -m venv --clear env && env/bin/pip install pytest"]], "env/bin/python"],
    ["virtualenv", [["virtualenv", "-q", "ve"]], "ve/bin/python"],
    ["uv", [["uv", "sync", "--frozen"]], ".venv/bin/python"],
    ["one elsewhere", [["python3", "-m", "venv", "/opt/env"]], "python3"],
    ["none", [["npm", "ci"]], "python3"],
  ])("%s", (_, prepare, python) => {
    expect(inEnvironment(PYTEST, prepare)).toEqual([python, "-m", "pytest"]);
    expect(inEnvironment(["npm", "test"], prepare)).toEqual(["npm", "test"]);
  });
});
