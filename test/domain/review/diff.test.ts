import { describe, expect, test } from "vitest";
import { readPatch, showDiff } from "../../../src/domain/review/diff.ts";
import { canaryDue, plantDefect, sawPlant, withPlant } from "../../../src/domain/review/plant.ts";

/** The patch of a file that is new, with these lines. */
const added = (path: string, ...lines: readonly string[]) =>
  [
    ...[`diff --git a/${path} b/${path}`, "new file mode 100644", "index 0000000..1111111", "--- /dev/null", `+++ b/${path}`],
    ...[`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)],
  ].join("\n");
const patch = (...files: readonly string[]) => readPatch(`${files.join("\n")}\n`);

describe("a patch", () => {
  test("is taken apart by file, and no content passes for the start of one", () => {
    const files = patch(added("a.ts", "diff --git a/x b/x", "+++ b/evil.ts"), added("b c.ts", "x"));
    expect(files.map(({ path }) => path)).toEqual(["a.ts", "b c.ts"]);
    expect(files[0]?.lines.at(-1)).toBe("++++ b/evil.ts");
  });

  test("shows no bytes, and no path of what is gone or written with escapes", () => {
    const binary = "diff --git a/i.png b/i.png\nindex 1..2 100644\nGIT binary patch\nliteral 4\nLcmZ\n\nliteral 0\n";
    const gone = "diff --git a/g.ts b/g.ts\ndeleted file mode 100644\n--- a/g.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x";
    const odd = 'diff --git "a/\\303.ts" "b/\\303.ts"\n--- /dev/null\n+++ "b/\\303.ts"\n@@ -0,0 +1 @@\n+x';
    const files = patch(binary, gone, odd);
    expect(files.map(({ path }) => path)).toEqual([undefined, undefined, undefined]);
    expect(showDiff(files, 10_000).text).toContain("(binary file)");
    expect(showDiff(files, 10_000).text).not.toContain("literal");
  });

  test("that is long is cut file by file: none pushes another out of sight", () => {
    const files = patch(added("a.lock", ...Array.from({ length: 5_000 }, (_, i) => `line ${i}`)), added("evil.ts", "steal()"));
    const { text, whole } = showDiff(files, 2_000);
    expect(whole).toBe(false);
    expect(text.length).toBeLessThan(2_200);
    expect(text).toContain("+steal()");
    expect(text).toMatch(/\[… \d+ characters of this file's diff are cut here …\]\ndiff --git a\/evil/);
    expect(showDiff(files, 1_000_000).whole).toBe(true);
  });

  test("of very many files says how many are left out", () => {
    const files = patch(...Array.from({ length: 100 }, (_, i) => added(`${i}.ts`, "x".repeat(500))));
    const { text, whole } = showDiff(files, 3_000);
    expect(whole).toBe(false);
    expect(text).toContain("[… the diffs of 90 more files are cut here …]");
    expect(text.length).toBeLessThan(4_000);
  });

  test("that is empty is shown as that", () => {
    expect(showDiff(readPatch(""), 100)).toEqual({ text: "", whole: true });
  });
});

describe("a planted defect", () => {
  const planted = (path: string, ...lines: readonly string[]) => {
    const files = patch(added(path, ...lines));
    const found = plantDefect(files);
    return found === undefined ? undefined : [found.plant.line, found.plant.is];
  };

  test.for([
    ["  if (a === b) return 1;", "  if (a !== b) return 1;"],
    ["  if (a <= b) return 1;", "  if (a > b) return 1;"],
    ["  if (ok(a) && b) {", "  if (ok(a) || b) {"],
    ["  if (isFree(a)) {", "  if (!(isFree(a))) {"],
    ["  return true;", "  return false;"],
    ["  return a + b;", "  return a - b;"],
  ])("turns %j into %j", ([was, is]) => {
    expect(planted("a.ts", "// a === b", was ?? "")).toEqual([2, is]);
  });

  test("finds none in what is no code, in comments, in conditions that go on, and in words", () => {
    expect(planted("a.md", "return a + b")).toBeUndefined();
    expect(planted("a.ts", "// if (a === b)", "if (f(a,", "export const A = 'x';")).toBeUndefined();
    expect(planted("a.py", "  if not ready:")).toEqual([1, "  if ready:"]);
  });

  test("takes added lines only, at their place in the new file, and code before tests", () => {
    const changed = [
      ...["diff --git a/b.ts b/b.ts", "index 1..2 100644", "--- a/b.ts", "+++ b/b.ts", "@@ -10,3 +20,4 @@ f() {"],
      ...[" if (x === y) {", "-  return a === b;", "+  return 1;", "+  return a >= b;", " }", "\\ No newline at end of file"],
    ].join("\n");
    const files = patch(added("a.test.ts", "return a === b;"), changed);
    const found = plantDefect(files);
    expect(found?.plant).toEqual({ path: "b.ts", line: 22, was: "  return a >= b;", is: "  return a < b;" });
    expect(found?.files[1]?.lines).toContain("+  return a < b;");
    expect(found?.files[0]).toBe(files[0]);
    expect(plantDefect(files)).toEqual(found);
  });

  test("goes into the file at its line, and nowhere where that is another", () => {
    const plant = { path: "a.ts", line: 2, was: "b", is: "c" };
    expect(withPlant("a\nb\n", plant)).toBe("a\nc\n");
    expect(withPlant("a\nx\n", plant)).toBeUndefined();
  });

  test("was seen where a finding points at it or quotes it, in its file", () => {
    const plant = { path: "src/a.ts", line: 40, was: "x", is: "  return a < b;" };
    const at = (over: object) => ({
      findings: [{ file: "src/a.ts", line: 1, severity: "low" as const, title: "t", scenario: "s", ...over }],
    });
    expect(sawPlant(at({ line: 44 }), plant)).toBe(true);
    expect(sawPlant(at({ line: 44, file: "./src/a.ts" }), plant)).toBe(true);
    expect(sawPlant(at({ scenario: "`return a < b;` is inverted" }), plant)).toBe(true);
    expect(sawPlant(at({ line: 46 }), plant)).toBe(false);
    expect(sawPlant(at({ line: 40, file: "src/b.ts" }), plant)).toBe(false);
    expect(sawPlant({ findings: [] }, plant)).toBe(false);
  });

  test("is due once for every so many questions without one", () => {
    const run = (every: number, questions: number) => {
      let asked = 0;
      const canaries = { seen: 0, missed: 0 };
      return Array.from({ length: questions }, () => {
        const due = canaryDue({ asked, canaries }, every);
        if (due) canaries.missed += 1;
        asked += due ? 2 : 1;
        return due ? "x" : ".";
      }).join("");
    };
    expect(run(0, 6)).toBe("......");
    expect(run(1, 4)).toBe("xxxx");
    expect(run(3, 9)).toBe("..x..x..x");
  });
});
