import { parseTags } from "@loopdash/values";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { Finding } from "../src/finding.ts";
import { type FailedJob, parseFailedJob } from "../src/findings.ts";
import { parseInfrastructure } from "../src/infrastructure.ts";
import { readLog } from "../src/log-text.ts";
import { parseBiome } from "../src/parsers/biome.ts";
import { parseCargo } from "../src/parsers/cargo.ts";
import { parseEslint } from "../src/parsers/eslint.ts";
import { parseFormatters } from "../src/parsers/formatters.ts";
import { parseGithubLog } from "../src/parsers/github-log.ts";
import { parseGoTest } from "../src/parsers/go-test.ts";
import { parseJsTests } from "../src/parsers/js-tests.ts";
import { parseNodeSpec } from "../src/parsers/node-spec.ts";
import { parsePytest } from "../src/parsers/pytest.ts";
import { parseTap } from "../src/parsers/tap.ts";
import { parseTsc } from "../src/parsers/tsc.ts";
import { triageCheck } from "../src/triage.ts";
import { asGithubLog, FIXTURES, fixture } from "./fixtures.ts";

const META = { run: "r", ticket: "T-1", attempt: 1, check: "unit", headSha: "0".repeat(40) };

/** Every way into the triage with one text; all that comes out has its form and its bounds. */
function survives(text: string): void {
  const jobs: readonly Partial<FailedJob>[] = [
    { log: text },
    { reports: [text] },
    { annotations: [{ path: text, title: text, line: 3, level: "failure", message: text }], roots: [text, "/", ""] },
    { log: text, job: text, reports: [text], roots: ["/home/runner/work/app/app"] },
  ];
  for (const job of jobs) {
    const { findings, tests } = parseFailedJob({ job: "unit", ...job });
    for (const finding of findings) Finding.parse(finding);
    const { markdown } = triageCheck(findings, { ...META, ...(tests && { tests }) });
    expect(markdown.length).toBeLessThanOrEqual(8_000);
    expect(findings.length).toBeLessThanOrEqual(500);
  }
}

/** A report of jest with many failures in one file. */
function jestReport(name: string): unknown {
  const failed = { ancestorTitles: ["a"], title: "b", status: "failed", failureMessages: ["no"] };
  const assertionResults = Array.from({ length: 2_000 }, (_, i) => ({ ...failed, title: `b${i}` }));
  return { numTotalTests: 2, numFailedTests: 2, testResults: [{ name, status: "failed", assertionResults }] };
}

const ALL = FIXTURES.map(fixture);
const PIECES = [...new Set(ALL.flatMap((text) => text.split("\n")))];

describe("no input throws, and every finding has its form", () => {
  it("of random text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 400 }), survives), { numRuns: 150 });
  });

  it("of random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => survives(new TextDecoder().decode(bytes))),
      { numRuns: 150 },
    );
  });

  it("of real output that is cut, and cut in two and put together again", () => {
    const pair = fc.tuple(fc.constantFrom(...ALL), fc.nat({ max: 8_000 }), fc.constantFrom(...ALL), fc.nat({ max: 8_000 }));
    fc.assert(
      fc.property(pair, ([one, to, other, from]) => survives(one.slice(0, to) + other.slice(from))),
      { numRuns: 150 },
    );
  });

  it("of lines of real output in any order", () => {
    const line = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), fc.constantFrom("\n", "\r\n"), (lines, end) => survives(lines.join(end))),
      { numRuns: 200 },
    );
  });

  it("of values that JSON can hold in the place of others", () => {
    const reports = ["jest.json", "vitest.json", "eslint.json", "codeql.sarif"].map(fixture);
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom("1e999", -1, "__proto__"));
    fc.assert(
      fc.property(fc.constantFrom(...reports), fc.nat(), value, (report, at, other) => {
        let n = 0;
        const count = [...report.matchAll(/":/g)].length;
        survives(JSON.stringify(JSON.parse(report), (key, each) => (key !== "" && n++ === at % count ? other : each)));
      }),
      { numRuns: 150 },
    );
  });

  test.for([
    ["one line", "x".repeat(3_000_000)],
    ["one line of brackets", "[".repeat(1_000_000)],
    ["one line of nested JSON", `{"a":${"[".repeat(60_000)}${"]".repeat(60_000)}}`],
    ["one line of XML", `<testsuite>${"<testcase name='a'><failure>".repeat(30_000)}`],
    ["one tag of XML", `<testcase ${"a='b' ".repeat(200_000)}`],
    ["one attribute of XML", `<testcase a="${"<".repeat(500_000)}`],
    ["failures of one test", " FAIL  a.test.ts > a\n".repeat(100_000)],
    ["failures of many tests", Array.from({ length: 50_000 }, (_, i) => `FAILED a.py::t${i} - no`).join("\n")],
    ["sections of one name", "____ a ____\na.py:1: no\nE   no\n".repeat(20_000)],
    ["nested tests of Go", `--- FAIL: ${"a/".repeat(190)}b (0.00s)\n`.repeat(5_000)],
    ["failures in one file with a long name", JSON.stringify(jestReport("n".repeat(1_500_000)))],
    ["errors of GitHub", "::error file=a.ts,line=1::no\n".repeat(50_000)],
  ] as const)("of %s without end", ([, text]) => {
    survives(text);
  });
});

describe("twice the lines cost no more than twice the visits", () => {
  const log = readLog(asGithubLog(ALL.join("\n"))).lines;
  const parsers: Readonly<Record<string, (lines: readonly string[]) => unknown>> = {
    ...{ parseBiome, parseCargo, parseGoTest, parsePytest, parseTsc, parseInfrastructure },
    ...Object.fromEntries(
      Object.entries({ parseEslint, parseFormatters, parseGithubLog, parseJsTests, parseNodeSpec, parseTap }).map(
        ([name, parse]) => [name, (lines: readonly string[]) => parse(lines, [])],
      ),
    ),
  };

  /** How often a parser takes a line of the log. */
  function visits(parse: (lines: readonly string[]) => unknown, lines: readonly string[]): number {
    let count = 0;
    const counted = new Proxy(lines, {
      get(target, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) count += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
    parse(counted);
    return count;
  }

  test.for(Object.entries(parsers))("in %s", ([, parse]) => {
    const twice = [...log, ...log];
    const once = visits(parse, log);
    expect(once).toBeGreaterThan(0);
    expect(visits(parse, twice)).toBeLessThanOrEqual(2 * once + 10);
    expect(visits(parse, twice)).toBeLessThanOrEqual(8 * twice.length);
  });

  it("in the log itself, of which the beginning and the end are read", () => {
    const { lines } = readLog(Array.from({ length: 200_000 }, (_, i) => `line ${i}`).join("\n"));
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([60_000, "line 0", "line 199999"]);
    const long = readLog(`begin\n${"x".repeat(6_000_000)}\nend`);
    expect([long.lines[0], long.lines.at(-1)]).toEqual(["begin", "end"]);
    expect(Math.max(...long.lines.map(({ length }) => length))).toBe(1_000);
  });

  it("in XML, whose tags begin and end once", () => {
    const tags = (text: string) => [...parseTags(text)].length;
    const cases = "<testcase name='a'><failure message=\"b\">c</failure></testcase>";
    expect(tags(cases.repeat(100))).toBe(400);
    expect(tags(`${"<".repeat(1_000)}${cases}`)).toBe(4);
  });
});
