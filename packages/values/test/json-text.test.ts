import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJson } from "../src/json-text.ts";

/** Reads a text after another one that teaches JSON.parse a wrong name for its second member. */
function readAfter(lesson: string, text: string): unknown {
  JSON.parse(lesson);
  return readJson(text);
}

describe("JSON with names in escapes", () => {
  test.each([
    [
      '{"type":"x","\\\\u0":1}',
      '{"type":"url","\\u0075rl":"https://evil.example"}',
      { type: "url", url: "https://evil.example" },
    ],
    ['{"h":[],"\\\\":0}', '{"h":1,"\\"":2}', { h: 1, '"': 2 }],
    ['{"a":0,"\\\\\\"":null}', '{"a":0,"\\":":false}', { a: 0, '":': false }],
    ['{"p":0,"x\\\\n":1}', '{"p":0,"x\\nb" \n\t:[{"x\\nb":2}]}', { p: 0, "x\nb": [{ "x\nb": 2 }] }],
  ])("is read as it is written, whatever was read before: %s, then %s", (lesson, text, value) => {
    expect(readAfter(lesson, text)).toEqual(value);
  });

  test("of two members of one name the last counts, and __proto__ is one like any other", () => {
    const read = readJson('{"__proto__":{"a":1},"\\u005f_proto__":{"b":2},"c":[]}') as object;
    expect(Object.entries(read)).toEqual([
      ["__proto__", { b: 2 }],
      ["c", []],
    ]);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  test("that is nested deeper than can be read is refused, and so is what is not JSON", () => {
    const deep = (name: string): string => `{"${name}":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    expect(() => readJson(deep("\\u0061"))).toThrow(SyntaxError);
    expect(readJson(deep("a"))).toHaveProperty("a");
    for (const text of ["", '{"\\u0061":1', '{"\\u0061":1}/**/', '{"\\u0061":1,}', '{"\\u00zz":1}'])
      expect(() => readJson(text)).toThrow(SyntaxError);
  });
});

/** Characters that escapes are made of, and what has to be escaped. */
const bit = fc.constantFrom("\\", '"', ":", "u", "0", "n", "\n", "\t", "a", "", " ", "{", ",", "ä");
const key = fc.array(bit, { maxLength: 5 }).map((bits) => bits.join(""));
const { value } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    key,
    fc.constantFrom(0, -1.5e9, true, false, null),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.uniqueArray(fc.tuple(key, tie("value")), { maxLength: 4, selector: ([name]) => name }).map(Object.fromEntries),
}));

let objects = 0;

test("whatever is written in JSON is read as it was, also after what was made to mislead", () => {
  fc.assert(
    fc.property(key, value, fc.constantFrom(undefined, 1, "\t"), (name, inner, indent) => {
      objects += 1;
      // A first member that no other object has: what V8 learns of the second is of this pair alone.
      const first = `first-${objects}`;
      const misread = JSON.stringify(name).slice(1, 1 + name.length);
      const whole = Object.fromEntries([
        [first, 0],
        [name, inner],
      ]);
      expect(readAfter(JSON.stringify({ [first]: 0, [misread]: 0 }), JSON.stringify(whole, undefined, indent))).toEqual(whole);
    }),
    { numRuns: 3_000 },
  );
});
