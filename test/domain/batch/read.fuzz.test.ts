import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatProblems } from "../../../src/domain/batch/problem.ts";
import { readBatch } from "../../../src/domain/batch/read.ts";

const folder = "/work/batches";
const isPlain = (text: string) => text.isWellFormed() && !/[^\P{Cc}]/u.test(text);
const line = (maxLength: number) =>
  fc
    .string({ unit: "grapheme", minLength: 1, maxLength })
    .filter((text) => isPlain(text) && text.trim() !== "" && text.length <= maxLength);
const argv = fc.array(line(12), { minLength: 1, maxLength: 3 });
const named = (step: string) =>
  fc
    .uniqueArray(fc.stringMatching(/^[A-Za-z][\w .:-]{0,12}$/), { maxLength: 2 })
    .chain((names) => fc.tuple(...names.map((name) => argv.map((command) => ({ step, name, command })))));

const finish = fc
  .tuple(fc.boolean(), named("check"), named("verify"), fc.boolean())
  .map(([gates, checks, verifies, assert]) => [
    ...(gates ? [{ step: "gates" }] : []),
    ...checks,
    { step: "merge" },
    ...verifies,
    ...(assert ? [{ step: "assert" }] : []),
  ]);

const amounts = fc.record(
  { usdPerAttempt: fc.integer({ min: 5, max: 9 }), workers: fc.integer({ min: 1, max: 64 }) },
  { requiredKeys: [] },
);

/** Batches that can run: ids differ, dependencies point backwards, caps allow an attempt. */
const validBatch = fc
  .record(
    {
      name: fc.stringMatching(/^[A-Za-z][\w .:-]{0,20}$/),
      repos: fc.dictionary(
        fc.stringMatching(/^r[a-z0-9-]{0,8}$/),
        fc.record({ path: line(20).filter((path) => !path.startsWith("~")) }),
        { minKeys: 1, maxKeys: 3 },
      ),
      agent: fc.record(
        { kind: fc.constant("command"), command: argv, usdPerAttempt: fc.double({ min: 0, max: 5, noNaN: true }) },
        { requiredKeys: ["kind", "command"] },
      ),
      count: fc.integer({ min: 1, max: 12 }),
      seeds: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
      title: line(30),
      sandbox: fc.constantFrom("required", "auto", "off"),
      limits: amounts,
      finish,
      own: finish,
      protect: fc.array(fc.constantFrom("test/**", "*.md", "a/{b,c}", "[x]y"), { maxLength: 2 }),
    },
    { requiredKeys: ["name", "repos", "agent", "count", "seeds", "title"] },
  )
  .map(({ count, seeds, title, own, ...rest }) => {
    const repos = Object.keys(rest.repos);
    const tickets = Array.from({ length: count }, (_, i) => {
      const seed = seeds[i] ?? 0;
      const deps = Array.from({ length: i }, (__, j) => j)
        .filter((j) => (seed >> j) & 1)
        .map((j) => `T-${j}`);
      return {
        id: `T-${i}`,
        title,
        repo: repos[seed % repos.length],
        dependsOn: deps,
        ...(own && seed % 3 === 0 && { finish: own }),
      };
    });
    return { ...rest, tickets };
  });

/** Reads and says every problem; whatever the text, each has a place in it. */
function readSafely(text: string): boolean {
  const reading = readBatch(text, { folder });
  if (reading.ok) return true;
  expect(reading.problems.length).toBeGreaterThan(0);
  const lines = text.split(/\r\n|\n|\r/);
  for (const problem of reading.problems) {
    const { line: at = 0, column = 0 } = problem;
    expect(at).toBeGreaterThanOrEqual(1);
    expect(at).toBeLessThanOrEqual(lines.length);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(column).toBeLessThanOrEqual((lines[at - 1]?.length ?? 0) + 1);
    expect(problem.message).not.toBe("");
    expect(problem.message.replace(/"(?:[^"\\]|\\.)*"/g, "")).not.toMatch(
      /Invalid|expected (?:string|number|array|object)|received|undefined/,
    );
  }
  expect(formatProblems("batch.json", reading.problems)).not.toMatch(/[^\P{Cc}\n]/u);
  return false;
}

const junk = fc.oneof(fc.jsonValue(), fc.constantFrom(null, "", "T-0", -1, [], {}, "\u001b[31m", "constructor", "__proto__"));

/** One place of a value is replaced, taken out, renamed or added to. */
function mutate(value: unknown, choices: readonly number[], put: unknown): unknown {
  const [here = 0, ...next] = choices;
  if (typeof value !== "object" || value === null || next.length === 0 || here % 5 === 0) return put;
  if (Array.isArray(value)) {
    if (value.length === 0 || here % 7 === 0) return [...value, put];
    return value.map((item, i) => (i === here % value.length ? mutate(item, next, put) : item));
  }
  const entries = Object.entries(value);
  const at = here % Math.max(1, entries.length);
  if (here % 7 === 0) return Object.fromEntries(entries.filter((_, i) => i !== at));
  if (here % 11 === 0) return { ...value, [`${entries[at]?.[0] ?? ""}x`]: put };
  return Object.fromEntries(entries.map(([key, item], i) => [key, i === at ? mutate(item, next, put) : item]));
}

describe("readBatch on whatever comes", () => {
  it("takes every batch that can run", () => {
    fc.assert(
      fc.property(validBatch, (value) => {
        const reading = readBatch(JSON.stringify(value), { folder });
        expect(reading.ok ? "" : formatProblems("batch.json", reading.problems)).toBe("");
        expect(reading.ok && reading.batch.tickets.map((t) => t.finish.at(-1)?.step)).toEqual(value.tickets.map(() => "assert"));
      }),
      { numRuns: 300 },
    );
  });

  it("reads or refuses every changed batch, with places", () => {
    let refused = 0;
    fc.assert(
      fc.property(validBatch, fc.array(fc.nat(10_000), { minLength: 1, maxLength: 8 }), junk, (value, choices, put) => {
        if (!readSafely(JSON.stringify(mutate(value, choices, put), null, choices.length % 3))) refused++;
      }),
      { numRuns: 2_000 },
    );
    expect(refused).toBeGreaterThan(500);
  });

  it("reads or refuses every damaged text, with places", () => {
    fc.assert(
      fc.property(validBatch, fc.nat(), fc.nat(20), fc.string({ unit: "binary", maxLength: 4 }), (value, at, cut, put) => {
        const text = JSON.stringify(value, null, 1);
        const from = at % text.length;
        readSafely(text.slice(0, from) + put + text.slice(from + cut));
      }),
      { numRuns: 2_000 },
    );
  });

  it("refuses random text, with places", () => {
    const token = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      '"a"',
      "1",
      "-",
      "tru",
      "null",
      "//",
      "/*",
      "*/",
      "\n",
      "\r",
      "\\",
      "\ufeff",
      "\u0000",
      "'",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(token, { maxLength: 40 }).map((tokens) => tokens.join("")),
    );
    fc.assert(
      fc.property(text, (random) => {
        expect(readSafely(random)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(["[", "{", '{"a":', "[},", "[{,", "{]", "[}", '{"a":[}', '{"repos":{"a":', "[:{", "[1 {"])(
    "does not overflow on 200,000 times %j",
    (piece) => {
      expect(readSafely(piece.repeat(200_000))).toBe(false);
    },
  );
});
