import { hintFor, listed, nearest } from "@loopdash/values";
import { describe, expect, it } from "vitest";
import { findCycles } from "../../../src/domain/batch/check.ts";

describe("findCycles", () => {
  it.each<[string, number[][], number[][]]>([
    ["none in a chain that is listed backwards", [[1], [2], [3], []], []],
    ["none where two ways lead to one", [[1, 2], [3], [3], []], []],
    ["a cycle past what is only waited for", [[], [2, 3], [0], [1]], [[1, 3]]],
    ["a cycle behind a dead end of two", [[1], [], [3, 4], [0], [2]], [[2, 4]]],
    ["one that is met in its middle, from its smallest", [[3], [2], [3], [1]], [[1, 2, 3]]],
    ["one from its smallest, which is last", [[2], [0], [1]], [[0, 2, 1]]],
    ["each once, from whichever side it is met", [[2], [2], [3], [2], [3]], [[2, 3]]],
    ["one of two that share a member", [[1, 2], [0], [0]], [[0, 1]]],
    ["a node that waits twice for one that is free", [[1, 1], []], []],
    ["nothing in nothing", [], []],
  ])("finds %s", (_, edges, cycles) => {
    expect(findCycles(edges)).toEqual(cycles);
  });
});

describe("nearest", () => {
  it.each([
    ["x".repeat(64), ["x".repeat(63)], "x".repeat(63)],
    ["x".repeat(65), ["x".repeat(64)], undefined],
    ["x".repeat(64), ["x".repeat(65)], undefined],
    ["abc", ["abd", "abe"], "abd"],
    ["abcdef", ["abcdxy", "abcdex"], "abcdex"],
    ["abcdef", ["abcdex", "abcdxy"], "abcdex"],
    ["abcdef", ["abcdxyz"], undefined],
    ["abcdef", ["abcxyz"], undefined],
    ["abcdef", ["abcd", "abcdefgh"], "abcd"],
    ["T-19", ["T-39", "T-18", "T-20"], "T-18"],
    ["T-19", ["T-18", "T-39"], "T-18"],
    ["T-12x", ["T-52x", "T-13x"], "T-13x"],
    ["T-120-5", ["T-120-9", "T-920-5"], "T-920-5"],
    ["ab", ["cb"], "cb"],
    ["a", ["", "b"], undefined],
  ])("of %j among %j", (name, candidates, expected) => {
    expect(nearest(name, candidates)).toBe(expected);
  });

  it("says what there is where nothing is near, and nothing where there is nothing", () => {
    expect(hintFor("repoz", ["repos"], "known here")).toBe('did you mean "repos"?');
    expect(hintFor("zzz", ["repos", "tickets"], "known here")).toBe("known here: repos, tickets");
    expect(hintFor("zzz", [], "known here")).toBeUndefined();
  });

  it("lists ten names in full, of more the first eight", () => {
    const names = Array.from({ length: 11 }, (_, i) => `n${i}`);
    expect(listed(names.slice(0, 10))).toBe("n0, n1, n2, n3, n4, n5, n6, n7, n8, n9");
    expect(listed(names)).toBe("n0, n1, n2, n3, n4, n5, n6, n7 and 3 more");
    expect(listed(["a"])).toBe("a");
  });
});
