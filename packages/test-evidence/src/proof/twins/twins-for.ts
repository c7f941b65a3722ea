import type { Draw, TestFile, Twin, TwinnedFile, TwinOptions } from "../twin.ts";
import { findGoTests, findRustTests } from "./braces.ts";
import type { TwinChange } from "./changes.ts";
import type { FindTests, FoundTest } from "./found-test.ts";
import { findJsTests } from "./js.ts";
import { findPythonTests } from "./python.ts";
import { pickOne, randomWords } from "./random-words.ts";

/** How the tests of each runner are found, by its name. */
const FINDERS: Readonly<Record<string, FindTests>> = {
  ...Object.fromEntries(
    ["node:test", "vitest", "jest", "mocha", "tape", "bun test"].map((runner) => [runner, findJsTests(runner)]),
  ),
  ...Object.fromEntries(["pytest", "unittest", "tox", "nox"].map((runner) => [runner, findPythonTests])),
  "go test": findGoTests,
  "cargo test": findRustTests,
};

/** Names of a file, at most: each is compared with all others. */
const MAX_NAMES = 4_000;

/** A file with twins of some of its passing tests; undefined if none can be made: the runner, the text or its assertions are unknown. */
export function twinsFor(runner: string, file: TestFile, options: TwinOptions): TwinnedFile | undefined {
  const found = Object.hasOwn(FINDERS, runner) ? FINDERS[runner]?.(file.text) : undefined;
  if (found === undefined || found.names.length > MAX_NAMES) return undefined;
  const isSingle = (name: string) => found.names.filter((other) => isIdSuffix(other, name)).length === 1;
  const isUsable = ({ name, changes }: FoundTest) => changes.length > 0 && options.isPassing(name) && isSingle(name);
  const tests = found.tests.filter(isUsable);
  const chosen = sampleTests(tests, options).toSorted((a, b) => b.from - a.from);
  const taken = [...found.names];
  const titles = found.names.map(asTitle);
  const twins: Twin[] = [];
  let text = file.text;
  for (const test of chosen) {
    const fresh = freshName(test, { text: file.text, taken, titles, draw: options.draw });
    if (fresh === undefined) continue;
    taken.push(fresh);
    const isPlain = options.isFirst === true && twins.length === 0;
    const { copies, twin } = twinned(file.text, { test, fresh, draw: options.draw, isPlain });
    text = text.slice(0, test.from) + copies + text.slice(test.to);
    twins.unshift(twin);
  }
  return twins.length === 0 ? undefined : { path: file.path, text, twins };
}

/** A name in words. The word that a runner knows tests by is no part of it. */
function asTitle(name: string): string {
  return name.replace(/([a-z])(?=[A-Z])/g, "$1 ").replace(/^test[ _]/i, "");
}

/** True if an id that ends with `whole` may be taken for one that ends with `name`. */
function isIdSuffix(whole: string, name: string): boolean {
  return whole.endsWith(name) && !/\w/.test(whole.charAt(whole.length - name.length - 1));
}

function sampleTests(tests: readonly FoundTest[], { draw, most }: TwinOptions): readonly FoundTest[] {
  const rest = [...tests];
  return Array.from({ length: Math.min(most, tests.length) }, () => rest.splice(draw(rest.length), 1)).flat();
}

/** Names that are tried, at most. */
const MAX_TRIES = 20;

function freshName(
  test: FoundTest,
  options: { readonly text: string; readonly taken: readonly string[]; readonly titles: readonly string[]; readonly draw: Draw },
): string | undefined {
  for (let i = 0; i < MAX_TRIES; i += 1) {
    const name = test.toName(randomWords(options.draw, options.titles));
    const isTaken = options.taken.some((other) => isIdSuffix(other, name) || isIdSuffix(name, other));
    if (!isTaken && !options.text.includes(name)) return name;
  }
  return undefined;
}

/** Both copies of a test, in a drawn order and with drawn names. */
function twinned(
  text: string,
  {
    test,
    fresh,
    draw,
    isPlain,
  }: { readonly test: FoundTest; readonly fresh: string; readonly draw: Draw; readonly isPlain: boolean },
): { readonly copies: string; readonly twin: Twin } {
  const [fails, passes] = draw(2) === 0 ? [fresh, test.name] : [test.name, fresh];
  const failing = editTest(text, test, [named(test, fails), edit(drawChange(test, draw, isPlain), draw)]);
  const passing = editTest(text, test, [named(test, passes)]);
  const copies = draw(2) === 0 ? [failing, passing] : [passing, failing];
  return { copies: copies.join(test.separator), twin: { fails, passes, original: test.name } };
}

/** Text that replaces other text. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const named = ({ label }: FoundTest, name: string): Edit => ({ ...label, text: name });
const edit = (change: TwinChange, draw: Draw): Edit => ({ from: change.from, to: change.to, text: change.text(draw) });

function editTest(text: string, { from, to }: FoundTest, edits: readonly Edit[]): string {
  let copy = text.slice(from, to);
  for (const each of edits.toSorted((a, b) => b.from - a.from))
    copy = copy.slice(0, each.from - from) + each.text + copy.slice(each.to - from);
  return copy;
}

/** One in so many twins has a change of another kind than the first that a test allows: a forger may disarm some assertions only. */
const RARE = 4;

/** Literals before other values of the same assertion, and these before other assertions. `isPlain`: never a rare kind. */
function drawChange({ changes }: FoundTest, draw: Draw, isPlain: boolean): TwinChange {
  const kinds = (["literal", "same", "other"] as const).map((kind) => changes.filter((change) => change.kind === kind));
  const available = kinds.filter((some) => some.length > 0);
  const some = (available.length > 1 && draw(RARE) === 0 && !isPlain ? available[1] : available[0]) ?? changes;
  const change = pickOne(draw, some) ?? some[0];
  if (change === undefined) throw new RangeError("a test without changes");
  return change;
}
