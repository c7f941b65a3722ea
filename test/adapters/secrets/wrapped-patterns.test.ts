import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WrappedPatterns } from "../../../src/adapters/secrets/wrapped-patterns.ts";

/** Few letters, so that patterns overlap; `n` also stands behind backslashes. */
const word = fc.array(fc.constantFrom(..."abn"), { minLength: 2, maxLength: 9 }).map((chars) => chars.join(""));
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("", "a", "b", "n") },
  fc.constantFrom("-", " ", "\n", "\r\n\t", "\\n", "\\\\r\\\\n"),
  fc.integer({ min: 79, max: 82 }).map((size) => " ".repeat(size)),
);

/** The index behind the word at `from`, if it is there; or whether the text ends within it. */
function wordAt(text: string, word: string, from: number): { readonly to?: number; readonly cutAfter?: number } {
  let at = from;
  for (const [i, char] of [...word].entries()) {
    const skipped = i === 0 ? "" : (/^(?:[ \t\r\n]|\\+[nrt]?)*/.exec(text.slice(at))?.[0] ?? "");
    if (skipped.length > 80) return {};
    at += skipped.length;
    if (at >= text.length) return { cutAfter: i };
    if (text[at] !== char) return {};
    at += 1;
  }
  return { to: at };
}

describe("the search for patterns with white space in them", () => {
  it("finds what looking at every index finds, and where the end begins a pattern", () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), fc.array(piece, { maxLength: 30 }), (words, pieces) => {
        const text = pieces.join("");
        const starts = [...text].flatMap((_, at) => (/(?:[ \t\r\n\\]|\\[nrt])$/.test(text.slice(0, at + 1)) ? [] : [at]));
        const expected = starts.flatMap((from) => {
          const ends = words.flatMap((each) => wordAt(text, each, from).to ?? []);
          return ends.length === 0 ? [] : [{ from, to: Math.max(...ends) }];
        });
        const begins = starts.find((from) =>
          words.some((each) => {
            return wordAt(text, each, from).cutAfter !== undefined;
          }),
        );
        const patterns = words.map((each, mark) => ({ bytes: Buffer.from(each), mark }));
        const { found, beginning } = new WrappedPatterns(patterns).search(Buffer.from(text));
        expect(found.map(({ from, to }) => ({ from, to }))).toEqual(expected);
        expect(beginning).toBe(begins ?? text.length);
      }),
      { numRuns: 1_000 },
    );
  });

  it("finds nothing without patterns", () => {
    expect(new WrappedPatterns([]).search(Buffer.from("text"))).toEqual({ found: [], beginning: 4 });
  });
});
