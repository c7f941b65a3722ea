import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_EXPECTED_OUTPUT, unmet } from "../../../src/domain/batch/expect.ts";
import type { Expectation } from "../../../src/domain/batch/step-spec.ts";
import { isExactly } from "../../../src/domain/values/exact-number.ts";
import { told, words } from "./sample.ts";

const json = (value: unknown): Expectation => ({ json: value as Expectation["json"] });

describe("a text", () => {
  test("stands anywhere in what was printed", () => {
    expect(unmet({ text: "ready" }, "it is\nready now\n")).toBeUndefined();
    expect(unmet({ text: "ready" }, "it is\nred\n")).toBe('stdout does not hold "ready"');
    expect(unmet({ text: "is\nready" }, "it is\nready now\n")).toBeUndefined();
  });

  test("and a JSON value are both wanted, where both are named", () => {
    const both: Expectation = { text: "up", json: { a: 1 } };
    expect(unmet(both, '{"a": 1, "b": "up"}')).toBeUndefined();
    expect(unmet(both, '{"a": 1}')).toBe('stdout does not hold "up"');
    expect(unmet(both, '{"b": "up"}')).toBe("a is missing");
  });
});

describe("a JSON value", () => {
  test.for([
    [{ a: 1 }, '{"a": 1, "b": 2}'],
    [{ a: { b: [] } }, '{"a": {"b": [], "c": 0}}'],
    [[{ a: 1 }, 2], '[{"a": 1, "b": 2}, 2]'],
    ["up", ' "up"\n'],
    [null, "null"],
    [0.1, "0.10"],
    [100, "1e2"],
    [0, "-0.0e5"],
    [{}, '{"a": 1}'],
    [{ "": false }, '{"": false}'],
  ] as const)("%j is met by %s", ([expected, printed]) => {
    expect(unmet(json(expected), printed)).toBeUndefined();
  });

  test.for([
    [{ a: 1 }, '{"a": 2}', "a is 2, not 1"],
    [{ a: 1 }, '{"a": "1"}', 'a is "1", not 1'],
    [{ a: 1 }, '{"b": 1}', "a is missing"],
    [{ a: { b: 1 } }, '{"a": [1]}', "a is a list of 1, not an object"],
    [{ a: { b: 1 } }, '{"a": null}', "a is null, not an object"],
    [{ a: { b: 1 } }, '{"a": "b"}', 'a is "b", not an object'],
    [{ a: 1, b: 2 }, '{"a": 1, "b": 3}', "b is 3, not 2"],
    [[1, 2, 3], "[1, 2, 4]", "[2] is 4, not 3"],
    [[{ a: { b: 1 } }], '[{"a": {"b": 2}}]', "[0].a.b is 2, not 1"],
    [{ a: { b: { c: true } } }, '{"a": {"b": {"c": false}}}', "a.b.c is false, not true"],
    [{ a: [] }, '{"a": ["x"]}', "a has 1 entry, not 0"],
    [[1, 2], "[2, 1]", "[0] is 2, not 1"],
    [[1, 2], "[1, 2, 3]", "the JSON on stdout has 3 entries, not 2"],
    [[1], '{"0": 1, "length": 1}', "the JSON on stdout is an object, not a list"],
    [null, "0", "the JSON on stdout is 0, not null"],
    [{ toString: {} }, "{}", "toString is missing"],
    [9007199254740991, "9007199254740991.5", "the JSON on stdout is 9007199254740991.5, not 9007199254740991"],
    [0.1, "0.1000000000000000055511151231257827", "the JSON on stdout is 0.1000000000000000055511151231257827, not 0.1"],
  ] as const)("%j is not met by %s", ([expected, printed, why]) => {
    expect(unmet(json(expected), printed)).toBe(why);
  });

  test.for([
    ["", "it is empty"],
    [" \n", "it is empty"],
    ["NaN", '"NaN" is not valid JSON'],
    ["[Infinity]", "Unexpected token"],
    ['{"a": 1} {"a": 1}', "after JSON"],
    ["// yes\n{}", "Unexpected token"],
    ['{"a": 1,}', "Expected double-quoted property name"],
    ['{"a": 1', "Expected ',' or '}'"],
    ['{"a": 2, "b": {}, "a": 1}', 'the key "a" is given twice'],
    ['{"\\u0061": 2, "a": 1}', 'the key "a" is given twice'],
    ['{"x": [{"y": 1, "y": 1}], "a": 1}', 'the key "y" is given twice'],
    [`${"[".repeat(65)}${"]".repeat(65)}`, "it nests deeper than 64"],
    ["[".repeat(500_000), "it nests deeper than 64"],
  ] as const)("is not what breaks the rules of JSON (%#)", ([printed, why]) => {
    expect(unmet(json({ a: 1 }), printed)).toContain(`stdout is not one JSON value: `);
    expect(unmet(json({ a: 1 }), printed)).toContain(why);
  });

  test("the same key may stand in two objects, and what is named __proto__ is a key like any other", () => {
    expect(unmet(json([{ a: 1 }, { a: 1 }]), '[{"a": 1}, {"a": 1}]')).toBeUndefined();
    expect(unmet(json({ a: 1 }), '{"__proto__": {"a": 1}}')).toBe("a is missing");
  });

  test("that holds itself is always met, by however many keys more", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.dictionary(fc.string(), fc.jsonValue()), (value, more) => {
        const text = JSON.stringify(value);
        const read = JSON.parse(text);
        expect(unmet(json(read), text)).toBeUndefined();
        expect(unmet(json({ here: read }), JSON.stringify({ ...more, here: value }))).toBeUndefined();
      }),
    );
  });

  test("of one number is met by that number alone", () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (a, b) => {
          expect(isExactly(String(a), a)).toBe(true);
          expect(isExactly(String(b), a)).toBe(a === b);
        },
      ),
    );
  });
});

test("more than may be is met by nothing", () => {
  expect(unmet({ text: "x" }, undefined)).toBe(`it printed more than ${MAX_EXPECTED_OUTPUT} characters on stdout`);
});

test("what was printed is shown cut, and without what a terminal would obey", () => {
  const why = unmet(json({ a: 1 }), JSON.stringify({ a: `\u001b[31m${"x".repeat(500)}` }));
  expect(why).toMatch(/^a is "\\u001b\[31mx{40,}…, not 1$/);
  expect(unmet(json({ a: "\u009b" }), '{"a": "\u009b2J"}')).not.toMatch(/\u009b/);
});

describe("in a batch file", () => {
  const verify = (part: object) => ({ finish: [{ step: "merge" }, { step: "verify", command: ["./look"], ...part }] });

  test("an expectation of nothing, a number that would be rounded and tries without a time are refused", () => {
    expect(words(verify({ expect: {} }))).toEqual(["finish[1].expect: name a text or a json"]);
    expect(words(verify({ expect: { json: { a: [2 ** 53] } } }))).toEqual([
      "finish[1].expect.json must hold no whole number beyond 2^53: it would not be compared exactly",
    ]);
    expect(words(verify({ expect: { text: "up" } }))).toEqual([""]);
    expect(words(verify({ expect: { json: [] } }))).toEqual([""]);
    expect(words(verify({ every: 2 }))).toEqual(["finish[1].every: means nothing without within: there is one probe"]);
    expect(words(verify({ within: 0.01 }))).toEqual(["finish[1].within must be a number from 0.1 to 86400, not 0.01"]);
    expect(words(verify({ within: 60, every: 2, expect: { text: "up", json: [1] } }))).toEqual([""]);
  });

  test("one name may be verified in two environments, but not twice in one", () => {
    const look = (environment?: string) => ({ step: "verify", name: "live", command: ["./look"], environment });
    const merge = { step: "merge" };
    expect(words({ finish: [merge, look("dev"), look("prod"), look()] })).toEqual([""]);
    expect(words({ finish: [merge, look("dev"), look("dev")] })).toEqual([
      'finish[2].name: finish[1] is a verify named "live (dev)" as well; give each a name of its own',
    ]);
  });

  test("the place of what is wrong is told", () => {
    const text = `{"name": "x", "repos": {"app": {"path": "a"}}, "agent": {"kind": "command", "command": ["a"]},
      "transients": [{"name": "odd", "pattern": "(broken", "steps": ["check"]}],
      "tickets": [{"id": "T-1", "title": "one"}]}`;
    expect(told(text)).toMatch(/^batch\.json:2:49 {2}transients\[0\]\.pattern must be a regular expression of RE2/);
  });
});
