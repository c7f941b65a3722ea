import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/helpers/scratch.ts";
import { parseResults } from "../../src/reports/parse-results.ts";
import type { ResultsFormat } from "../../src/reports/results-reading.ts";
import { lay, nodeTest, vitest } from "./real-results.ts";

const folder = scratchFolder();

function parse(format: ResultsFormat, text: string, roots: readonly string[] = [], notBefore = 0) {
  return parseResults({ format, bytes: new TextEncoder().encode(text), roots, notBefore });
}

/** Tests as `outcome id`, or the problem. */
function read(...options: Parameters<typeof parse>): readonly string[] | string {
  const reading = parse(...options);
  return reading.ok ? reading.tests.map(({ id, outcome }) => `${outcome} ${id}`) : reading.problem;
}

const NODE_TESTS = {
  "test/a.test.mjs": `
    import { test, describe, it } from "node:test";
    import assert from "node:assert";
    test("adds #1 & <b>", () => {});
    test("fails", () => assert.equal(1, 2));
    test("skipped", { skip: "why" }, () => {});
    test("later", { todo: true }, () => { throw new Error("not yet"); });
    describe("suite", () => {
      it("inner", () => console.log("ok 99 - forged\\n1..1\\nBail out! forged"));
      describe("deep", () => it("leaf", () => {}));
    });
    test("odd \\u001b[31m name", () => {});`,
  "test/b.test.mjs": `import { test } from "node:test"; test("adds #1 & <b>", () => {});`,
};

describe("node's own runner", () => {
  test("TAP", () => {
    lay(folder(), NODE_TESTS);
    const { code, stdout } = nodeTest(folder(), "tap");
    expect(code).toBe(1);
    expect(read("tap", stdout, [folder()])).toEqual([
      "passed adds #1 & <b>",
      "failed fails",
      "skipped skipped",
      "todo later",
      "passed suite > inner",
      "passed suite > deep > leaf",
      "passed odd \u001b[31m name",
      "passed adds #1 & <b>",
    ]);
  });

  test("JUnit, with the file of each test and no trace of the folder it ran in", () => {
    lay(folder(), NODE_TESTS);
    const [one, other] = [read("junit", nodeTest(folder(), "junit").stdout, [folder()])].flat();
    expect(one).toBe("passed test/a.test.mjs > test > adds #1 & <b>");
    expect(other).toBe("failed test/a.test.mjs > test > fails");
    const tests = read("junit", nodeTest(folder(), "junit").stdout, [folder()]);
    expect(tests).toContain("todo test/a.test.mjs > test > later");
    expect(tests).toContain("passed test/a.test.mjs > suite > deep > leaf");
    expect(tests).toHaveLength(8);
    expect(String(tests)).not.toContain(folder());
  });

  test("a file that cannot be loaded has a number that a test before it had", () => {
    lay(folder(), {
      "test/a.test.mjs": `import { test } from "node:test"; test("a", () => {}); test("b", () => {});`,
      "test/b.test.mjs": `import "./nosuch.mjs";`,
    });
    const { stdout } = nodeTest(folder(), "tap");
    expect(stdout).toMatch(/^ok 2 - b$[^]*^not ok 2 - /m);
    expect(read("tap", stdout, [folder()])).toEqual(["passed a", "passed b", "failed test/b.test.mjs"]);
  });

  test("a file without tests has such a number too", () => {
    lay(folder(), {
      "test/a.test.mjs": `import { test } from "node:test"; test("a", () => {}); test("b", () => {});`,
      "test/values.mjs": "export const one = 1;",
    });
    const { stdout } = nodeTest(folder(), "tap", "test/*.mjs");
    expect(stdout).toMatch(/^ok 2 - b$[^]*^ok 2 - /m);
    expect(read("tap", stdout, [folder()])).toEqual(["passed a", "passed b", "passed test/values.mjs"]);
  });

  test("a file that cannot be loaded, and no tests at all", () => {
    lay(folder(), { "test/broken.test.mjs": `import "./nosuch.mjs";` });
    expect(read("tap", nodeTest(folder(), "tap").stdout, [folder()])).toEqual(["failed test/broken.test.mjs"]);
    lay(folder(), { "empty/package.json": "{}" });
    const empty = join(folder(), "empty");
    expect(read("tap", nodeTest(empty, "tap").stdout)).toEqual([]);
    expect(read("junit", nodeTest(empty, "junit").stdout)).toEqual([]);
  });
});

const VITEST_TESTS = {
  "a.test.ts": `
    import { describe, expect, it, test } from "vitest";
    test("adds", () => {});
    test("fails", () => expect(1).toBe(2));
    test.skip("skipped", () => {});
    test.todo("later");
    describe("suite", () => { it.each([1, 2])("same", () => {}); });`,
  "only.test.ts": `import { test } from "vitest"; test.only("easy", () => {}); test("hard", () => { throw new Error("no"); });`,
  "broken.test.ts": `import "./nosuch";`,
};

describe("vitest", () => {
  test("JSON", () => {
    lay(folder(), VITEST_TESTS);
    const { code, stdout } = vitest(folder(), "json");
    expect(code).toBe(1);
    expect([...read("vitest", stdout, [folder()])].toSorted()).toEqual([
      "failed a.test.ts > fails",
      "failed broken.test.ts",
      "passed a.test.ts > adds",
      "passed a.test.ts > suite > same",
      "passed a.test.ts > suite > same",
      "passed only.test.ts > easy",
      "skipped a.test.ts > skipped",
      "skipped only.test.ts > hard",
      "todo a.test.ts > later",
    ]);
    expect(read("jest", stdout, [folder()])).toEqual(read("vitest", stdout, [folder()]));
  });

  test("JSON of an earlier run is known by its start", () => {
    lay(folder(), { "a.test.ts": `import { test } from "vitest"; test("adds", () => {});` });
    const { stdout } = vitest(folder(), "json");
    expect(read("vitest", stdout, [], Date.now() - 60_000)).toHaveLength(1);
    expect(read("vitest", stdout, [], Date.now() + 10_000)).toContain("of another run");
  });

  test("JUnit", () => {
    lay(folder(), VITEST_TESTS);
    const { stdout } = vitest(folder(), "junit");
    expect([...read("junit", stdout, [folder()])].toSorted()).toEqual([
      "failed a.test.ts > fails",
      "failed broken.test.ts > broken.test.ts",
      "passed a.test.ts > adds",
      "passed a.test.ts > suite > same",
      "passed a.test.ts > suite > same",
      "passed only.test.ts > easy",
      "skipped a.test.ts > later",
      "skipped a.test.ts > skipped",
      "skipped only.test.ts > hard",
    ]);
    expect(read("junit", stdout, [], Date.now() + 10_000)).toContain("of another run");
  });
});

/** The shape that pytest documents for --junit-xml (family xunit2). */
const PYTEST = `<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1" skipped="2" tests="6" time="0.052" timestamp="2026-01-02T03:04:05.678901+01:00" hostname="box">
<testcase classname="tests.test_a" name="test_adds[1-2]" time="0.001" />
<testcase classname="tests.test_a.TestSum" name="test_fails" time="0.002"><failure message="assert 1 == 2">def test_fails():
&gt;       assert 1 == 2
E       assert 1 == 2</failure></testcase>
<testcase classname="tests.test_a" name="test_skipped" time="0.000"><skipped type="pytest.skip" message="why">tests/test_a.py:9: why</skipped></testcase>
<testcase classname="tests.test_a" name="test_expected" time="0.000"><skipped type="pytest.xfail" message="" /></testcase>
<testcase classname="tests.test_a" name="test_setup" time="0.000"><error message="failed on setup with &quot;E&quot;">E</error></testcase>
<testcase classname="tests.test_a" name="test_out &lt;&#228;&#x1F600;&gt;" time="0.001"><system-out><![CDATA[<!DOCTYPE html><testcase name="forged"/> & more]]></system-out></testcase>
</testsuite></testsuites>`;

/** The shape of Surefire's files: one suite, a test that passed on its second run. */
const SUREFIRE = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="org.A" tests="2" errors="0" skipped="0" failures="0">
  <properties><property name="java.version" value="21"/></properties>
  <testcase name="steady" classname="org.A" time="0.1"/>
  <testcase name="flaky" classname="org.A" time="0.1"><flakyFailure message="sometimes" type="E"><stackTrace>at x</stackTrace></flakyFailure></testcase>
</testsuite>`;

describe("JUnit by other hands", () => {
  test("pytest's", () => {
    expect(read("junit", PYTEST)).toEqual([
      "passed pytest > tests.test_a > test_adds[1-2]",
      "failed pytest > tests.test_a.TestSum > test_fails",
      "skipped pytest > tests.test_a > test_skipped",
      "skipped pytest > tests.test_a > test_expected",
      "failed pytest > tests.test_a > test_setup",
      "passed pytest > tests.test_a > test_out <ä😀>",
    ]);
    expect(read("junit", PYTEST, [], Date.parse("2026-01-02T02:04:06Z"))).toHaveLength(6);
    expect(read("junit", PYTEST, [], Date.parse("2026-01-02T02:05:06Z"))).toContain("of another run");
  });

  test("a test that passed on its second run failed", () => {
    expect(read("junit", SUREFIRE)).toEqual(["passed org.A > steady", "failed org.A > flaky"]);
  });
});

describe("a report that cannot be believed", () => {
  const json = (over: object) => {
    const test = { ancestorTitles: [], title: "a", status: "passed" };
    const file = { name: "a.ts", status: "passed", assertionResults: [test] };
    const counts = { numTotalTests: 1, numFailedTests: 0, numFailedTestSuites: 0 };
    return JSON.stringify({ ...counts, success: true, startTime: 1, testResults: [file], ...over });
  };

  test.for([
    ["vitest", "", "it is empty"],
    ["vitest", "{", "it is not JSON"],
    ["vitest", "[".repeat(200_000), "it is not JSON"],
    ["vitest", "{}", "not a report of vitest or jest"],
    ["vitest", "null", "not a report of vitest or jest"],
    ["vitest", json({ numTotalTests: 4992 }), "it counts 4992 tests and names 1"],
    ["vitest", json({ numFailedTests: 2 }), "it counts failures and names none"],
    [
      "vitest",
      json({ testResults: [{ name: "a", status: "x", assertionResults: [{ ancestorTitles: [], title: "a", status: "ok" }] }] }),
      "not a report of vitest or jest",
    ],
    ["junit", "<testsuites>", "it is not well-formed XML"],
    ["junit", PYTEST.slice(0, -30), "it is not well-formed XML"],
    ["junit", "<html><testcase name='a'/></html>", "it is not a JUnit report"],
    ["junit", "plain", "it is not well-formed XML"],
    ["junit", "<testsuite><testcase classname='a'/></testsuite>", "a test case without a name"],
    ["junit", "<testsuite failures='2'><testcase name='a'/></testsuite>", "it counts 2 failures and names none"],
    [
      "junit",
      "<testsuites><testsuite failures='1'><testcase name='a'/></testsuite></testsuites>",
      "it counts 1 failures and names none",
    ],
    [
      "junit",
      "<testsuites><testsuite><testsuite errors='1'><testcase name='a'/></testsuite></testsuite></testsuites>",
      "it counts 1 failures",
    ],
    ["tap", "all is well\n", "it holds no TAP (of node:test: --test-reporter=tap)"],
    ["tap", "ok 1 - a\n1..1\nTAP version 13\nnot ok 1 - a\n1..1\n", "it goes on after its plan"],
    ["tap", "ok 1 - a\n1..1\nBail out!\n", "it goes on after its plan"],
    ["tap", "ok 1 - a\n", "no plan"],
    ["tap", "1..3\nok 1 - a\nok 2 - b\n", "incorrect number of tests"],
    ["tap", "ok 1 - a\nok 1 - b\n1..2\n", "multiple times"],
    ["tap", "ok 1 - a\nBail out! disk\n1..1\n", "bailed out"],
    ["tap", "# Subtest: s\n    ok 1 - a\n    1..2\nok 1 - s\n1..1\n", "incorrect number of tests"],
    ["tap", `${"    ".repeat(80)}ok 1 - deep\n`, "deep"],
  ] as const)("%s: %s", ([format, text, problem]) => {
    expect(read(format, text)).toContain(problem);
  });
});

describe("a report that attacks its reader", () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "${"ha".repeat(1000)}">${Array.from({ length: 20 }, (_, i) => `<!ENTITY b${i} "&a;&a;&a;&a;">`).join("")}]>`;
  const suite = (name: string) => `<testsuite name="s"><testcase name="${name}"/></testsuite>`;

  test.for([
    ["entities that grow", `<?xml version="1.0"?>\n${bomb}${suite("&b19;")}`],
    ["entities that reach out", `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${suite("&a;")}`],
    ["a document type after a comment", `\ufeff <!-- x --><?pi y?><!DOCTYPE x>${suite("a")}`],
    ["a document type in small letters", `<!doctype x>${suite("a")}`],
  ] as const)("%s are refused", ([, text]) => {
    expect(read("junit", text)).toContain("document type");
  });

  test("an entity that nobody defined stays as it is, and one that is defined is resolved once", () => {
    expect(read("junit", suite("&nosuch; &amp;lt; &#0; &#x110000; &lt;"))).toEqual(["passed &nosuch; &lt; \0 &#x110000; <"]);
  });

  test("elements that are nested without end are refused, and others are not read", () => {
    const deep = 300;
    const nested = `${'<testsuite name="s">'.repeat(deep)}<testcase name="a"/>${"</testsuite>".repeat(deep)}`;
    expect(read("junit", nested)).toMatch(/could not be read: .*nested/);
    expect(
      read("junit", `<testsuite name="s"><properties><testcase name="forged"/></properties><testcase name="a"/></testsuite>`),
    ).toEqual(["passed a"]);
  });

  test("names that JavaScript's objects have are names like any other, and no elements", () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    const cases = names.map((name) => `<testcase name="${name}" classname="${name}"/>`).join("");
    const xml = `<testsuites><testsuite name="__proto__">${cases}</testsuite></testsuites>`;
    const [, ...rest] = names.map((name) => `passed __proto__ > ${name} > ${name}`);
    expect(read("junit", xml)).toEqual(["passed __proto__ > __proto__", ...rest]);
    expect(read("junit", `<testsuite><__proto__><failure/></__proto__><testcase name="a"/></testsuite>`)).toContain(
      "could not be read",
    );
    expect({}).not.toHaveProperty("failure");
  });

  test("YAML under a test point is never read", () => {
    const yaml = "  ---\n  a: &a [x, x]\n  b: &b [*a, *a]\n  bad: !!js/function 'x'\n  not ok 7 - forged\n  ...\n";
    expect(read("tap", `TAP version 14\nok 1 - a\n${yaml}not ok 2 - b\n${yaml}1..2\n`)).toEqual(["passed a", "failed b"]);
    expect(read("tap", "ok 1 - a\n  ---\n  cut: off\nok 2 - b\n1..2\n")).toEqual(["passed a", "passed b"]);
    // A parser of YAML needs seconds for so much of it.
    const much = `ok 1 - a\n  ---\n${"  - {a: [1, 2, {b: c}]}\n".repeat(100_000)}  ...\n1..1\n`;
    const began = performance.now();
    expect(read("tap", much)).toEqual(["passed a"]);
    expect(performance.now() - began).toBeLessThan(1_500);
  });
});

describe("100,000 tests", () => {
  const N = 100_000;
  const ids = Array.from({ length: N }, (_, i) => i);
  const point = (i: number) => `ok ${i + 1} - test ${i}\n  ---\n  duration_ms: 0.1\n  ...\n`;
  const assertion = (i: number) => ({ ancestorTitles: ["suite"], title: `test ${i}`, status: "passed" });
  const counts = { numTotalTests: N, numFailedTests: 0, numFailedTestSuites: 0, success: true, startTime: 1 };
  test.for([
    ["tap", `TAP version 13\n${ids.map(point).join("")}1..${N}\n`],
    [
      "junit",
      `<testsuite name="s">${ids.map((i) => `<testcase classname="c${i % 99}" name="test ${i}" time="0.1"/>`).join("\n")}</testsuite>`,
    ],
    [
      "vitest",
      JSON.stringify({ ...counts, testResults: [{ name: "a", status: "passed", assertionResults: ids.map(assertion) }] }),
    ],
  ] as const)("%s is read within ten seconds", ([format, text]) => {
    const began = performance.now();
    expect(read(format, text)).toHaveLength(N);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

test("what is told of a report that cannot be read is bounded", () => {
  expect(read("junit", "<testsuite>".repeat(100_000)).length).toBeLessThanOrEqual(500);
});
