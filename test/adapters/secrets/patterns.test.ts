import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Patterns } from "../../../src/adapters/secrets/patterns.ts";

/** Few letters, so that patterns overlap and begin within each other. */
const word = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(97, 98, 99, 10), { minLength, maxLength }).map((bytes) => Buffer.from(bytes));

describe("the search for many patterns", () => {
  it("finds what looking at every index finds, and where the end begins a pattern", () => {
    fc.assert(
      fc.property(fc.array(word(2, 9), { minLength: 1, maxLength: 5 }), word(0, 40), (all, text) => {
        const starts = Array.from({ length: text.length }, (_, from) => text.subarray(from));
        const expected = starts.flatMap((rest, from) => {
          const hits = all.filter((each) => rest.subarray(0, each.length).equals(each)).map(({ length }) => length);
          return hits.length === 0 ? [] : [{ from, to: from + Math.max(...hits) }];
        });
        const begins = starts.findIndex((rest) =>
          all.some((each) => each.length > rest.length && each.subarray(0, rest.length).equals(rest)),
        );
        const { found, beginning } = new Patterns(all.map((bytes, mark) => ({ bytes, mark }))).search(text);
        expect(found.map(({ from, to }) => ({ from, to }))).toEqual(expected);
        expect(beginning).toBe(begins === -1 ? text.length : begins);
      }),
      { numRuns: 2_000 },
    );
  });
});
