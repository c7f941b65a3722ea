import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { attacksOn, parseRegex, stepsOf } from "../../packages/triage/test/regex-steps.ts";
import { checkRegexes, ROOTS } from "../../scripts/regexes/check.ts";
import { collectRegexes } from "../../scripts/regexes/collect.ts";
import { EXCEPTIONS } from "../../scripts/regexes/exceptions.ts";
import { ROOT, type ScratchTree, scratchTree } from "./scratch-tree.ts";

let tree: ScratchTree;
beforeEach(() => {
  tree = scratchTree([]);
});
afterEach(() => tree[Symbol.dispose]());

const FILE = "src/domain/planted.ts";
const problemsOf = (text: string, exceptions: Readonly<Record<string, string>> = {}): readonly string[] => {
  tree.plant({ [FILE]: text });
  return checkRegexes(tree.path, exceptions).problems;
};

describe("the check of regular expressions", () => {
  it("finds nothing in the program", () => expect(checkRegexes(ROOT).problems).toEqual([]));

  test.for([
    ["a heading with blanks around its name", String.raw`export const x = /^ {0,3}(#{1,6})\s*(.*?)\s*#*\s*$/;`, "polynomial"],
    ["nested repetition", String.raw`export const x = /^(\w+\s?)*$/;`, "exponential"],
    ["an end that is looked for from each place", 'export const x = (t: string) => t.replace(/\\/+$/, "");', "polynomial"],
    ["lines that begin with blanks", String.raw`export const x = /^\s*registry=/m;`, "polynomial"],
    ["a call with a text", 'export const x = new RegExp("a*a*b");', "polynomial"],
    ["a call without new", 'export const x = RegExp("a*a*b", "g");', "polynomial"],
    ["constants put together", 'const A = "a*";\nexport const x = new RegExp(A + A + "b");', "polynomial"],
    ["a constant below its use", "export const x = () => new RegExp(A + A);\nconst A = /a*/.source + 'b';", "polynomial"],
    ["a text of others", "export const x = (t: string) => new RegExp(t);", "cannot be checked"],
  ] as const)("refuses %s", ([, text, words]) => {
    const problems = problemsOf(text);
    expect(problems).toEqual([expect.stringContaining(words)]);
    expect(problems[0]).toContain(`${FILE}:`);
  });

  it("takes an exception for a file or a folder, and no needless one", () => {
    const slow = String.raw`export const x = /\s+$/;`;
    expect(problemsOf(slow, { [FILE]: "short lines" })).toEqual([]);
    expect(problemsOf(slow, { "src/domain/": "short lines" })).toEqual([]);
    expect(problemsOf(slow, { "src/domain/pla": "a part of a name" })).toHaveLength(2);
    expect(problemsOf("export const x = /a/;", { [FILE]: "short lines" })).toEqual([
      expect.stringContaining("needs no exception"),
    ]);
  });

  it("does not pass where it finds no regular expression", () =>
    expect(problemsOf("export const x = 1;")).toEqual([expect.stringContaining("no regular expression seen")]));
});

/**
 * The check knows attacks that repeat one character. These are made from each expression: its parts, and the beginnings of a match, again
 * and again. The steps are counted, so no clock decides.
 */
describe("the steps for a character do not grow with the text", () => {
  const LENGTHS = [120, 480] as const;
  const grows = (source: string, flags: string): boolean | undefined => {
    const node = understood(source, flags);
    if (node === undefined) return undefined;
    const isAnchored = (source.startsWith("^") && !flags.includes("m")) || flags.includes("y");
    const [few, many] = LENGTHS.map((length) =>
      attacksOn(node, length).reduce((most, text) => Math.max(most, stepsOf(node, text, isAnchored) / length), 0),
    ) as [number, number];
    // A bounded repetition may fill the short text only; a quadratic one has four times as many.
    return many > 12 && many > 2.5 * few;
  };

  it("in any of the program", () => {
    const isExcepted = (path: string) =>
      Object.keys(EXCEPTIONS).some((of) => path === of || (of.endsWith("/") && path.startsWith(of)));
    const found = collectRegexes(ROOT, ROOTS).filter(({ path }) => !isExcepted(path));
    const unique = new Map(found.map((regex) => [`/${regex.source}/${regex.flags}`, regex]));
    const results = [...unique].map(([text, { path, source = "", flags }]) => ({ text, path, grows: grows(source, flags) }));
    expect(results.filter(({ grows }) => grows === true).map(({ path, text }) => `${path} ${text}`)).toEqual([]);
    // Some have syntax that the counter does not know. Most must be counted.
    expect(results.filter(({ grows }) => grows !== undefined).length).toBeGreaterThan(1_000);
  });

  test.for([[/model.*(?:not found|missing)/], [/"scripts"\s*:\s*\{([^}]*)\}/], [/\/\*.*?\*\/x/]])(
    "but would in %s",
    ([pattern]) => expect(grows(pattern?.source ?? "", pattern?.flags ?? "")).toBe(true),
  );
});

function understood(source: string, flags: string): ReturnType<typeof parseRegex> | undefined {
  try {
    return parseRegex({ source, flags } as RegExp);
  } catch {
    return undefined;
  }
}
