import type { OutcomeCounts } from "./results.ts";
import { total } from "./results.ts";

/** Counts that a condition may name. `tests_total` is the sum of the others. */
export const COUNTS = ["tests_total", "tests_passed", "tests_failed", "tests_skipped", "tests_todo"] as const;
type CountName = (typeof COUNTS)[number];

const OPERATORS = ["==", "!=", "<=", ">=", "<", ">"] as const;
type Operator = (typeof OPERATORS)[number];

/** One comparison: a count of the candidate with a number, or with the same count of the base plus an offset. */
interface CountComparison {
  readonly count: CountName;
  readonly operator: Operator;
  readonly base: boolean;
  readonly number: number;
}

/** A condition over counted test results: all of its comparisons must hold. */
type Condition = readonly CountComparison[];

/** The longest condition. Characters. */
export const CONDITION_CHARS = 300;

const COMPARISON = /^(\w+)\s*(==|!=|<=|>=|<|>)\s*(?:(\d{1,9})|(base)(?:\s*([+-])\s*(\d{1,9}))?)$/;

const FORM = 'write it as "tests_total >= base" or "tests_failed == 0", several with "and" between them';

/**
 * Parses a condition such as `tests_total >= base + 1 and tests_failed == 0`. The grammar is `comparison ("and" comparison)*`, where
 * a comparison is a count, an operator, and a whole number or `base` with an offset. Nothing is evaluated as code.
 */
export function parseCondition(
  text: string,
):
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly message: string; readonly name?: string; readonly hint?: string } {
  if (text.length > CONDITION_CHARS) return { ok: false, message: `is longer than ${CONDITION_CHARS} characters` };
  const condition: CountComparison[] = [];
  for (const part of text.trim().split(/(?<!\s)\s+and\s+/)) {
    const [, name = "", operator, number, base, sign, offset = "0"] = COMPARISON.exec(part) ?? [];
    if (operator === undefined) return { ok: false, message: "is no condition", hint: FORM };
    const count = COUNTS.find((known) => known === name);
    if (count === undefined) return { ok: false, message: "names no count of tests", name };
    const shift = sign === "-" ? -Number(offset) : Number(offset);
    condition.push({
      count,
      operator: operator as Operator,
      base: base !== undefined,
      number: base === undefined ? Number(number) : shift,
    });
  }
  return { ok: true, condition };
}

/**
 * The comparisons that do not hold, in words; empty if the condition holds. `base` has no tests if none were found there. A text
 * that is no condition never holds.
 */
export function unmetComparisons(
  text: string,
  { candidate, base }: { readonly candidate: Readonly<OutcomeCounts>; readonly base: Readonly<OutcomeCounts> },
): readonly string[] {
  const parsed = parseCondition(text);
  if (!parsed.ok) return [`the condition ${JSON.stringify(text)} ${parsed.message}`];
  return parsed.condition.flatMap((comparison) => {
    const found = outcomeCount(candidate, comparison.count);
    const before = outcomeCount(base, comparison.count);
    const wanted = (comparison.base ? before : 0) + comparison.number;
    if (holds(found, comparison.operator, wanted)) return [];
    const on = comparison.base ? ` (${before} on the base)` : "";
    return [`${comparison.count} is ${found}, and must be ${comparison.operator} ${wanted}${on}`];
  });
}

function outcomeCount(counts: Readonly<OutcomeCounts>, name: CountName): number {
  switch (name) {
    case "tests_total":
      return total(counts);
    case "tests_passed":
      return counts.passed;
    case "tests_failed":
      return counts.failed;
    case "tests_skipped":
      return counts.skipped;
    case "tests_todo":
      return counts.todo;
  }
}

function holds(found: number, operator: Operator, wanted: number): boolean {
  switch (operator) {
    case "==":
      return found === wanted;
    case "!=":
      return found !== wanted;
    case "<=":
      return found <= wanted;
    case ">=":
      return found >= wanted;
    case "<":
      return found < wanted;
    case ">":
      return found > wanted;
  }
}
