import { describe, expect, it, test } from "vitest";
import { type JobFindings, parseFailedJob } from "../src/findings.ts";
import { FIXTURES, findingsIn, fixture, inShort } from "./fixtures.ts";

/** What is read of each recorded output: the counts, and the findings in short. */
const READ: readonly (readonly [name: string, tests: JobFindings["tests"], findings: readonly string[]])[] = [
  [
    "bats.tap",
    { failed: 1, total: 2 },
    [
      'high test tap test/version.bats:7 [prints its version] (in test file test/version.bats, line 7) | `[ "$output" = "1.0.0" ]\' failed',
    ],
  ],
  [
    "biome.txt",
    undefined,
    [
      "medium lint biome src/a.js:2 [] Using == may be unsafe if you are relying on type coercion. (lint/suspicious/noDoubleEquals) $ npx --no biome check src/a.js",
      "low format biome src/a.js [] Formatter would have printed the following content: (format) $ npx --no biome check src/a.js",
    ],
  ],
  [
    "cargo-build.jsonl",
    undefined,
    [
      "blocker build rustc src/lib.rs:6 [] E0425: cannot find type `Missing` in this scope | not found in this scope $ cargo build",
      "blocker build rustc src/lib.rs:3 [] E0308: mismatched types | expected `i32`, found `&str` $ cargo build",
    ],
  ],
  [
    "cargo-build.txt",
    undefined,
    [
      "blocker build rustc src/lib.rs:6 [] E0425: cannot find type `Missing` in this scope | not found in this scope $ cargo build",
      "blocker build rustc src/lib.rs:3 [] E0308: mismatched types | expected `i32`, found `&str` $ cargo build",
    ],
  ],
  [
    "cargo-test.txt",
    { failed: 2, total: 3 },
    [
      "high test cargo test src/lib.rs:20 [tests::reads] called `Option::unwrap()` on a `None` value $ cargo test tests::reads -- --exact",
      "high test cargo test src/lib.rs:11 [tests::adds] assertion `left == right` failed |   left: -1 |  right: 3 $ cargo test tests::adds -- --exact",
    ],
  ],
  [
    "clippy.txt",
    undefined,
    [
      "medium lint clippy src/lib.rs:3 [] length comparison to zero | help: using `is_empty` is clearer and more explicit: `v.is_empty()` $ cargo clippy",
      "medium lint clippy src/lib.rs:2 [] useless use of `vec!` | help: you can use an array directly: `[a]` $ cargo clippy",
    ],
  ],
  [
    "codeql.sarif",
    undefined,
    ["high security CodeQL src/my db.ts:12 [] This query string depends on a user-provided value. (js/sql-injection)"],
  ],
  [
    "eslint.json",
    undefined,
    [
      "high lint eslint src/bad.js:1 [] Parsing error: Unexpected token ( $ npx --no eslint src/bad.js",
      "medium lint eslint src/order.js:1 [] 'total' is assigned a value but never used (no-unused-vars) $ npx --no eslint src/order.js",
      "medium lint eslint src/order.js:1 [] 'total' is never reassigned. Use 'const' instead (prefer-const) $ npx --no eslint src/order.js",
      "medium lint eslint src/order.js:2 [] 'f' is defined but never used (no-unused-vars) $ npx --no eslint src/order.js",
      "medium lint eslint src/order.js:3 [] 'b' is not defined (no-undef) $ npx --no eslint src/order.js",
    ],
  ],
  [
    "eslint.txt",
    undefined,
    [
      "high lint eslint src/bad.js:1 [] Parsing error: Unexpected token ( $ npx --no eslint src/bad.js",
      "medium lint eslint src/order.js:1 [] 'total' is assigned a value but never used (no-unused-vars) $ npx --no eslint src/order.js",
      "medium lint eslint src/order.js:1 [] 'total' is never reassigned. Use 'const' instead (prefer-const) $ npx --no eslint src/order.js",
      "medium lint eslint src/order.js:2 [] 'f' is defined but never used (no-unused-vars) $ npx --no eslint src/order.js",
      "medium lint eslint src/order.js:3 [] 'b' is not defined (no-undef) $ npx --no eslint src/order.js",
    ],
  ],
  [
    "go.jsonl",
    { failed: 4, total: 6 },
    [
      "high test go test crash/crash_test.go:7 [example.com/app/crash > TestCrash] panic: assignment to entry in nil map $ go test example.com/app/crash -run '^TestCrash$'",
      "high test go test order_test.go:7 [example.com/app/order > TestTotal] Total(1, 2) = -1, want 3 $ go test example.com/app/order -run '^TestTotal$'",
      "high test go test order_test.go:15 [example.com/app/order > TestTable/two_items] \"two items\" is not known $ go test example.com/app/order -run '^TestTable$/^two_items$'",
      'blocker build go build/build.go:3 [] cannot use "a" (untyped string constant) as int value in return statement',
      "blocker build go build/build.go:5 [] undefined: undefinedName",
    ],
  ],
  [
    "go.txt",
    undefined,
    [
      'blocker build go build/build.go:3 [] cannot use "a" (untyped string constant) as int value in return statement',
      "blocker build go build/build.go:5 [] undefined: undefinedName",
      "high test go test crash/crash_test.go:7 [example.com/app/crash > TestCrash] panic: assignment to entry in nil map $ go test example.com/app/crash -run '^TestCrash$'",
      "high test go test order_test.go:7 [example.com/app/order > TestTotal] Total(1, 2) = -1, want 3 $ go test example.com/app/order -run '^TestTotal$'",
      "high test go test order_test.go:15 [example.com/app/order > TestTable/two_items] \"two items\" is not known $ go test example.com/app/order -run '^TestTable$/^two_items$'",
    ],
  ],
  [
    "jest.json",
    { failed: 2, total: 3 },
    [
      "high test jest sum.test.js:4 [sum.test.js > sum > adds two numbers] expect(received).toBe(expected) // Object.is equality | Expected: 3 | Received: -1 $ npx --no jest sum.test.js -t 'sum adds two numbers'",
      "high test jest sum.test.js:12 [sum.test.js > reads the order] TypeError: Cannot read properties of undefined (reading 'total') $ npx --no jest sum.test.js -t 'reads the order'",
      "blocker test jest broken.test.js:1 [broken.test.js] Cannot find module './not-there' from 'broken.test.js' $ npx --no jest broken.test.js",
    ],
  ],
  [
    "jest.txt",
    { failed: 2, total: 3 },
    [
      "high test jest sum.test.js:4 [sum.test.js > sum > adds two numbers] expect(received).toBe(expected) // Object.is equality | Expected: 3 | Received: -1 $ npx --no jest sum.test.js -t 'sum adds two numbers'",
      "high test jest sum.test.js:12 [sum.test.js > reads the order] TypeError: Cannot read properties of undefined (reading 'total') $ npx --no jest sum.test.js -t 'reads the order'",
      "blocker test jest broken.test.js:1 [broken.test.js] Cannot find module './not-there' from 'broken.test.js' $ npx --no jest broken.test.js",
    ],
  ],
  [
    "node-spec.txt",
    { failed: 2, total: 4 },
    [
      "high test node --test sum.test.mjs:5 [sum.test.mjs > sum > adds two numbers] Expected values to be strictly equal: | -1 !== 3 $ node --test '--test-name-pattern=^adds two numbers$' sum.test.mjs",
      "high test node --test sum.test.mjs:16 [sum.test.mjs > reads the order] TypeError: Cannot read properties of undefined (reading 'total') $ node --test '--test-name-pattern=^reads the order$' sum.test.mjs",
    ],
  ],
  [
    "node.tap",
    { failed: 2, total: 4 },
    [
      "high test node --test sum.test.mjs:5 [sum.test.mjs > sum > adds two numbers] Expected values to be strictly equal: | -1 !== 3 $ node --test '--test-name-pattern=^adds two numbers$' sum.test.mjs",
      "high test node --test sum.test.mjs:16 [sum.test.mjs > reads the order] TypeError: Cannot read properties of undefined (reading 'total') $ node --test '--test-name-pattern=^reads the order$' sum.test.mjs",
    ],
  ],
  [
    "node.xml",
    { failed: 2, total: 4 },
    [
      "high test node --test sum.test.mjs:5 [sum.test.mjs > sum > adds two numbers] Expected values to be strictly equal: | -1 !== 3 $ node --test '--test-name-pattern=^adds two numbers$' sum.test.mjs",
      "high test node --test sum.test.mjs:16 [sum.test.mjs > reads the order] TypeError: Cannot read properties of undefined (reading 'total') $ node --test '--test-name-pattern=^reads the order$' sum.test.mjs",
    ],
  ],
  [
    "pytest-short.txt",
    { failed: 4, total: 6 },
    [
      "high test pytest tests/test_order.py:10 [tests/test_order.py::TestTotal::test_adds] AssertionError: assert 3 == 4 | +  where 3 = total({'sum': 3}) $ python -m pytest tests/test_order.py::TestTotal::test_adds",
      "high test pytest tests/test_order.py:5 [tests/test_order.py::TestTotal::test_key] KeyError: 'sum' $ python -m pytest tests/test_order.py::TestTotal::test_key",
      "high test pytest tests/test_order.py:18 [tests/test_order.py::test_even[1]] AssertionError: n is odd | assert (1 % 2) == 0 $ python -m pytest 'tests/test_order.py::test_even[1]'",
      "high test pytest tests/test_order.py:27 [tests/test_order.py::test_database] RuntimeError: no database $ python -m pytest tests/test_order.py::test_database",
    ],
  ],
  [
    "pytest.txt",
    { failed: 5, total: 7 },
    [
      "high test pytest tests/test_order.py:10 [tests/test_order.py::TestTotal::test_adds] AssertionError: assert 3 == 4 | +  where 3 = total({'sum': 3}) $ python -m pytest tests/test_order.py::TestTotal::test_adds",
      "high test pytest tests/test_order.py:5 [tests/test_order.py::TestTotal::test_key] KeyError: 'sum' $ python -m pytest tests/test_order.py::TestTotal::test_key",
      "high test pytest tests/test_order.py:18 [tests/test_order.py::test_even[1]] AssertionError: n is odd | assert (1 % 2) == 0 $ python -m pytest 'tests/test_order.py::test_even[1]'",
      "blocker test pytest tests/test_broken.py:1 [tests/test_broken.py] ModuleNotFoundError: No module named 'nothing_there' $ python -m pytest tests/test_broken.py",
      "high test pytest tests/test_order.py:27 [tests/test_order.py::test_database] RuntimeError: no database $ python -m pytest tests/test_order.py::test_database",
    ],
  ],
  [
    "pytest.xml",
    { failed: 5, total: 7 },
    [
      "blocker test pytest tests/test_broken.py:1 [tests/test_broken.py] ModuleNotFoundError: No module named 'nothing_there' $ python -m pytest tests/test_broken.py",
      "high test pytest tests/test_order.py:10 [tests/test_order.py::TestTotal::test_adds] AssertionError: assert 3 == 4 | +  where 3 = total({'sum': 3}) $ python -m pytest tests/test_order.py::TestTotal::test_adds",
      "high test pytest tests/test_order.py:5 [tests/test_order.py::TestTotal::test_key] KeyError: 'sum' $ python -m pytest tests/test_order.py::TestTotal::test_key",
      "high test pytest tests/test_order.py:18 [tests/test_order.py::test_even[1]] AssertionError: n is odd | assert (1 % 2) == 0 $ python -m pytest 'tests/test_order.py::test_even[1]'",
      "high test pytest tests/test_order.py:27 [tests/test_order.py::test_database] RuntimeError: no database $ python -m pytest tests/test_order.py::test_database",
    ],
  ],
  ["rustfmt.txt", undefined, ["low format rustfmt src/lib.rs [] its format is not the formatter's $ cargo fmt -- src/lib.rs"]],
  [
    "tsc-pretty.txt",
    undefined,
    [
      "high types tsc src/order.ts:3 [] TS2322: Type 'number' is not assignable to type 'string'. $ npx --no tsc --noEmit",
      "high types tsc src/order.ts:5 [] TS2353: Object literal may only specify known properties, and 'sum' does not exist in type 'Order'. $ npx --no tsc --noEmit",
      "high types tsc src/order.ts:6 [] TS2307: Cannot find module './nothing.ts' or its corresponding type declarations. $ npx --no tsc --noEmit",
      "high types tsc src/order.ts:7 [] TS2322: Type 'number' is not assignable to type 'string'. $ npx --no tsc --noEmit",
    ],
  ],
  [
    "tsc.txt",
    undefined,
    [
      "high types tsc src/order.ts:3 [] TS2322: Type 'number' is not assignable to type 'string'. $ npx --no tsc --noEmit",
      "high types tsc src/order.ts:5 [] TS2353: Object literal may only specify known properties, and 'sum' does not exist in type 'Order'. $ npx --no tsc --noEmit",
      "high types tsc src/order.ts:6 [] TS2307: Cannot find module './nothing.ts' or its corresponding type declarations. $ npx --no tsc --noEmit",
      "high types tsc src/order.ts:7 [] TS2322: Type 'number' is not assignable to type 'string'. $ npx --no tsc --noEmit",
    ],
  ],
  [
    "vitest-github.txt",
    { failed: 2, total: 3 },
    [
      "blocker test vitest test/broken.test.ts:1 [test/broken.test.ts] Error: Cannot find module './not-there.ts' imported from /home/runner/work/app/app/test/broken.test.ts $ npx --no vitest run test/broken.test.ts",
      "high test vitest test/sum.test.ts:5 [test/sum.test.ts > sum > adds two numbers] AssertionError: expected -1 to be 3 // Object.is equality | - Expected | + Received | - 3 | + -1 $ npx --no vitest run test/sum.test.ts -t 'sum adds two numbers'",
      "high test vitest test/sum.test.ts:13 [test/sum.test.ts > reads the order] TypeError: Cannot read properties of undefined (reading 'total') $ npx --no vitest run test/sum.test.ts -t 'reads the order'",
    ],
  ],
  [
    "vitest.json",
    { failed: 2, total: 3 },
    [
      "blocker test vitest test/broken.test.ts [test/broken.test.ts] Cannot find module './not-there.ts' imported from /home/runner/work/app/app/test/broken.test.ts $ npx --no vitest run test/broken.test.ts",
      "high test vitest test/sum.test.ts:5 [test/sum.test.ts > sum > adds two numbers] AssertionError: expected -1 to be 3 // Object.is equality $ npx --no vitest run test/sum.test.ts -t 'sum adds two numbers'",
      "high test vitest test/sum.test.ts:13 [test/sum.test.ts > reads the order] TypeError: Cannot read properties of undefined (reading 'total') $ npx --no vitest run test/sum.test.ts -t 'reads the order'",
    ],
  ],
  [
    "vitest.txt",
    { failed: 2, total: 3 },
    [
      "blocker test vitest test/broken.test.ts:1 [test/broken.test.ts] Error: Cannot find module './not-there.ts' imported from /home/runner/work/app/app/test/broken.test.ts $ npx --no vitest run test/broken.test.ts",
      "high test vitest test/sum.test.ts:5 [test/sum.test.ts > sum > adds two numbers] AssertionError: expected -1 to be 3 // Object.is equality | - Expected | + Received | - 3 | + -1 $ npx --no vitest run test/sum.test.ts -t 'sum adds two numbers'",
      "high test vitest test/sum.test.ts:13 [test/sum.test.ts > reads the order] TypeError: Cannot read properties of undefined (reading 'total') $ npx --no vitest run test/sum.test.ts -t 'reads the order'",
    ],
  ],
  [
    "vitest.xml",
    { failed: 3, total: 4 },
    [
      "blocker test vitest test/broken.test.ts:1 [test/broken.test.ts] Error: Cannot find module './not-there.ts' imported from /home/runner/work/app/app/test/broken.test.ts $ npx --no vitest run test/broken.test.ts",
      "high test vitest test/sum.test.ts:5 [test/sum.test.ts > sum > adds two numbers] AssertionError: expected -1 to be 3 // Object.is equality | - Expected | + Received | - 3 | + -1 $ npx --no vitest run test/sum.test.ts -t 'sum adds two numbers'",
      "high test vitest test/sum.test.ts:13 [test/sum.test.ts > reads the order] TypeError: Cannot read properties of undefined (reading 'total') $ npx --no vitest run test/sum.test.ts -t 'reads the order'",
    ],
  ],
];

describe("recorded output of real tools", () => {
  test.for(READ)("%s", ([name, tests, expected]) => {
    const { findings, tests: counted } = findingsIn(name);
    expect(findings.map(inShort)).toEqual(expected);
    expect(counted).toEqual(tests);
  });

  it("has no file that is not read", () => {
    expect(FIXTURES).toEqual(READ.map(([name]) => name));
  });

  it("has the same identities, whichever way the tool reports", () => {
    const identities = (name: string) =>
      findingsIn(name)
        .findings.map(({ identity }) => identity)
        .toSorted();
    for (const [one, other] of [
      ["jest.txt", "jest.json"],
      ["vitest.txt", "vitest.xml"],
      ["vitest.txt", "vitest-github.txt"],
      ["node.tap", "node.xml"],
      ["node.tap", "node-spec.txt"],
      ["pytest.txt", "pytest.xml"],
      ["go.txt", "go.jsonl"],
      ["cargo-build.txt", "cargo-build.jsonl"],
      ["eslint.txt", "eslint.json"],
      ["tsc.txt", "tsc-pretty.txt"],
    ] as const)
      expect(identities(one), one).toEqual(identities(other));
  });

  it("is read the same with the colours of a terminal and with the line ends of Windows", () => {
    const findings = (log: string) => parseFailedJob({ job: "unit", log }).findings;
    for (const name of ["vitest.txt", "pytest.txt", "tsc.txt", "go.txt"]) {
      const text = fixture(name);
      const coloured = text.replace(/^(?=\S)/gm, "\u001b[31m").replaceAll("\n", "\u001b[39m\r\n");
      expect(findings(coloured), name).toEqual(findings(text));
    }
  });
});
