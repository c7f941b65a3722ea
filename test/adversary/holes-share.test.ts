import { describe, expect, test } from "vitest";
import { isTriedWithout } from "./holes-share.ts";

const NAMES = Array.from({ length: 400 }, (_, i) => `defence ${i}`);

describe("the defences that are tried without what they stop", () => {
  test("are all of them, or none", () => {
    expect(NAMES.every((name) => isTriedWithout(name, {}))).toBe(true);
    expect(NAMES.some((name) => isTriedWithout(name, { LOOPDASH_TEST_HOLES: "none" }))).toBe(false);
  });

  test("are in one share each, and the shares are of about the same size", () => {
    const shares = ["1/4", "2/4", "3/4", "4/4"].map((share) =>
      NAMES.filter((name) => isTriedWithout(name, { LOOPDASH_TEST_HOLES: share })),
    );
    expect(shares.flat().toSorted()).toEqual(NAMES.toSorted());
    for (const share of shares) expect(share.length).toBeGreaterThan(60);
  });

  test.each(["5/4", "0/4", "all", ""])("are not chosen by %j", (share) => {
    expect(() => isTriedWithout("one", { LOOPDASH_TEST_HOLES: share })).toThrow("LOOPDASH_TEST_HOLES is");
  });
});
