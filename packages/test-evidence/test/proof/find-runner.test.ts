import { describe, expect, test } from "vitest";
import { findRunners } from "../../src/proof/find-runner.ts";
import { commandTestFiles } from "../../src/proof/test-files.ts";
import { classify } from "./classify.ts";

const PACKAGE = JSON.stringify({
  scripts: {
    test: "NODE_ENV=test vitest run --coverage",
    unit: "npm run build && jest --ci",
    build: "tsc -p .",
    all: "npm run unit",
    loop: "npm run loop",
    lint: "eslint test",
  },
});

const runnerIn = (command: readonly string[], packageJson = PACKAGE) =>
  classify({ command, base: { "package.json": packageJson }, change: {} }).runners[0]?.name;

describe("the runner of a command", () => {
  test.each([
    ["node:test", ["node", "--test"]],
    ["node:test", ["/usr/bin/node", "--import", "tsx", "--test", "test/*.ts"]],
    ["node:test", ["node", "test/add.test.js"]],
    ["vitest", ["npx", "vitest", "run"]],
    ["vitest", ["node", "node_modules/vitest/vitest.mjs", "run"]],
    ["vitest", ["npm", "test"]],
    ["vitest", ["pnpm", "exec", "vitest"]],
    ["vitest", ["yarn", "test"]],
    ["jest", ["npm", "run", "unit"]],
    ["jest", ["npm", "run", "all", "--", "src"]],
    ["jest", ["node", "--experimental-vm-modules", "node_modules/.bin/jest"]],
    ["jest", ["sh", "-c", "cd app && CI=1 npx jest --json > 'a b.json'"]],
    ["mocha", ["npx", "mocha", "--recursive"]],
    ["mocha", ["node", "node_modules/mocha/bin/mocha.js", "test"]],
    ["tape", ["tape", "test/**/*.js"]],
    ["tape", ["node", "node_modules/.bin/tape", "test/*.js"]],
    ["pytest", ["pytest", "-q"]],
    ["pytest", ["python3", "-m", "pytest", "tests"]],
    ["pytest", ["poetry", "run", "pytest"]],
    ["pytest", ["timeout", "60", ".venv/bin/pytest"]],
    ["go test", ["go", "test", "./..."]],
    ["go test", ["gotestsum", "--junitfile", "r.xml"]],
    ["cargo test", ["cargo", "+nightly", "test"]],
    ["cargo test", ["bash", "-ec", "cargo build; cargo nextest run"]],
    ["bun test", ["bun", "test"]],
    ["vitest", ["bun", "run", "test"]],
    ["ava", ["npx", "ava"]],
    ["deno", ["deno", "task", "test"]],
    ["unittest", ["python3", "-m", "unittest", "discover"]],
    ["tox", ["tox", "-e", "py"]],
    ["nox", ["python3", "-m", "nox"]],
    ["RSpec", ["bundle", "exec", "rspec"]],
    ["PHPUnit", ["vendor/bin/phpunit"]],
    ["PHPUnit", ["php", "-d", "memory_limit=1G", "vendor/bin/pest", "--ci"]],
    ["Maven", ["./mvnw", "-B", "verify"]],
    ["Gradle", ["./gradlew", "testDebug"]],
  ])("%s is started by %j", (name, command) => {
    expect(runnerIn(command)).toBe(name);
  });

  test.each([
    [["npm", "run", "lint"]],
    [["npm", "run", "loop"]],
    [["npm", "run", "missing"]],
    [["grep", "-r", "jest", "src"]],
    [["node", "server.js"]],
    [["sh", "check.sh"]],
    [["cargo", "build"]],
    [["true"]],
    [["deno", "fmt"]],
    [["bun", "install"]],
    [["mvn", "compile"]],
    [["composer", "install"]],
    [["toxic"]],
  ])("none is known in %j", (command) => {
    expect(runnerIn(command)).toBeUndefined();
  });

  test("a package.json that is none has no scripts", () => {
    expect(runnerIn(["npm", "test"], "{")).toBeUndefined();
  });
});

describe("the files of tests that a command runs", () => {
  const PATHS = ["src/add.ts", "test/add.test.ts", "test/text.test.ts", "e2e/run.spec.ts", "checks/add.mjs"];
  const files = (...command: string[]) => {
    const found = findRunners(command)[0];
    return found === undefined ? undefined : commandTestFiles(found, PATHS);
  };

  test.each([
    [
      ["vitest", "run"],
      ["test/add.test.ts", "test/text.test.ts", "e2e/run.spec.ts"],
    ],
    [["vitest", "run", "--reporter", "json", "text"], ["test/text.test.ts"]],
    [["node", "--test", "./test/add.test.ts"], ["test/add.test.ts"]],
    [
      ["node", "--test", "test/*.ts"],
      ["test/add.test.ts", "test/text.test.ts"],
    ],
    [["node", "--test", "checks/add.mjs"], ["checks/add.mjs"]],
    [["jest", "e2e/"], ["e2e/run.spec.ts"]],
  ])("%j: %j", (command, expected) => {
    expect(files(...command)).toEqual(expected);
  });

  test("of pytest, Go and cargo", () => {
    const of = (command: string[], paths: string[]) => {
      const found = findRunners(command)[0];
      return found === undefined ? [] : commandTestFiles(found, paths);
    };
    const python = ["calc.py", "tests/test_a.py", "tests/b_test.py"];
    expect(of(["pytest", "tests/test_a.py::test_x"], python)).toEqual(["tests/test_a.py"]);
    expect(of(["pytest", "toolz"], ["build/lib/toolz/test_a.py", "toolz/test_a.py"])).toEqual(["toolz/test_a.py"]);
    expect(of(["pytest"], python)).toEqual(["tests/test_a.py", "tests/b_test.py"]);
    expect(of(["go", "test", "./..."], ["a.go", "a_test.go", "b/b_test.go"])).toEqual(["a_test.go", "b/b_test.go"]);
    expect(of(["go", "test", "./b/..."], ["a_test.go", "b/b_test.go"])).toEqual(["b/b_test.go"]);
    expect(of(["cargo", "test"], ["build.rs", "src/lib.rs", "tests/a.rs"])).toEqual(["src/lib.rs", "tests/a.rs"]);
  });
});
