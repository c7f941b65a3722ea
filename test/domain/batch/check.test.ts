import { nearest } from "@loopdash/values";
import { describe, expect, it } from "vitest";
import { checkBatch, findCycles } from "../../../src/domain/batch/check.ts";
import { unfitForBase, unfitForGlob, unfitForLine } from "../../../src/domain/batch/plain-words.ts";
import { BatchFile } from "../../../src/domain/batch/schema.ts";
import { batchValue } from "./sample.ts";

const here = () => ({ line: 1, column: 1 });

function batchOf(edges: readonly (readonly number[])[]): BatchFile {
  const tickets = edges.map((to, i) => ({ id: `T-${i}`, title: "x", dependsOn: to.map((j) => `T-${j}`) }));
  return BatchFile.parse(batchValue({ tickets }));
}

describe("checkBatch on 10,000 tickets", () => {
  it("shows a long cycle in short", () => {
    const chain = Array.from({ length: 10_000 }, (_, i) => [i === 0 ? 9_999 : i - 1]);
    const [problem] = checkBatch(batchOf(chain), here);
    expect(problem?.message).toBe(
      "these tickets wait for each other: T-0 → T-9999 → T-9998 → T-9997 → T-9996 → T-9995 → T-9994 → (9993 more) → T-0",
    );
  });
});

describe("checkBatch on a branch whose checks decide", () => {
  const problemsOf = (part: Readonly<Record<string, unknown>>) =>
    checkBatch(BatchFile.parse(batchValue(part)), here).map(({ path, message }) => `${path}: ${message}`);
  const repo = { path: "../app", forge: { kind: "github-branch" } };
  const tickets = [
    { id: "T-1", title: "x" },
    { id: "T-2", title: "x" },
    { id: "T-3", title: "x" },
  ];

  it("takes one ticket of each such repository", () => {
    expect(problemsOf({ repos: { app: repo }, tickets })).toEqual([
      expect.stringMatching(/^tickets\[1\]: .*which takes one ticket$/),
      expect.stringMatching(/^tickets\[2\]: .*which takes one ticket$/),
    ]);
    const repos = { app: repo, lib: repo, other: { path: "../other" } };
    const of = ["app", "lib", "other", "other"].map((each, i) => ({ id: `T-${i}`, title: "x", repo: each }));
    expect(problemsOf({ repos, tickets: of })).toEqual([]);
  });
});

describe("findCycles", () => {
  it.each<[string, number[][], number[][]]>([
    ["none", [[], [0], [0, 1]], []],
    [
      "two apart",
      [[1], [0], [3], [2]],
      [
        [0, 1],
        [2, 3],
      ],
    ],
    ["one with a tail before and behind", [[1], [2], [3], [1, 4], []], [[1, 2, 3]]],
    ["a node that waits for itself", [[0]], [[0]]],
    ["a node behind a cycle", [[1], [0], [0]], [[0, 1]]],
  ])("finds %s", (_, edges, cycles) => {
    expect(findCycles(edges)).toEqual(cycles);
  });
});

describe("nearest", () => {
  it.each([
    ["ticket", ["tickets", "tracker"], "tickets"],
    ["TICKETS", ["tickets"], "tickets"],
    ["T-9", ["T-1", "T-12", "T-8"], "T-8"],
    ["ticket9", ["ticket5", "tikcte9"], "ticket5"],
    ["tikcet9", ["ticket5", "ticket9"], "ticket9"],
    ["agnet", ["name", "agent"], "agent"],
    ["x".repeat(64), [`${"x".repeat(63)}y`], `${"x".repeat(63)}y`],
    ["zzz", ["tickets"], undefined],
    ["a", ["b"], undefined],
    ["x".repeat(1_000), ["x".repeat(999)], undefined],
  ])("of %j among %j", (name, candidates, expected) => {
    expect(nearest(name, candidates)).toBe(expected);
  });
});

describe("names of other programs", () => {
  it("says why a text cannot stand in a line", () => {
    expect(unfitForLine("a\ttab")).toMatch(/^must hold no control characters/);
    expect(unfitForLine("half \ud800")).toMatch(/^must be whole Unicode/);
  });

  it("takes the branches that git takes", () => {
    for (const base of ["main", "release/1.2", "feature/ümlaut", "a-b_c", "a@", "@a"])
      expect(unfitForBase(base), base).toBeUndefined();
    for (const base of [
      "-x",
      "a..b",
      "a b",
      "a~1",
      "a^",
      "a:b",
      "a?",
      "a*",
      "a[",
      "a\\b",
      "/a",
      "a/",
      "a//b",
      "a.lock",
      "a.lock/b",
      ".a",
      "a/.b",
      "a.",
      "@",
      "a@{1}",
    ])
      expect(unfitForBase(base), base).toBeDefined();
  });

  it("takes patterns that can match a path of a repository", () => {
    for (const glob of ["test/**", "*.{js,ts}", "a{1..3}.ts", "!(a|b)/x", "[ab].md", "..x", "a/b..c", "a!b"])
      expect(unfitForGlob(glob), glob).toBeUndefined();
    for (const glob of ["..", "a/{b,..}/c", "/a", "C:\\a", "C:/a", "\\a", "!a", "{a", "(a", "x\u0007", "x\ud800"])
      expect(unfitForGlob(glob), glob).toBeDefined();
  });
});
