import { describe, expect, test } from "vitest";
import { suppressionsIn } from "../../../src/domain/evidence/suppressions.ts";

const hunk = (path: string, added: readonly string[], removed: readonly string[] = []) => ({ path, line: 10, added, removed });
const texts = (...hunks: readonly ReturnType<typeof hunk>[]) => suppressionsIn(hunks).map(({ text }) => text);

describe("what a change hides", () => {
  test("is said with its place, its line on one line of plain blanks", () => {
    expect(suppressionsIn([hunk("a.ts", ["x", "\0 \t  f(); \t // eslint-disable-line\0"])])).toEqual([
      { path: "a.ts", line: 11, what: expect.any(String) as string, text: "f(); // eslint-disable-line" },
    ]);
    expect(suppressionsIn([hunk("a.txt", ["// eslint-disable-line"])])).toEqual([]);
    expect(suppressionsIn([hunk("a.ts", [])])).toEqual([]);
  });

  test("what only tests mean by it counts in tests only", () => {
    const line = "it('x', { skip: true }, () => {});";
    expect(texts(hunk("a.test.ts", [line]))).toEqual([line]);
    expect(texts(hunk("a.ts", [line]))).toEqual([]);
  });

  test("the rules that it names make it another one, what follows its comment does not", () => {
    const one = "/* eslint-disable no-var */ var a;";
    expect(texts(hunk("a.ts", [`${one} // more`], [one]))).toEqual([]);
    expect(texts(hunk("a.ts", ["/* eslint-disable */ var a;"], [one]))).toEqual(["/* eslint-disable */ var a;"]);
  });

  test("moved along with the code under it, it was there; over other code, it was not", () => {
    const mark = "// @ts-expect-error later";
    const gone = hunk("a.ts", [], [mark, "  f(1);"]);
    expect(texts(gone, hunk("b.ts", [mark, "f(1);"]))).toEqual([]);
    expect(texts(gone, hunk("b.ts", [mark, "g(1);"]))).toEqual([mark]);
    expect(texts(gone, hunk("b.ts", [mark]))).toEqual([mark]);
    const beside = "f(1); // eslint-disable-line";
    expect(texts(hunk("a.ts", [], [beside, "x"]), hunk("b.ts", [beside, "y"]))).toEqual([]);
  });

  test("one that went excuses one that came, not two", () => {
    const line = "f(1); // eslint-disable-line";
    expect(texts(hunk("a.ts", [line, line], [line]))).toEqual([line]);
    expect(texts(hunk("a.ts", [], [line]), hunk("b.ts", [line, line]))).toEqual([line]);
  });
});

describe("a demand on coverage", () => {
  const lowered = (added: readonly string[], removed: readonly string[], path = "jest.config.js") =>
    texts(hunk(path, added, removed));

  test("is held against the highest that is gone, one by one", () => {
    expect(lowered(["lines: 80", "lines: 90"], ["lines: 90", "lines: 80"])).toEqual([]);
    expect(lowered(["lines: 70", "lines: 90"], ["lines: 80", "lines: 90"])).toEqual(["lines 80 → 70"]);
    expect(lowered(["lines: 90"], ["lines: 80", "lines: 90"])).toEqual(["lines 80 → nothing"]);
    expect(lowered(["  lines :  \t80"], ["l\0ines: 90"])).toEqual(["lines 90 → 80"]);
  });

  test("in a comment demands nothing", () => {
    for (const comment of ["// lines: 90", "  # lines: 90", "* lines: 90", "<!-- lines: 90", "; lines: 90"])
      expect(lowered([], [comment]), comment).toEqual([]);
  });

  test("stands in a file of settings", () => {
    expect(lowered([], ["lines: 90"], "src/a.ts")).toEqual([]);
  });
});
