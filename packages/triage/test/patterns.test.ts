import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { describe, expect, it, test } from "vitest";
import { INFRASTRUCTURE } from "../src/infrastructure.ts";
import { attacksOn, parseRegex, stepsOf } from "./regex-steps.ts";

const FOLDER = resolve(import.meta.dirname, "../src");

/** Every pattern of the triage: the literals of its sources, and those that it puts together. */
const PATTERNS: readonly RegExp[] = [
  ...globSync("**/*.ts", { cwd: FOLDER }).toSorted().flatMap(literals),
  ...INFRASTRUCTURE.map(({ pattern }) => pattern),
];

function literals(name: string): readonly RegExp[] {
  const found: RegExp[] = [];
  const { program } = parseSync(name, readFileSync(join(FOLDER, name), "utf8"));
  new Visitor({
    Literal(literal) {
      if ("regex" in literal) found.push(new RegExp(literal.regex.pattern, literal.regex.flags));
    },
  }).visit(program);
  return found;
}

/** The most steps of any attack of a length. */
function worst(pattern: RegExp, length: number): number {
  const node = parseRegex(pattern);
  const isAnchored = pattern.source.startsWith("^") || pattern.sticky;
  return attacksOn(node, length).reduce((most, text) => Math.max(most, stepsOf(node, text, isAnchored)), 0);
}

/** Characters of an attack, and the most steps for each: a pattern that is quadratic takes at least half that length for each. */
const LENGTH = 400;
const STEPS_A_CHARACTER = 100;

describe("no line costs a pattern more steps than a small number for each of its characters", () => {
  const unique = new Map(PATTERNS.map((pattern) => [String(pattern), pattern]));

  it("in any of many patterns", () => {
    expect(unique.size).toBeGreaterThan(80);
  });

  test.for([...unique])("%s", ([, pattern]) => {
    expect(worst(pattern, LENGTH) / LENGTH).toBeLessThan(STEPS_A_CHARACTER);
  });

  test.for([/a+b/, /^(\w+)*$/, /^\s*\d*\s*\d*\s*x/, /^.*a.*a.*b$/, /^(?:\S+ ?)+$/])("but would in %s", (pattern) => {
    expect(worst(pattern, LENGTH) / LENGTH).toBeGreaterThan(STEPS_A_CHARACTER);
  });
});
