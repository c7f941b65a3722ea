import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOutputLines, LINE_CUT_MARK, LINE_MAX_CHARS } from "../../../src/adapters/executor/lines.ts";
import { createTail, TAIL_BYTES } from "../../../src/adapters/executor/tail.ts";

function linesOf(chunks: readonly Uint8Array[]): string[] {
  const lines: string[] = [];
  const splitter = createOutputLines((line) => lines.push(line));
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

/** Cuts bytes at the given places. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i] ?? 0, end));
}

const text = fc
  .array(
    fc.oneof(fc.constantFrom("\n", "\r", "\r\n", "é", "𝒳", "\0"), fc.string({ unit: "binary" }), fc.constant("w".repeat(3_000))),
  )
  .map((parts) => parts.join(""));
const cuts = fc.array(fc.nat());

describe("the line splitter", () => {
  it("gives the same lines however the bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          text.map((t) => Buffer.from(t)),
          fc.uint8Array(),
        ),
        cuts,
        (bytes, at) => {
          expect(linesOf(pieces(bytes, at))).toEqual(linesOf([bytes]));
          expect(linesOf([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(linesOf([bytes]));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("gives every line whole, or cut at the bound", () => {
    const line = fc.string({ unit: "binary", maxLength: 5_000 }).filter((t) => !/[\r\n\ufeff]/.test(t) && t.isWellFormed());
    fc.assert(
      fc.property(fc.array(line), cuts, (lines, at) => {
        const got = linesOf(pieces(Buffer.from(lines.map((each) => `${each}\n`).join("")), at));
        expect(got).toHaveLength(lines.length);
        for (const [i, each] of lines.entries()) {
          if (each.length <= LINE_MAX_CHARS) expect(got[i]).toBe(each);
          else
            expect(got[i]?.endsWith(LINE_CUT_MARK) && each.startsWith(got[i]?.slice(0, -LINE_CUT_MARK.length) ?? "?")).toBe(true);
          expect(got[i]?.length).toBeLessThanOrEqual(LINE_MAX_CHARS);
          expect(got[i]?.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it.each([
    ["a\nb", ["a", "b"]],
    ["a\r\nb\r\n", ["a", "b"]],
    ["\n\na", ["", "", "a"]],
    ["\r10%\r20%\r\n", ["10%", "20%"]],
    ["", []],
    [`${"l".repeat(4_096)}\n`, ["l".repeat(4_096)]],
    [`${"l".repeat(4_097)}\nm`, [`${"l".repeat(4_096 - LINE_CUT_MARK.length)}${LINE_CUT_MARK}`, "m"]],
    [
      `${"l".repeat(4_095 - LINE_CUT_MARK.length)}𝒳${"l".repeat(9)}`,
      [`${"l".repeat(4_095 - LINE_CUT_MARK.length)}${LINE_CUT_MARK}`],
    ],
  ])("%j", (input, lines) => {
    expect(linesOf([Buffer.from(input)])).toEqual(lines);
  });

  it("joins CR and LF only where nothing came between", () => {
    const cut = (...chunks: string[]) => linesOf(chunks.map((chunk) => Buffer.from(chunk)));
    expect(cut("a\rb", "\nc")).toEqual(["a", "b", "c"]);
    expect(cut("a\r", "", "\nc")).toEqual(["a", "c"]);
    expect(cut("a\r", "\n\nc")).toEqual(["a", "", "c"]);
  });
});

describe("the tail", () => {
  it("is the end of what came, never longer than its bound", () => {
    const sizes = fc.array(fc.oneof(fc.nat(200), fc.nat(150_000)), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const tail = createTail();
        const whole: Buffer[] = [];
        lengths.forEach((length, i) => {
          const chunk = Buffer.alloc(length, String.fromCharCode(97 + i));
          whole.push(chunk);
          tail.push(chunk);
        });
        expect(tail.text() === Buffer.concat(whole).subarray(-TAIL_BYTES).toString()).toBe(true);
      }),
    );
  });

  it("does not begin in the middle of a character", () => {
    const tail = createTail();
    tail.push(Buffer.from(`€${"a".repeat(TAIL_BYTES - 1)}`));
    expect(tail.text()).toBe("a".repeat(TAIL_BYTES - 1));
  });
});
