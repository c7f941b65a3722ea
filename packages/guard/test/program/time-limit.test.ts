import { expect, it, test } from "vitest";
import { timeLimit } from "../../src/program/time-limit.ts";

/** A tenth of a second: more than the work below needs, and less than a hung one takes. */
const MS = 100;

test.for([
  ["an endless loop", () => endless()],
  ["a loop that catches whatever it can", () => caught(endless)],
  ["a regular expression", () => /^(a+)+$/.test(`${"a".repeat(60)}b`)],
  ["a replacement", () => "x".repeat(3_000_000).replace(/x*y/g, "")],
] as const)("ends %s", ([, work]) => expect(timeLimit(MS)(work)).toBeUndefined());

it("gives what work in time gives, and what it throws", () => {
  const limited = timeLimit(60_000);
  expect(limited(() => 7)).toBe(7);
  expect(() =>
    limited(() => {
      throw new RangeError("too much");
    }),
  ).toThrow(new RangeError("too much"));
});

it("is one limit for all that it is given", () => {
  const limited = timeLimit(MS);
  expect(limited(endless)).toBeUndefined();
  expect(limited(() => 7)).toBeUndefined();
});

function endless(): number {
  for (let n = 0; ; n++) if (n < 0) return n;
}

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return caught(work);
  }
}
