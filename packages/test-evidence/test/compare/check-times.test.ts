import { describe, expect, it } from "vitest";
import { timesParts } from "../../src/compare/check-times.ts";

const NONE = { ms: 0, times: 0, made: 0 };

describe("the parts of a check's duration", () => {
  it("tells planted tests, and why the checkouts were prepared so often", () => {
    const why = `"env/bin/pip install --index-url file:///srv/wheels${"/deep".repeat(40)} -e ." may read any file`;
    expect(timesParts({ baseMs: 0, proofMs: 41_200, preparing: { ms: 330_000, times: 6, made: 6, why } })).toEqual([
      "proof 41 s",
      'preparing 330 s, 6 times: "env/bin/pip install --index-url file:///srv/wheel … p/deep/deep/deep -e ." may read any file',
    ]);
  });

  it("says that preparations were copies, and leaves out parts below a second", () => {
    const times = { baseMs: 12_000, proofMs: 999, preparing: { ms: 3_000, times: 1, made: 0 } };
    expect(timesParts(times)).toEqual(["measuring the base 12 s", "preparing 3 s, 1 time from a kept preparation"]);
  });

  it("tells nothing if all parts together took less than ten seconds", () => {
    expect(timesParts({ baseMs: 4_000, proofMs: 5_999, preparing: NONE })).toEqual([]);
    expect(timesParts({ baseMs: 4_000, proofMs: 6_000, preparing: NONE })).toEqual(["measuring the base 4 s", "proof 6 s"]);
  });

  it("makes a reason safe for a terminal", () => {
    const preparing = { ms: 20_000, times: 1, made: 1, why: "\u001b[31mred\u001b[0m\nfile" };
    expect(timesParts({ baseMs: 0, proofMs: 0, preparing })).toEqual(["preparing 20 s, 1 time: red file"]);
  });
});
