import { randomWord, randomWords } from "../proof/twins/random-words.ts";
import type { Draw } from "./runner.ts";

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
  const word = randomWord(draw);
  let other = randomWord(draw);
  while (other === word) other = randomWord(draw);
  return { n, m: n + 1 + draw(40), word, other };
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
