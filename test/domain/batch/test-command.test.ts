import { describe, expect, it } from "vitest";
import { testCommandOf } from "../../../src/domain/batch/test-command.ts";

const commandOf = (files: Readonly<Record<string, string>>) => testCommandOf(new Map(Object.entries(files)))?.join(" ");
const npm = (test: unknown, more: object = {}) => JSON.stringify({ scripts: { test }, ...more });

describe("testCommandOf", () => {
  it.each([
    ["npm test", { "package.json": npm("vitest run") }],
    ["pnpm test", { "package.json": npm("vitest run"), "pnpm-lock.yaml": "" }],
    ["yarn test", { "package.json": npm("jest", { packageManager: "yarn@4.1.0" }), "pnpm-lock.yaml": "" }],
    ["bun run test", { "package.json": npm("jest"), "bun.lock": "" }],
    ["python3 -m pytest", { "pytest.ini": "" }],
    ["python3 -m pytest", { "pyproject.toml": "[tool.pytest.ini_options]\n" }],
    ["python3 -m pytest", { "pyproject.toml": '[project]\ndependencies = [\n  "pytest>=8",\n]\n' }],
    ["python3 -m pytest", { "setup.cfg": "[tool:pytest]\n" }],
    ["python3 -m pytest", { "tox.ini": "[tox]\nenvlist = py3\n[pytest]\n" }],
    ["tox", { "tox.ini": "[tox]\nenvlist = py3\n" }],
    ["make test", { Makefile: ".PHONY: test\ntest: build\n\tgo test\n", "go.mod": "module x" }],
    ["cargo test", { "Cargo.toml": "[package]" }],
    ["go test ./...", { "go.mod": "module x", Makefile: "tests:\n\ttrue\ntest := x\n" }],
    ["npm test", { "package.json": npm("node --test"), "pytest.ini": "", "go.mod": "" }],
  ])("%s", (command, files) => {
    expect(commandOf(files as unknown as Record<string, string>)).toBe(command);
  });

  it.each([
    ["no file", {}],
    ["npm's placeholder", { "package.json": npm('echo "Error: no test specified" && exit 1') }],
    ["an empty script", { "package.json": npm(" ") }],
    ["a script that is no text", { "package.json": npm(["x"]) }],
    ["no script", { "package.json": "{}" }],
    ["a package.json that is not JSON", { "package.json": "{" }],
    ["a package.json that is a list", { "package.json": "[]" }],
    ["pytest in a comment, and its plugins alone", { "pyproject.toml": '# pytest\n["pytest-cov"]\n' }],
    ["a Makefile without the target", { Makefile: "all:\n\techo test:\n" }],
  ])("nothing for %s", (_, files) => {
    expect(commandOf(files as unknown as Record<string, string>)).toBeUndefined();
  });
});
