import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { Adjudication, likeness, ruleOnBlocker } from "../../../src/domain/outbox/ruling.ts";

type Tests = Adjudication["tests"];
const yes = { holds: true, reason: "seen" };
const ALL: Tests = { external: yes, notFixableByRetry: yes, evidenced: yes, noOtherPath: yes };
const rule = (tests: Partial<Tests> = {}, verdict: Adjudication["verdict"] = "upheld") =>
  ruleOnBlocker({ tests: { ...ALL, ...tests }, reason: "the quota is the cloud team's", verdict });

describe("a ruling", () => {
  it("upholds only where all four tests hold and the verdict says so", () => {
    const bits = fc.record({
      external: fc.boolean(),
      notFixableByRetry: fc.boolean(),
      evidenced: fc.boolean(),
      noOtherPath: fc.boolean(),
    });
    fc.assert(
      fc.property(bits, fc.constantFrom("upheld", "rejected"), (holds, verdict) => {
        const tests = Object.fromEntries(
          Object.entries(holds).map(([name, each]) => [name, { holds: each, reason: "r" }]),
        ) as Tests;
        expect(rule(tests, verdict).upheld).toBe(Object.values(holds).every(Boolean) && verdict === "upheld");
      }),
    );
  });

  it("says why, and each test that does not hold", () => {
    expect(rule()).toEqual({ upheld: true, reason: "the quota is the cloud team's", failing: [] });
    const retry = { holds: false, reason: "it was a lock\u001b[31m for a minute" };
    const why = "no retry gets past it: no. it was a lock for a minute";
    expect(rule({ notFixableByRetry: retry }, "rejected")).toEqual({ upheld: false, reason: why, failing: [why] });
    expect(rule({ notFixableByRetry: retry }).reason).toBe(`its verdict is upheld, but not all of its tests hold: ${why}`);
  });
});

test("an answer without one of the tests, or with a test of its own, is none", () => {
  const answer = { nonce: "n", tree: "t", tests: ALL, reason: "r", verdict: "upheld" };
  expect(Adjudication.safeParse(answer).success).toBe(true);
  const { noOtherPath: _, ...three } = ALL;
  for (const tests of [three, { ...ALL, urgent: yes }, { ...ALL, external: { holds: "yes", reason: "r" } }])
    expect(Adjudication.safeParse({ ...answer, tests }).success).toBe(false);
});

test("likeness counts lines that came again, numbers and spacing aside", () => {
  expect(likeness("at 12:01 quota 8 of 8\n\nfailed", "failed\nat 13:59  quota 9 of 8\nmore")).toBe("2 of 2 lines");
  expect(likeness("a\nb", "b\nc")).toBe("1 of 2 lines");
  expect(likeness("  9 of 10\n", "10 of 9 ")).toBe("1 of 1 lines");
  expect(likeness("code 7\nno where", "code\nnowhere")).toBe("0 of 2 lines");
  expect(likeness("", "x")).toBe("0 of 0 lines");
});
