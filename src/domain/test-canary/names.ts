import type { Draw } from "./runner.ts";

const VERBS = words("keeps drops reads counts merges splits sorts finds skips rounds joins trims holds takes moves shows");
const KINDS = words("empty plain small large nested first last single double mixed quoted open closed early late short");
const THINGS = words("rows items names keys lists lines parts pages dates sums pairs words fields values totals entries");
const ENDS = words("again alone apart together once twice early late unchanged ordered reversed whole aside below above inside");

const ALL = [...VERBS, ...KINDS, ...THINGS, ...ENDS];

/** Least number of words in a name. Two of them are drawn here, so that no other test has that name. */
const LEAST = 3;

/**
 * A possible name of a test, in words that its neighbours use too: code under test must not recognise planted names by their
 * shape. `titles` are the names of its neighbours.
 */
export function randomWords(draw: Draw, titles: readonly string[] = []): readonly string[] {
  const wordsOf = (title: string): readonly string[] => title.toLowerCase().match(/[a-z]{2,}/g) ?? [];
  const pool = [...new Set(titles.flatMap(wordsOf))];
  const length = Math.max(LEAST, titles.length === 0 ? LEAST + draw(3) : wordsOf(oneOf(draw, titles)).length + draw(2));
  const first = draw(length);
  const own = [first, (first + 1 + draw(length - 1)) % length];
  return Array.from({ length }, (_, i) => oneOf(draw, own.includes(i) || pool.length === 0 ? ALL : pool));
}

function oneOf(draw: Draw, list: readonly string[]): string {
  return list[draw(list.length)] ?? "";
}

/** Empty lines for the top of a file: code under test must not recognise a call by its line number. */
export function shifted(text: string, draw: Draw): string {
  // A first line that defines how the file is read must stay the first.
  return /^(?:#!|\ufeff|.*coding[:=])/.test(text) ? text : `${"\n".repeat(1 + draw(9))}${text}`;
}

/** Two different numbers with two different words, for an assertion. */
export function randomValues(draw: Draw): {
  readonly n: number;
  readonly m: number;
  readonly word: string;
  readonly other: string;
} {
  const n = 2 + draw(500);
  const at = draw(THINGS.length);
  const other = (at + 1 + draw(THINGS.length - 1)) % THINGS.length;
  return { n, m: n + 1 + draw(40), word: THINGS[at] ?? "", other: THINGS[other] ?? "" };
}

/** A path in the same folder, in the naming style of this one: its suffix and its mark of a test file stay. */
export function freshPath(path: string, draw: Draw): string {
  const cut = path.lastIndexOf("/") + 1;
  const base = path.slice(cut);
  const dot = base.indexOf(".", 1);
  const [stem, suffix] = dot === -1 ? [base, ""] : [base.slice(0, dot), base.slice(dot)];
  const prefix = /^(?:test|spec)s?[-_]/.exec(stem)?.[0] ?? "";
  const end = /[-_](?:test|spec)s?$/.exec(stem)?.[0] ?? "";
  const joiner = stem.includes("-") || !/[_]|\.(?:py|go|rs)$/.test(base) ? "-" : "_";
  return `${path.slice(0, cut)}${prefix}${randomWords(draw).join(joiner)}${end}${suffix}`;
}

function words(text: string): readonly string[] {
  return text.split(" ");
}
