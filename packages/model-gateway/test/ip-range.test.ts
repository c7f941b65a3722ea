import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { doOverlap, isInRange, readAddress, readRange } from "../src/ip-range.ts";

describe("an address", () => {
  const text = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc
      .array(fc.constantFrom("0", "1", "ffff", "a1", ":", "::", ".", "127.0.0.1", "256", "g", "%"), { maxLength: 12 })
      .map((p) => p.join("")),
  );
  it("is read where Node takes a text for one, and nowhere else", () => {
    fc.assert(
      fc.property(text, (each) => {
        const bits = readAddress(each)?.bits ?? 0;
        expect([each, bits]).toEqual([
          each,
          each.includes("%") ? 0 : ({ 4: 32, 6: 128, 0: 0 } as const)[isIP(each) as 0 | 4 | 6],
        ]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("lies in the same ranges as Node's own list says", () => {
    const pair = fc.oneof(
      fc.tuple(fc.ipV4(), fc.ipV4(), fc.nat({ max: 32 })),
      fc.tuple(fc.ipV6(), fc.ipV6(), fc.nat({ max: 128 })),
    );
    fc.assert(
      fc.property(pair, ([net, address, prefix]) => {
        const [base, at] = [readAddress(net), readAddress(address)];
        if (base === undefined || at === undefined) throw new Error(`${net} and ${address} are addresses`);
        const family = base.bits === 32 ? "ipv4" : "ipv6";
        const list = new BlockList();
        // Node takes no range of 0 bits.
        if (prefix === 0) return;
        list.addSubnet(net, prefix, family);
        expect(isInRange({ base, prefix }, at)).toBe(list.check(address, family));
      }),
    );
  });
});

describe("a range", () => {
  it.each(["10.0.0.0/8", "10.1.2.3", "10.1.2.3/32", "::/0", "fd00::/8", "fd12:3456::/32", "::1", "0.0.0.0/0"])("is %s", (text) =>
    expect(readRange(text)).toBeDefined(),
  );
  it.each(["10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/-1", "10.0.0/8", "fd00::1/8", "::/129", "x", ""])(
    "is not %j",
    (text) => expect(readRange(text)).toBeUndefined(),
  );

  it("overlaps another if one contains the other", () => {
    const [wide, narrow, other] = ["10.0.0.0/8", "10.9.0.0/16", "11.0.0.0/8"].flatMap((text) => readRange(text) ?? []);
    if (wide === undefined || narrow === undefined || other === undefined) throw new Error("they are ranges");
    expect([doOverlap(wide, narrow), doOverlap(narrow, wide), doOverlap(narrow, other)]).toEqual([true, true, false]);
  });
});
