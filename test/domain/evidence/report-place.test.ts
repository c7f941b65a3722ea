import { describe, expect, test } from "vitest";
import { readBatch } from "../../../src/domain/batch/read.ts";
import { reportLocation } from "../../../src/domain/batch/report-location.ts";

function read(report: unknown, ticket: Record<string, unknown> = {}) {
  const finish = [{ step: "check", name: "tests", command: ["npm", "test"], report }, { step: "merge" }];
  const text = JSON.stringify({
    name: "b",
    repos: { app: { path: "app" } },
    agent: { kind: "command", command: ["true"] },
    tickets: [{ id: "T-1", title: "one", ...ticket }],
    finish,
  });
  return readBatch(text, { folder: "/" });
}

function problems(...options: Parameters<typeof read>): string[] {
  const reading = read(...options);
  return reading.ok ? [] : reading.problems.map(({ path, message }) => `${path}: ${message}`);
}

test.for([
  [
    { format: "junit", path: "{artifacts}/out/./junit.xml" },
    { in: "artifacts", path: "out/junit.xml" },
  ],
  [
    { format: "vitest", path: "reports/v.json" },
    { in: "checkout", path: "reports/v.json" },
  ],
  [
    { format: "tap", path: "out./a.git/x.tap" },
    { in: "checkout", path: "out./a.git/x.tap" },
  ],
  [{ format: "tap", path: "-" }, { in: "output" }],
] as const)("%j is expected at %j", ([report, place]) => {
  expect(problems(report)).toEqual([]);
  expect(reportLocation(report)).toEqual(place);
});

describe("a place that cannot be is refused", () => {
  test.for([
    [{ format: "junit", path: "-" }, "only TAP"],
    [{ format: "junit", path: "/tmp/x.xml" }, "below its folder"],
    [{ format: "junit", path: "../x.xml" }, "below its folder"],
    [{ format: "junit", path: "a/../../x.xml" }, "below its folder"],
    [{ format: "junit", path: "{artifacts}/../x.xml" }, "below its folder"],
    [{ format: "junit", path: "{artifacts}/" }, "below its folder"],
    [{ format: "junit", path: "." }, "below its folder"],
    [{ format: "junit", path: "a/{artifacts}/x" }, "at its beginning"],
    [{ format: "junit", path: ".git/x.xml" }, "git's own folder"],
    [{ format: "junit", path: ".git" }, "git's own folder"],
    [{ format: "junit", path: "a\nb" }, "control characters"],
    [{ format: "junit", path: "" }, ""],
    [{ format: "html", path: "x" }, ""],
    [{ format: "junit", path: "x", nonce: 1 }, "unknown key"],
  ] as const)("%j", ([report, why]) => {
    expect(problems(report)).toEqual([expect.stringContaining(why)]);
  });
});

test("a ticket's allowance reaches the frozen batch, and only in known words", () => {
  const reading = read({ format: "tap", path: "-" }, { allow: { testsRemoved: ["old *"] } });
  expect(reading.ok && reading.batch.tickets[0]?.allow).toEqual({
    testsRemoved: ["old *"],
    testsSkipped: [],
    suppressions: false,
    scripts: false,
  });
  expect(problems({ format: "tap", path: "-" }, { allow: { everything: true } })).toEqual([
    expect.stringContaining("unknown key"),
  ]);
});
