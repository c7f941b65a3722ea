import { type Loaded, loadLine } from "./js-imports.ts";
import { randomValues } from "./names.ts";
import type { Draw } from "./runner.ts";

/** A failing statement and its passing counterpart. Written with double quotes and a semicolon. */
export interface Assertion {
  readonly fails: (draw: Draw) => string;
  readonly passes: (draw: Draw) => string;
  /** True if they wait for a promise. */
  readonly waits: boolean;
  /** The lines that a fresh file must load for it. */
  readonly loads: readonly string[];
}

/** Arguments that fail, and that pass. N and M are numbers, V and W words. */
type Arguments = readonly [fails: string, passes: string];

const EQUAL: Arguments = ["N, M", "N, N"];
const UNEQUAL: Arguments = ["N, N", "N, M"];
const ALIKE: Arguments = ["{ W: [N] }, { W: [M] }", "{ W: [N] }, { W: [N] }"];
const UNLIKE: Arguments = ["[N], [N]", "[N], [M]"];
const TRUTHY: Arguments = ["[N].includes(M)", "[N].includes(N)"];
const THROWS: Arguments = ["() => N", '() => {\n    throw new Error("W");\n  }'];

/** Methods of node:assert. */
const OF_ASSERT: Readonly<Record<string, Arguments>> = {
  equal: EQUAL,
  strictEqual: EQUAL,
  notEqual: UNEQUAL,
  notStrictEqual: UNEQUAL,
  deepEqual: ALIKE,
  deepStrictEqual: ALIKE,
  partialDeepStrictEqual: ALIKE,
  notDeepEqual: UNLIKE,
  notDeepStrictEqual: UNLIKE,
  ok: TRUTHY,
  match: ['"W", /V/', '"W", /W/'],
  doesNotMatch: ['"W", /W/', '"W", /V/'],
  throws: THROWS,
  doesNotThrow: [THROWS[1], THROWS[0]],
  rejects: [`async ${THROWS[0]}`, `async ${THROWS[1]}`],
  doesNotReject: [`async ${THROWS[1]}`, `async ${THROWS[0]}`],
};

/** Matchers of vitest's and jest's `expect`, with their arguments. */
const OF_EXPECT: Readonly<Record<string, readonly [fails: string, passes: string]>> = {
  toBe: ["(N).toBe(M)", "(N).toBe(N)"],
  toEqual: ["({ W: [N] }).toEqual({ W: [M] })", "({ W: [N] }).toEqual({ W: [N] })"],
  toStrictEqual: ["([N]).toStrictEqual([M])", "([N]).toStrictEqual([N])"],
  toMatchObject: ["({ W: N, V: M }).toMatchObject({ W: M })", "({ W: N, V: M }).toMatchObject({ W: N })"],
  toBeTruthy: ["([N].includes(M)).toBeTruthy()", "([N].includes(N)).toBeTruthy()"],
  toBeFalsy: ["([N].includes(N)).toBeFalsy()", "([N].includes(M)).toBeFalsy()"],
  toBeUndefined: ["([N][0]).toBeUndefined()", "([N][1]).toBeUndefined()"],
  toBeDefined: ["([N][1]).toBeDefined()", "([N][0]).toBeDefined()"],
  toBeNull: ["(N).toBeNull()", "(null).toBeNull()"],
  toContain: ['(["W"]).toContain("V")', '(["W", "V"]).toContain("V")'],
  toHaveLength: ["([N, N]).toHaveLength(M)", "([N, M]).toHaveLength(2)"],
  toMatch: ['("W").toMatch(/V/)', '("W").toMatch(/W/)'],
  toThrow: [`(${THROWS[0]}).toThrow()`, `(${THROWS[1]}).toThrow()`],
  toBeGreaterThan: ["(N).toBeGreaterThan(M)", "(M).toBeGreaterThan(N)"],
  toBeLessThan: ["(M).toBeLessThan(N)", "(N).toBeLessThan(M)"],
  toBeCloseTo: ["(N).toBeCloseTo(M)", "(N).toBeCloseTo(N)"],
};

const ASSERT_MODULES: ReadonlySet<string> = new Set(["assert", "assert/strict", "node:assert", "node:assert/strict"]);
const EXPECT_MODULES: ReadonlySet<string> = new Set(["vitest", "@jest/globals", "expect", "@vitest/expect"]);

/** Kinds of assertions that are planted in one file, at most. */
const MOST_KINDS = 4;

/**
 * Assertions in the file's own style, its most used ones first. A file without known assertions gets a thrown error. `hasExpect`:
 * the runner provides `expect` as a global.
 */
export function assertionsOf(text: string, loaded: readonly Loaded[], hasExpect: boolean): readonly Assertion[] {
  const found = [...ofAssert(text, loaded), ...ofExpect(text, loaded, hasExpect)];
  const used = found.filter(({ uses }) => uses > 0).toSorted((a, b) => b.uses - a.uses);
  const best = used.length > 0 ? used.slice(0, MOST_KINDS) : found.slice(0, 1);
  return best.length > 0 ? best.map(({ assertion }) => assertion) : [THROWN];
}

const THROWN: Assertion = {
  fails: (draw) => filled('throw new Error("W is N, and not M");', draw),
  passes: (draw) => filled('if ([N].includes(M)) throw new Error("W is N");', draw),
  waits: false,
  loads: [],
};

interface Found {
  readonly assertion: Assertion;
  readonly uses: number;
}

function ofAssert(text: string, loaded: readonly Loaded[]): readonly Found[] {
  return loaded
    .filter(({ module }) => ASSERT_MODULES.has(module))
    .flatMap((from) => [...from.names].flatMap(([exported, local]) => ofBinding(text, from, exported, local)));
}

/** The assertions that one local name of the module allows. */
function ofBinding(text: string, from: Loaded, exported: string, local: string): readonly Found[] {
  const loads = [loadLine(from, [exported, local])];
  const isWhole = ["default", "*", "strict", "assert"].includes(exported);
  if (!isWhole) return Object.hasOwn(OF_ASSERT, exported) ? [calling(local, exported, loads, uses(text, local, ""))] : [];
  const methods = Object.keys(OF_ASSERT).map((method) => calling(`${local}.${method}`, method, loads, uses(text, local, method)));
  const itself = uses(text, local, "");
  return itself > 0 && exported !== "*" ? [...methods, calling(local, "ok", loads, itself)] : methods;
}

function calling(callee: string, method: string, loads: readonly string[], count: number): Found {
  const [fails, passes] = OF_ASSERT[method] ?? EQUAL;
  const waits = method === "rejects" || method === "doesNotReject";
  const statement = (args: string) => (draw: Draw) => filled(`${waits ? "await " : ""}${callee}(${args});`, draw);
  return { assertion: { fails: statement(fails), passes: statement(passes), waits, loads }, uses: count };
}

function ofExpect(text: string, loaded: readonly Loaded[], hasExpect: boolean): readonly Found[] {
  const all = loaded.flatMap((from) => [...from.names].map(([exported, local]) => ({ from, exported, local })));
  const found = all.find(({ from, exported }) => exported === "expect" && EXPECT_MODULES.has(from.module));
  // An `expect` of another library has other matchers.
  const isForeign = found === undefined && all.some(({ local }) => local === "expect");
  if (isForeign || (found === undefined && !(hasExpect && text.includes("expect(")))) return [];
  const local = found?.local ?? "expect";
  const loads = found === undefined ? [] : [loadLine(found.from, ["expect", local])];
  return Object.entries(OF_EXPECT).map(([matcher, [fails, passes]]) => {
    const statement = (rest: string) => (draw: Draw) => filled(`${local}${rest};`, draw);
    const assertion = { fails: statement(fails), passes: statement(passes), waits: false, loads };
    return { assertion, uses: text.split(`).${matcher}(`).length - 1 };
  });
}

/** The number of calls of a name, or of a method of it. */
function uses(text: string, local: string, method: string): number {
  const call = method === "" ? `${local}(` : `${local}.${method}(`;
  let count = 0;
  for (let at = text.indexOf(call); at >= 0; at = text.indexOf(call, at + call.length))
    if (!/[\w$.]/.test(text.charAt(at - 1))) count += 1;
  return count;
}

function filled(text: string, draw: Draw): string {
  const { n, m, word, other } = randomValues(draw);
  const values: Readonly<Record<string, string | number>> = { N: n, M: m, W: word, V: other };
  return text.replace(/\b[NMWV]\b/g, (letter) => String(values[letter]));
}
