import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { vecAt, vecFrom, vecItems, vecWith } from "../../../src/domain/values/vec.ts";

const [_T1, _T2, _T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];

describe("Vec", () => {
  test("is a list: every item, in order, at its index; a replaced one leaves the original alone", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), fc.nat(), (length, n) => {
        const items = Array.from({ length }, (_, i) => i);
        const vec = vecFrom(items);
        const index = n % length;
        const changed = vecWith(vec, index, -1);
        expect([...vecItems(vec)]).toEqual(items);
        expect([...vecItems(changed)]).toEqual(items.with(index, -1));
        expect([vecAt(vec, index), vecAt(changed, index)]).toEqual([index, -1]);
      }),
    );
  });

  test("shares all but one chunk, and guesses no index", () => {
    const vec = vecFrom(Array.from({ length: 300 }, (_, i) => i));
    const changed = vecWith(vec, 200, -1);
    expect(changed.map((chunk, i) => chunk === vec[i])).toEqual([true, false, true]);
    expect(vec.map((chunk) => chunk.length)).toEqual([128, 128, 44]);
    for (const index of [-1, 300, 383, 384]) {
      expect(() => vecAt(vec, index)).toThrow(RangeError);
      expect(() => vecAt(vec, index)).toThrow(`no item ${index}`);
    }
    expect(() => vecWith(vec, 384, 0)).toThrow(new RangeError("no item 384"));
    expect([...vecItems(vecFrom([]))]).toEqual([]);
    expect([vecFrom([]), vecFrom(Array.from({ length: 128 }, () => 0)).length]).toEqual([[], 1]);
  });
});
