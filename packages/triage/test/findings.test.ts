import { describe, expect, it } from "vitest";
import { Finding } from "../src/finding.ts";
import { parseFailedJob } from "../src/findings.ts";
import { asGithubLog, FIXTURES, findingsIn, fixture, inShort } from "./fixtures.ts";

const short = (options: Omit<Parameters<typeof parseFailedJob>[0], "job">) =>
  parseFailedJob({ job: "unit", ...options }).findings.map(inShort);

describe("findings of several sources", () => {
  it("are told once: a log of GitHub, annotations and a report of one run", () => {
    const text = fixture("vitest-github.txt");
    const annotations = [...text.matchAll(/^::error file=([^,]+),title=([^,]+),line=(\d+),[^:]*::(.*)$/gm)].map(
      ([, path = "", title = "", line, message = ""]) => ({
        ...{ path: path.replace("/home/runner/work/app/app/", ""), title, line: Number(line), level: "failure" },
        message: message.replaceAll("%0A", "\n"),
      }),
    );
    expect(annotations).toHaveLength(3);
    const expected = findingsIn("vitest.txt").findings.map(inShort);
    const [log, reports] = [asGithubLog(text), [fixture("vitest.xml")]];
    expect(short({ log })).toEqual(expected);
    expect(short({ log, annotations })).toEqual(expected);
    expect(short({ log, annotations, reports })).toEqual(expected);
    expect(parseFailedJob({ job: "unit", annotations }).findings.map(({ tool, test }) => `${tool}: ${test}`)).toEqual([
      "annotation: test/broken.test.ts",
      "annotation: test/sum.test.ts > sum > adds two numbers",
      "annotation: test/sum.test.ts > reads the order",
    ]);
  });

  it("have the place that any of them knows", () => {
    const { findings } = parseFailedJob({ job: "unit", reports: [fixture("vitest.json")], log: fixture("vitest.txt") });
    expect(findings[0]).toMatchObject({ tool: "vitest", file: "test/broken.test.ts", line: 1 });
    expect(findings).toHaveLength(3);
  });

  it("are told once if a matcher of GitHub repeats them as annotations", () => {
    const annotations = [
      { path: "src/order.ts", line: 3, level: "failure", message: "Type 'number' is not assignable to type 'string'." },
      { path: "src/other.ts", line: 3, level: "failure", message: "Type 'number' is not assignable to type 'string'." },
      { path: ".github", line: 40, level: "failure", message: "Process completed with exit code 2." },
      { path: "src/order.ts", line: 9, level: "warning", message: "Unused." },
    ];
    expect(short({ log: fixture("tsc.txt"), annotations })).toEqual([
      ...findingsIn("tsc.txt").findings.map(inShort),
      "high unknown annotation src/other.ts:3 [] Type 'number' is not assignable to type 'string'.",
    ]);
  });

  it("stay apart if a test of one source fails by several messages", () => {
    const log = "  ● a\n\n    Error: one\n\n  ● a\n\n    Error: two\n";
    expect(short({ log: `FAIL ./a.test.js\n${log}` }).map((line) => line.slice(0, 60))).toEqual([
      "high test jest a.test.js [a.test.js > a] Error: one $ npx --",
      "high test jest a.test.js [a.test.js > a] Error: two $ npx --",
    ]);
  });

  it("stay apart in two lines with the same words", () => {
    const log = "src/a.ts(1,1): error TS2322: No.\nsrc/a.ts(9,1): error TS2322: No.\nsrc/a.ts(9,1): error TS2322: No.\n";
    expect(parseFailedJob({ job: "types", log }).findings.map(({ line }) => line)).toEqual([1, 9]);
  });

  it("of several tools in one log are all told", () => {
    const log = ["tsc.txt", "eslint.txt", "vitest.txt", "pytest.txt", "go.txt", "cargo-build.txt"].map(fixture).join("\n");
    const tools = parseFailedJob({ job: "all", log: asGithubLog(log) }).findings.map(({ tool }) => tool);
    expect(new Set(tools)).toEqual(new Set(["tsc", "eslint", "vitest", "pytest", "go", "go test", "rustc"]));
    expect(tools).toHaveLength(4 + 5 + 3 + 5 + 5 + 2);
  });
});

describe("paths", () => {
  it("are relative to the roots, wherever the tool writes them", () => {
    const log = fixture("vitest.txt").replaceAll("/home/runner/work/app/app", "/checkouts/7");
    const { findings } = parseFailedJob({ job: "unit", log, roots: ["/checkouts/7"] });
    expect(findings[0]?.message).toBe("Error: Cannot find module './not-there.ts' imported from test/broken.test.ts");
    const lint = fixture("eslint.txt").replaceAll("/home/runner/work/app/app", "C:\\a\\app\\app");
    expect(parseFailedJob({ job: "lint", log: lint.replaceAll("/src/", "\\src\\") }).findings[0]?.file).toBe("src/bad.js");
  });
});

describe("every finding", () => {
  it("fits its schema, also with hostile names", () => {
    const bidi = "src/\u202egnp.ts(1,1): error TS2322: \u001b]0;title\u0007\u001b[2Jx\u200b";
    const all = [
      ...FIXTURES.flatMap((name) => findingsIn(name).findings),
      ...parseFailedJob({
        job: `\u001b[31m${"j".repeat(500)}`,
        log: `${bidi}\n${"x".repeat(5_000)}(1,1): error TS1111: ${"y".repeat(9_000)}`,
      }).findings,
    ];
    for (const finding of all) expect(() => Finding.parse(finding)).not.toThrow();
    const { file, message, job } = all.at(-1) ?? {};
    expect([file, message, job?.length]).toEqual(["src/gnp.ts", "TS2322: x", 120]);
  });
});
