import type { Draw } from "./runner.ts";

const VERBS = words("keeps drops reads counts merges splits sorts finds skips rounds joins trims holds takes moves shows");
const KINDS = words("empty plain small large nested first last single double mixed quoted open closed early late short");
const THINGS = words("rows items names keys lists lines parts pages dates sums pairs words fields values totals entries");
const ENDS = words("again alone apart together once twice early late unchanged ordered reversed whole aside below above inside");

/** Numbers that a name may end with. */
const NUMBERS = 90_000;

/** Four words and a number: what a test may be called, and nobody can guess beforehand (32 bits). */
export function randomWords(draw: Draw): readonly string[] {
  const of = (list: readonly string[]): string => list[draw(list.length)] ?? "";
  return [of(VERBS), of(KINDS), of(THINGS), of(ENDS), String(10_000 + draw(NUMBERS))];
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

/** A path in the same folder, named in the way of this one: its suffix and whatever says that it holds tests stay. */
export function freshPath(path: string, draw: Draw): string {
  const cut = path.lastIndexOf("/") + 1;
  const base = path.slice(cut);
  const dot = base.indexOf(".", 1);
  const [stem, suffix] = dot === -1 ? [base, ""] : [base.slice(0, dot), base.slice(dot)];
  const prefix = /^(?:test|spec)s?[-_]/.exec(stem)?.[0] ?? "";
  const end = /[-_](?:test|spec)s?$/.exec(stem)?.[0] ?? "";
  const joiner = stem.includes("-") || !/[_]|\.(?:py|go|rs)$/.test(base) ? "-" : "_";
  const [, kind, thing, , number] = randomWords(draw);
  return `${path.slice(0, cut)}${prefix}${[kind, thing, number].join(joiner)}${end}${suffix}`;
}

function words(text: string): readonly string[] {
  return text.split(" ");
}
