/** Worth of a word that a text begins with, that a word of it begins with, that stands in it, and whose letters do in order. */
const BEGINS = 100;
const WORD = 60;
const WITHIN = 30;
const SCATTERED = 10;

/**
 * How well each of the written words fits: first what something is called, then what is said of it. Zero where one does not. A word
 * whose letters only stand in order, others between them, counts in the name alone.
 */
export function scoreOf(words: readonly string[], options: { readonly name: string; readonly text: string }): number {
  const [name, text] = [options.name.toLowerCase(), options.text.toLowerCase()];
  let sum = 1;
  for (const word of words) {
    const score = Math.max(placeOf(word, name), placeOf(word, text) / 4, inOrder(word, name) ? SCATTERED : 0);
    if (score === 0) return 0;
    sum += score;
  }
  return sum - name.length / 1000;
}

function placeOf(word: string, text: string): number {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  if (at === 0) return BEGINS;
  return text.includes(` ${word}`) ? WORD : WITHIN;
}

function inOrder(word: string, text: string): boolean {
  let at = -1;
  return [...word].every((letter) => {
    at = text.indexOf(letter, at + 1);
    return at >= 0;
  });
}

/** What is written in a field as words in small letters. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/u).filter(Boolean);
}
