import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { invalid } from "../../../src/cli/lint/valid.ts";
import { measureText, overBudget } from "../../../src/domain/lint/budget.ts";
import { findingLine } from "../../../src/domain/lint/finding.ts";

const why = (text: string, format: "json" | "jsonc" | "yaml") => invalid(Buffer.from(text), format);

describe("a text is valid", () => {
  test("as JSON", () => {
    expect(why('\ufeff{"a": [1, null]}\n', "json")).toBeUndefined();
    expect(why('{\n  "a": 1\n  "b": 2\n}', "json")).toEqual({ line: 3, why: "comma expected" });
    expect(why('{"a": 1,}', "json")).toMatchObject({ line: 1 });
    expect(why('{"a": 1 /* x */}', "json")).toMatchObject({ line: 1 });
    expect(why("", "json")).toMatchObject({ line: 1, why: "value expected" });
    expect(why("{} {}", "json")).toMatchObject({ why: "end of file expected" });
    expect(why('{"a": "\\x"}', "json")).toMatchObject({ line: 1 });
  });

  test("as JSON with comments", () => {
    expect(why('// c\n{"a": [1,],}', "jsonc")).toBeUndefined();
    expect(why("// c\n{a: 1}", "jsonc")).toMatchObject({ line: 2 });
  });

  test("as YAML, of several documents, with tags that nobody knows", () => {
    expect(why("a: 1\n---\nb: !Ref c\n", "yaml")).toBeUndefined();
    expect(why("", "yaml")).toBeUndefined();
    expect(why("a: 1\nb: [1\nc: 2\n", "yaml")).toMatchObject({ line: expect.any(Number), why: expect.any(String) });
    expect(why("a: 1\na: 2\n", "yaml")).toMatchObject({ line: 2, why: expect.stringContaining("unique") });
  });

  test("not if it is no text, or nested without end", () => {
    expect(invalid(Buffer.from([0xff, 0xfe]), "json")).toEqual({ line: 1, why: "it is not UTF-8 text" });
    for (const format of ["json", "jsonc", "yaml"] as const)
      expect(why("[".repeat(200_000), format), format).toMatchObject({ line: expect.any(Number) });
  });

  test("or not, whatever its bytes are, and without a crash", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .string({ unit: fc.constantFrom(..."{}[]:,\"'\\-&*!|>#%@` \n\t0a\u0000é"), maxLength: 60 })
        .map((text) => new TextEncoder().encode(text)),
    );
    fc.assert(
      fc.property(bytes, fc.constantFrom("json" as const, "jsonc" as const, "yaml" as const), (some, format) => {
        const fault = invalid(Buffer.from(some), format);
        if (fault !== undefined) expect(fault.line).toBeGreaterThan(0);
        if (format === "json" && fault === undefined) JSON.parse(new TextDecoder().decode(some));
      }),
      { numRuns: 2_000 },
    );
  });
});

test("a budget counts lines and words, and estimates tokens", () => {
  expect(measureText("")).toEqual({ lines: 0, words: 0, tokens: 0 });
  const size = measureText("one two\nthree  four five\nsix seven eight nine ten\n");
  expect(size).toEqual({ lines: 3, words: 10, tokens: 13 });
  expect(overBudget(size, { lines: 3, words: 10, tokens: 13 })).toBe("");
  expect(overBudget(size, { lines: 2, tokens: 12 })).toBe("3 lines of 2, 13 tokens (an estimate: words × 1.3) of 12");
});

test("a finding is one plain line", () => {
  const line = findingLine({ path: "a\u001b[31m\nb", line: 7, severity: "warn", rule: "x", message: "it\nis", todo: "do" });
  expect(line).toBe("a b:7  warn  x  it is  (do)");
});
