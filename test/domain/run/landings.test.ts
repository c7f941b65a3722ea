import { describe, expect, test } from "vitest";
import { type Landings, upTo, withTrusted } from "../../../src/domain/run/landings.ts";

const ORIGIN = { first: "a", trusted: [] };

describe("what is trusted of a base", () => {
  test("moves the first commit along as long as nothing else lies before it", () => {
    expect(withTrusted(ORIGIN, { from: "a", to: "b" })).toEqual({ first: "b", trusted: [] });
  });

  test("is a span behind what is not, and grows with the next one", () => {
    const one = withTrusted(ORIGIN, { from: "b", to: "c" });
    expect(one).toEqual({ first: "a", trusted: [{ from: "b", to: "c" }] });
    expect(withTrusted(one, { from: "c", to: "d" })).toEqual({ first: "a", trusted: [{ from: "b", to: "d" }] });
    expect(withTrusted(one, { from: "d", to: "e" }).trusted).toEqual([
      { from: "b", to: "c" },
      { from: "d", to: "e" },
    ]);
  });

  test("is what lies between the last landing and a later base", () => {
    const landings: Landings = { ...ORIGIN, initial: "a", last: "b", commits: [] };
    expect(upTo(landings, "b")).toEqual(ORIGIN);
    expect(upTo(landings, "c")).toEqual({ first: "a", trusted: [{ from: "b", to: "c" }] });
  });
});
