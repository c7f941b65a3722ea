import { describe, expect, it } from "vitest";
import { parseFailedJob } from "../src/findings.ts";
import { fixture, inShort } from "./fixtures.ts";

const short = (log: string) => parseFailedJob({ job: "unit", log }).findings.map(inShort);

describe("a test runner's output that is cut", () => {
  it("at its end still has the sections that are whole", () => {
    const text = fixture("pytest.txt");
    expect(short(text.slice(0, text.indexOf("=== short test summary")))).toContainEqual(
      expect.stringContaining("[tests/test_order.py::TestTotal::test_key] KeyError: 'sum'"),
    );
  });

  it("at its beginning still has the summary", () => {
    const text = fixture("pytest.txt");
    expect(short(text.slice(text.indexOf("short test summary")))[0]).toBe(
      "high test pytest tests/test_order.py [tests/test_order.py::TestTotal::test_adds] AssertionError: assert 3 == 4 $ python -m pytest tests/test_order.py::TestTotal::test_adds",
    );
  });

  it("in a report keeps the failures before the cut", () => {
    const xml = fixture("vitest.xml");
    const { findings } = parseFailedJob({ job: "unit", reports: [xml.slice(0, xml.indexOf("reads the order"))] });
    expect(findings.map(({ test }) => test)).toEqual(["test/broken.test.ts", "test/sum.test.ts > sum > adds two numbers"]);
  });

  it("before its sections has the names of cargo's failed tests", () => {
    const text = fixture("cargo-test.txt");
    expect(short(text.slice(0, text.indexOf("failures:")))).toEqual([
      "high test cargo test nowhere [tests::reads] it failed without a message $ cargo test tests::reads -- --exact",
      "high test cargo test nowhere [tests::adds] it failed without a message $ cargo test tests::adds -- --exact",
    ]);
  });
});

describe("vitest with several projects", () => {
  it.for([
    " FAIL  |quick| test/a.test.ts > adds",
    "\u001b[41m FAIL \u001b[49m \u001b[45m quick \u001b[49m test/a.test.ts > adds",
  ])("is read without their names: %s", (head) => {
    expect(short(`${head}\nError: no\n ❯ src/a.ts:7:1\n`)).toEqual([
      "high test vitest src/a.ts:7 [test/a.test.ts > adds] Error: no $ npx --no vitest run test/a.test.ts -t adds",
    ]);
  });

  it("tells every test that failed by one error", () => {
    const log = " FAIL  test/a.test.ts > one\n FAIL  test/a.test.ts > two\nError: no\n ❯ src/a.ts:7:1\n";
    expect(short(log).map((line) => line.split(" $ ")[0])).toEqual([
      "high test vitest src/a.ts:7 [test/a.test.ts > one] Error: no",
      "high test vitest src/a.ts:7 [test/a.test.ts > two] Error: no",
    ]);
  });
});

describe("output that no tool is recognised in", () => {
  it("is one unknown finding with its end", () => {
    const log = "building\nnothing works\n##[error]Process completed with exit code 2.\n";
    expect(parseFailedJob({ job: "make", log }).findings.map(inShort)).toEqual([
      "high unknown log nowhere [] building | nothing works",
    ]);
  });

  it("is no finding if it is empty", () => {
    expect(parseFailedJob({ job: "make", log: "\n \n" })).toEqual({ findings: [] });
    expect(parseFailedJob({ job: "make" })).toEqual({ findings: [] });
  });

  it("is no failure of a report with an unknown form", () => {
    const reports = [
      "<html><body>failure</body></html>",
      '{"a": 1}',
      "[1]",
      "{",
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]>',
    ];
    expect(parseFailedJob({ job: "make", reports })).toEqual({ findings: [] });
  });
});

describe("a command that repeats a failure", () => {
  const vitest = (name: string) => parseFailedJob({ job: "unit", log: ` FAIL  ${name}\nError: no\n` }).findings[0];

  it("holds a name as one word that no shell and no pattern reads otherwise", () => {
    const name = "test/a.test.ts > says $(touch /x) `id` it's (a|b)*";
    expect(vitest(name)?.reproduce).toEqual([
      ...["npx", "--no", "vitest", "run", "test/a.test.ts", "-t"],
      "says \\$\\(touch \\/x\\) `id` it's \\(a\\|b\\)\\*",
    ]);
    expect(inShort(vitest(name) ?? never())).toContain("-t 'says \\$\\(touch \\/x\\) `id` it'\\''s \\(a\\|b\\)\\*'");
  });

  it.for(["--config=evil.ts", "../../evil.test.ts", "/etc/evil.test.ts", "a;b.test.ts", "$(id).test.ts"])(
    "does not exist if the file is %s",
    (file) => {
      expect(vitest(`${file} > adds`)).toMatchObject({ tool: "vitest" });
      expect(vitest(`${file} > adds`)).not.toHaveProperty("reproduce", expect.anything());
    },
  );

  it("runs the whole file if the name could be an option", () => {
    expect(vitest("test/a.test.ts > --update")?.reproduce).toEqual(["npx", "--no", "vitest", "run", "test/a.test.ts"]);
  });
});

function never(): never {
  throw new Error("there is no finding");
}

describe("a runner that numbers its failures", () => {
  it("is read with the names of tests below the numbers (minitest)", () => {
    const log = [
      "  1) Failure:",
      "CartTest#test_total [cart_test.rb:3]:",
      "Expected: 6",
      "  Actual: 5",
      "",
      "  2) Error:",
      "CartTest#test_price:",
      "KeyError: key not found: :milk",
      "    cart_test.rb:4:in `fetch'",
      "    cart_test.rb:4:in `test_price'",
      "",
      "3 runs, 2 assertions, 1 failures, 1 errors, 0 skips",
    ].join("\n");
    expect(short(log)).toEqual([
      "high test tests cart_test.rb:3 [CartTest#test_total] Expected: 6 |   Actual: 5",
      "high test tests cart_test.rb:4 [CartTest#test_price] KeyError: key not found: :milk",
    ]);
  });

  it("is read with the names of tests behind the numbers (PHPUnit)", () => {
    const log = [
      "There was 1 error:",
      "",
      "1) CartTest::testPrice",
      "RuntimeException: no price of milk",
      "",
      "/repo/CartTest.php:6",
      "",
      "--",
      "",
      "There was 1 failure:",
      "",
      "1) CartTest::testTotal",
      "Failed asserting that 5 is identical to 6.",
      "",
      "/repo/CartTest.php:4",
      "",
      "ERRORS!",
      "Tests: 3, Assertions: 2, Errors: 1, Failures: 1.",
    ].join("\n");
    expect(parseFailedJob({ job: "unit", log, roots: ["/repo"] }).findings.map(inShort)).toEqual([
      "high test tests CartTest.php:6 [CartTest::testPrice] RuntimeException: no price of milk",
      "high test tests CartTest.php:4 [CartTest::testTotal] Failed asserting that 5 is identical to 6.",
    ]);
  });

  it("is not meant by a numbered list of steps that passed", () => {
    expect(short("1) fetch\n2) build\ndone in 3 s")).toEqual([expect.stringMatching(/^high unknown log nowhere /)]);
  });
});
