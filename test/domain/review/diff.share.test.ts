import { describe, expect, test } from "vitest";
import { type FilePatch, readPatch, showDiff } from "../../../src/domain/review/diff.ts";

/** The part of a patch that is about one file, with so many characters, in lines of ten (the last may be longer). */
function sized(chars: number, sign = "x"): FilePatch {
  const lines = Array.from({ length: Math.floor(chars / 10) }, () => sign.repeat(9));
  const rest = chars - (lines.length * 10 - 1);
  return { path: "a.ts", lines: [...lines.slice(0, -1), `${lines.at(-1) ?? ""}${sign.repeat(rest)}`] };
}
const textOf = ({ lines }: FilePatch) => lines.join("\n");
const cutOf = (text: string) => Number(/\[… (\d+) characters of this file's diff are cut here …\]/.exec(text)?.[1] ?? 0);

describe("a patch", () => {
  test("ends with its last line, and a name in a file's content is not the file's", () => {
    const one = "diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n+x\n";
    expect(readPatch(one)).toEqual([{ path: "a.ts", lines: one.trimEnd().split("\n") }]);
    expect(readPatch(one + one).map(({ lines }) => lines.length)).toEqual([5, 5]);
    const gone = "diff --git a/g.ts b/g.ts\n--- a/g.ts\n+++ /dev/null\n@@ -1 +1 @@\n+++ b/evil.ts\n";
    expect(readPatch(gone)[0]?.path).toBeUndefined();
  });
});

describe("a diff that is shown", () => {
  test("is whole as long as it fills its room to the last character", () => {
    const [one, other] = [sized(700), sized(300, "y")];
    expect(showDiff([one, other], 1_000)).toEqual({ text: `${textOf(one)}\n${textOf(other)}`, whole: true });
    expect(showDiff([one, other], 999).whole).toBe(false);
  });

  test("gives a long file all that the short ones leave, in whatever order they come", () => {
    const [long, short] = [sized(9_000), sized(310, "y")];
    for (const files of [
      [long, short],
      [short, long],
    ]) {
      const { text } = showDiff(files, 2_000);
      expect(text).toContain(textOf(short));
      expect(text.length).toBeGreaterThan(1_800);
      expect(text.length).toBeLessThanOrEqual(2_000);
    }
  });

  test("shows a file whole that takes its share and no more", () => {
    // Of 600 characters 80 are kept for each mark: 220 are each one's share.
    const [fits, long] = [sized(220, "y"), sized(1_000)];
    const { text, whole } = showDiff([fits, long], 600);
    expect(text.startsWith(`${textOf(fits)}\nx`)).toBe(true);
    expect(cutOf(text)).toBe(1_000 - 219);
    expect(whole).toBe(false);
  });

  test("is cut between lines, says how much is gone, and stays within its room, marks and all", () => {
    const { text } = showDiff([sized(9_000), sized(9_000, "y")], 1_005);
    const [, second = ""] = text.split("are cut here …]\n");
    expect(
      second
        .split("\n")
        .slice(0, -1)
        .every((line) => line === "y".repeat(9)),
    ).toBe(true);
    expect(second.split("\n").at(-1)).toMatch(/^\[… \d+ characters of this file's diff are cut here …\]$/);
    expect(cutOf(second)).toBe(9_000 - second.lastIndexOf("\n"));
    const many = showDiff(
      Array.from({ length: 10 }, () => sized(500)),
      3_000,
    ).text;
    expect(many.length).toBeLessThanOrEqual(3_000);
    expect(many.split("x".repeat(9))).toHaveLength(1 + 10 * 22);
  });

  test("of one long line keeps the line's beginning", () => {
    expect(showDiff([{ path: "a.ts", lines: ["z".repeat(1_000)] }], 380).text).toBe(
      `${"z".repeat(300)}\n[… 700 characters of this file's diff are cut here …]`,
    );
  });

  test("is not whole where files are left out, though all that are shown are", () => {
    const { text, whole } = showDiff(
      Array.from({ length: 20 }, () => sized(100)),
      3_000,
    );
    expect(cutOf(text)).toBe(0);
    expect(text).toMatch(/\n\[… the diffs of 10 more files are cut here …\]$/);
    expect(whole).toBe(false);
  });
});
