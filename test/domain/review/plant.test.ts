import { describe, expect, test } from "vitest";
import { type FilePatch, readPatch } from "../../../src/domain/review/diff.ts";
import { type Plant, plantDefect, sawPlant } from "../../../src/domain/review/plant.ts";

/** The patch of one file, with these lines in one hunk that begins at line 10 of the new file. */
function patchOf(path: string, ...lines: readonly string[]): readonly FilePatch[] {
  const head = [`diff --git a/${path} b/${path}`, "index 1..2 100644", `--- a/${path}\t`, `+++ b/${path}\t`, "@@ -1,9 +10,9 @@"];
  return readPatch([...head, ...lines, ""].join("\n"));
}
const plantIn = (path: string, ...lines: readonly string[]) => plantDefect(patchOf(path, ...lines))?.plant;

describe("a defect is planted", () => {
  test("never in the lines around a hunk, also where a file's name reads like code", () => {
    expect(plantIn("a - b.ts", "+const x = 1;")).toBeUndefined();
    expect(plantIn("a - b.ts", "+const x = 1;", "+return x - 1;")).toEqual({
      ...{ path: "a - b.ts", line: 11 },
      ...{ was: "return x - 1;", is: "return x + 1;" },
    });
  });

  test("at its line of the new file, whatever was taken out or has no line break at its end", () => {
    const lines = [" const s = 1;", "-old", "\\ No newline at end of file", "+const x = 1;", "+return x - 1;"];
    expect(plantIn("a.ts", ...lines)?.line).toBe(12);
  });

  test.for([
    ["if (ready) {", "if (!(ready)) {"],
    ["  if (list.at(i).open) {", "  if (!(list.at(i).open)) {"],
    ["  } else if (isFree(a)) go();", "  } else if (!(isFree(a))) go();"],
  ])("into the whole of a condition: %j", ([was, is]) => {
    expect(plantIn("a.ts", `+${was}`)?.is).toBe(is);
  });

  test.for([["  })"], ["foo)"], ["if (isFree("], ["const gift = (a);"]])(
    "into no line without a whole condition: %j",
    ([line]) => {
      expect(plantIn("a.ts", `+${line}`)).toBeUndefined();
    },
  );
});

describe("a planted defect was seen", () => {
  const saw = (path: string, file: string, over: { line?: number; fix?: string } = {}) => {
    const plant: Plant = { path, line: 40, was: "x", is: "  return a < b;" };
    const finding = { file, line: 40, severity: "low" as const, title: "t", scenario: "s", ...over };
    return sawPlant({ findings: [finding] }, plant);
  };

  test.for([
    ["src/a.ts", "src/a.ts"],
    ["src/a.ts", " ./src/a.ts\n"],
    ["src/a.ts", "b/src/a.ts"],
    ["src/a.ts", "a/src/a.ts"],
    // A folder that is named like the sides of a diff.
    ["a/x.ts", "a/x.ts"],
    ["a/x.ts", " a/x.ts "],
    ["a/x.ts", "b/a/x.ts"],
  ])("in %j where a finding names %j", ([path, file]) => {
    expect(saw(path ?? "", file ?? "")).toBe(true);
  });

  test.for([
    ["src/x.ts", "src/b/x.ts"],
    ["src/x.ts", "x.ts"],
    ["src/x.ts", ""],
  ])("not in %j where a finding names %j", ([path, file]) => {
    expect(saw(path ?? "", file ?? "")).toBe(false);
  });

  test("up to five lines from its place, or by its words in the fix", () => {
    expect([34, 35, 45, 46].map((line) => saw("a.ts", "a.ts", { line }))).toEqual([false, true, true, false]);
    expect(saw("a.ts", "a.ts", { line: 1, fix: "`return a < b;` is to be turned around" })).toBe(true);
  });
});
