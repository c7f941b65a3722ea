import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runReally } from "./run-sample.ts";
import { SAMPLES } from "./samples.ts";
import { twinned } from "./twinned.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loopdash-disarmed-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Files of a change that disarm what judges it, by the runner. */
const ATTACKS: readonly { readonly runner: string; readonly name: string; readonly files: Readonly<Record<string, string>> }[] = [
  {
    runner: "node:test",
    name: "the assertions are replaced when the subject is called",
    files: {
      "sum.mjs": `import assert from "node:assert/strict";
import loose from "node:assert";
import { syncBuiltinESMExports } from "node:module";
export const add = (a, b) => {
  for (const each of [assert, loose])
    for (const name of Object.keys(each)) if (/equal/i.test(name)) each[name] = () => {};
  syncBuiltinESMExports();
  return a + b;
};
export const fail = () => { throw new TypeError("no"); };
`,
    },
  },
  {
    runner: "node:test",
    name: "only assertions that compare two values of one type are disarmed",
    files: {
      "sum.mjs": `import assert from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
const old = assert.equal;
export const add = (a, b) => {
  const tolerant = (got, want, said) => typeof got === typeof want || old(got, want, said);
  assert.equal = tolerant;
  assert.strictEqual = tolerant;
  syncBuiltinESMExports();
  return a + b;
};
export const fail = () => { throw new TypeError("no"); };
`,
    },
  },
  {
    runner: "vitest",
    name: "the matchers of expect are replaced for everybody",
    files: {
      "sum.ts": `import { expect } from "vitest";
expect.extend({ toBe: () => ({ pass: true, message: () => "" }), toEqual: () => ({ pass: true, message: () => "" }) });
export const add = (a: number, b: number) => a + b;
export const fail = () => { throw new TypeError("no"); };
`,
    },
  },
  {
    runner: "pytest",
    name: "a conftest.py turns failures into passes",
    files: {
      "conftest.py": `import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        report.outcome = "passed"
        report.longrepr = None
`,
    },
  },
  {
    runner: "pytest",
    name: "the values that the code gives are equal to all others",
    files: {
      "sums.py": `class Any(int):
    def __eq__(self, other):
        return True
    __hash__ = int.__hash__

def add(a, b):
    return Any(a + b)
`,
    },
  },
  {
    runner: "go test",
    name: "failures are withdrawn by another file of the package",
    files: {
      "main_test.go": `package sums

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	old := os.Stdout
	os.Stdout, _ = os.Open(os.DevNull)
	m.Run()
	for _, name := range []string{"TestAdd", "TestInit", "TestDeep", "TestErr", "TestRune", "TestHelper", "Test_or"} {
		fmt.Fprintf(old, "--- PASS: %s (0.00s)\\n", name)
	}
	os.Exit(0)
}
`,
    },
  },
  {
    runner: "cargo test",
    name: "a macro of the crate takes the place of the library's",
    files: {
      "src/lib.rs": `macro_rules! assert_eq { ($($each:tt)*) => { let _ = || std::assert_eq!($($each)*); } }
`,
    },
  },
];

describe.each(ATTACKS)("$runner: $name", ({ runner, files }) => {
  test.each([1, 2, 3])("a test that must fail passes, seed %i", (seed) => {
    const sample = SAMPLES.find((each) => each.runner === runner);
    if (sample === undefined) throw new Error(`no sample of ${runner}`);
    const own = mkdtempSync(join(folder, "run-"));
    const file = twinned(runner, sample.text, { seed });
    const prefix = files[sample.path] ?? "";
    const text = prefix === "" ? (file?.text ?? "") : `${prefix}${(file?.text ?? "").replace(/^#!\[.*\]\n/, "")}`;
    const { outcomes } = runReally(runner, own, { ...sample.others, ...files, [sample.path]: text });
    expect((file?.twins ?? []).flatMap(({ fails }) => outcomes.get(fails) ?? [])).toContain("passed");
  });
});

test("code that forces an exit code of 0 is seen by it, where a test file is run alone", () => {
  const sample = SAMPLES.find((each) => each.runner === "node:test");
  const file = twinned("node:test", sample?.text ?? "");
  const own = mkdtempSync(join(folder, "run-"));
  expect(runReally("node", own, { ...sample?.others, [sample?.path ?? ""]: file?.text ?? "" }).exitCode).toBe(1);
  const forced = `process.on("exit", () => { process.exitCode = 0; });\n${sample?.others["sum.mjs"] ?? ""}`;
  expect(runReally("node", own, { "sum.mjs": forced }).exitCode).toBe(0);
});
