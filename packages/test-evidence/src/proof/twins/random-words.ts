import type { Draw } from "../twin.ts";

const VERBS = words("keeps drops reads counts merges splits sorts finds skips rounds joins trims holds takes moves shows");
const KINDS = words("empty plain small large nested first last single double mixed quoted open closed early late short");
const THINGS = words("rows items names keys lists lines parts pages dates sums pairs words fields values totals entries");
const ENDS = words("again alone apart together once twice early late unchanged ordered reversed whole aside below above inside");

const ALL = [...VERBS, ...KINDS, ...THINGS, ...ENDS];

/** Least number of words in a name. Two of them are drawn here, so that no other test has that name. */
const LEAST = 3;

/**
 * A possible name of a test, in words that its neighbours use too: code under test must not recognise fresh names by their
 * shape. `titles` are the names of its neighbours.
 */
export function randomWords(draw: Draw, titles: readonly string[] = []): readonly string[] {
  const titleWords = (title: string): readonly string[] => title.toLowerCase().match(/[a-z]{2,}/g) ?? [];
  const pool = [...new Set(titles.flatMap(titleWords))];
  const length = Math.max(
    LEAST,
    titles.length === 0 ? LEAST + draw(3) : titleWords(pickOne(draw, titles) ?? "").length + draw(2),
  );
  const first = draw(length);
  const own = [first, (first + 1 + draw(length - 1)) % length];
  return Array.from({ length }, (_, i) => pickOne(draw, own.includes(i) || pool.length === 0 ? ALL : pool) ?? "");
}

/** A word such as a test's data may have. */
export function randomWord(draw: Draw): string {
  return pickOne(draw, THINGS) ?? "";
}

/** One of a list, drawn; undefined if it is empty. */
export function pickOne<T>(draw: Draw, list: readonly T[]): T | undefined {
  return list[draw(Math.max(1, list.length))];
}

function words(text: string): readonly string[] {
  return text.split(" ");
}
