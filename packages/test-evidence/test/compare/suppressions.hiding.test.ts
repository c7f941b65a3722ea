import { describe, expect, test } from "vitest";
import { suppressionsIn } from "../../src/compare/suppressions.ts";

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
    const said = "eslint-disable-next-line no-var";
    expect(texts(hunk("a.ts", [`/* ${said} */`], [`// ${said}`]))).toEqual([]);
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

  test("over code that the change does not show, nothing tells that it is the same", () => {
    const mark = "/* eslint-disable */";
    for (const under of [[], [""], ["// as ever"], ["", " * as ever"]]) {
      const [gone, come] = [hunk("a.ts", [], [mark, ...under]), hunk("b.ts", [mark, ...under])];
      expect(texts(gone, come), under.join()).toEqual([mark]);
      expect(texts(hunk("a.ts", [], [mark, ...under, "f();"]), hunk("b.ts", [mark, ...under, "g();"])), under.join()).toEqual([
        mark,
      ]);
      expect(texts(hunk("a.ts", [], [mark, ...under, "f();"]), hunk("b.ts", [mark, ...under, "f();"])), under.join()).toEqual([]);
    }
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

  test("is what stands outside of comments, whatever they say", () => {
    for (const added of ["60, // lines: 90", "60, /* lines: 90 */", "60, /* lines: 90", "60 <!-- lines: 90 -->"])
      expect(lowered([`lines: ${added}`], ["lines: 90"]), added).toEqual(["lines 90 → 60"]);
    expect(lowered(["\0/\0/\0 lines: 90"], ["lines: 90"])).toEqual(["lines 90 → nothing"]);
    expect(lowered(["lines: 9/**/0"], ["lines: 90"])).toEqual(["lines 90 → 9"]);
    expect(lowered([], ["lines:90;"])).toEqual(["lines 90 → nothing"]);
  });

  test("that is to be computed demands nothing", () => {
    for (const sum of ["90 - 90", "90 && 0", "90*0", "90 / 9"])
      expect(lowered([`lines: ${sum}`], ["lines: 90"]), sum).toEqual(["lines 90 → 0"]);
  });

  test("stands in a file of settings", () => {
    expect(lowered([], ["lines: 90"], "src/a.ts")).toEqual([]);
  });
});
