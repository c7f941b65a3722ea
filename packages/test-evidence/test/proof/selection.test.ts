import { describe, expect, test } from "vitest";
import { findRunners } from "../../src/proof/find-runner.ts";
import { selectTests } from "../../src/proof/selection.ts";

const FILES = ["test/a.test.js", "src/a.js", "tests/test_a.py", "tests/deep/test_b.py"];

function selected(command: readonly string[], ids: readonly string[], scripts: Record<string, string> = {}) {
  const packageJson = JSON.stringify({ scripts });
  const found = findRunners(command, packageJson);
  return selectTests({ command: command as unknown as readonly string[], found, packageJson, ids, files: FILES });
}

describe("the command that runs some tests", () => {
  test.for([
    ["node --test", ["adds (1+1)"], ["node", "--test", "--test-name-pattern=adds \\(1\\+1\\)"]],
    ["node --test --test-reporter=tap test/", ["a"], ["node", "--test", "--test-name-pattern=a", "--test-reporter=tap", "test/"]],
    [
      "node --test --test-reporter=junit",
      ["test/a.test.js > outer > a", "test/a.test.js > outer > b"],
      ["node", "--test", "--test-name-pattern=a", "--test-name-pattern=b", "--test-reporter=junit", "test/a.test.js"],
    ],
    [
      "npx vitest run --reporter=json",
      ["test/a.test.js > s > t"],
      ["npx", "vitest", "run", "--testNamePattern=t", "--reporter=json", "test/a.test.js"],
    ],
    ["node node_modules/.bin/jest --json", ["t", "u"], ["node", "node_modules/.bin/jest", "--testNamePattern=t|u", "--json"]],
    ["vitest run", ["test/a.test.js"], ["vitest", "run", "test/a.test.js"]],
    [
      "python3 -m pytest -q",
      ["pytest > tests.test_a.TestIt > test_x[1-2]", "pytest > tests.deep.test_b > test_y"],
      ["python3", "-m", "pytest", "-k", "test_x or test_y", "-q", "tests/test_a.py", "tests/deep/test_b.py"],
    ],
    ["pytest tests", ["pytest > tests.test_a > test_x"], ["pytest", "-k", "test_x", "tests"]],
    ["go test -v ./...", ["m > TestA/sub", "m > TestA", "m > TestB"], ["go", "test", "-run", "^(TestA|TestB)$", "-v", "./..."]],
    ["cargo test --no-fail-fast", ["x > mod::works"], ["cargo", "test", "mod::works", "--no-fail-fast"]],
    ["cargo test --no-fail-fast", ["x > a", "x > b"], ["cargo", "test", "--no-fail-fast", "--", "a", "b"]],
  ] as const)("%s", ([command, ids, expected]) => {
    expect(selected(command.split(" "), ids)).toEqual(expected);
  });

  test("in a shell's text, quoted", () => {
    expect(selected(["sh", "-c", 'node --test --test-reporter=tap > "$0"', "{artifacts}/r.tap"], ["it's"])).toEqual([
      "sh",
      "-c",
      `node --test '--test-name-pattern=it'\\''s' --test-reporter=tap > "$0"`,
      "{artifacts}/r.tap",
    ]);
  });

  test("behind a script of package.json", () => {
    const scripts = { test: "vitest run", unit: "node --test test/" };
    expect(selected(["npm", "test"], ["t"], scripts)).toEqual(["npm", "test", "--", "--testNamePattern=t"]);
    expect(selected(["npm", "test", "--", "--reporter=json"], ["t"], scripts)).toEqual([
      ...["npm", "test", "--", "--reporter=json", "--testNamePattern=t"],
    ]);
    expect(selected(["pnpm", "test"], ["t"], scripts)).toEqual(["pnpm", "test", "--testNamePattern=t"]);
    // Node would take the pattern for an argument of the file.
    expect(selected(["npm", "run", "unit"], ["t"], scripts)).toBeUndefined();
  });

  test("has no option by the name of a test", () => {
    const [, , option] = selected(["vitest", "run"], ["--config=x"]) ?? [];
    expect(option).toBe("--testNamePattern=--config=x");
  });

  test("of mocha", () => {
    const found = [{ runner: { name: "mocha" }, words: ["mocha", "--recursive"] }];
    const options = { command: ["npx", "mocha", "--recursive"] as const, found, packageJson: undefined, files: FILES };
    expect(selectTests({ ...options, ids: ["outer > a.b"] })).toEqual(["npx", "mocha", "--grep=a\\.b", "--recursive"]);
  });

  test.for([
    ["an unknown runner", ["make", "test"], ["t"], {}],
    ["two runners", ["sh", "-c", "vitest run; pytest"], ["t"], {}],
    ["no test", ["vitest", "run"], [], {}],
    ["too many tests", ["vitest", "run"], Array.from({ length: 21 }, (_, n) => `t${n}`), {}],
    ["a script that goes on after the runner", ["npm", "test"], ["t"], { test: "vitest run && echo fine" }],
    ["a name that pytest's expressions do not know", ["pytest"], ["pytest > x > a or b"], {}],
    ["a name that is no function of go", ["go", "test", "./..."], ["m > $(x)"], {}],
    ["files alone, in a shell's text", ["sh", "-c", "vitest run | cat"], ["test/a.test.js"], {}],
    ["a file that is in no list", ["vitest", "run"], ["gone.test.js"], {}],
  ] as const)("is not there for %s", ([, command, ids, scripts]) => {
    expect(selected(command, ids, scripts)).toBeUndefined();
  });
});
