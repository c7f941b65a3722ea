/** The scores of a word: it begins the text, begins a word, is contained, or its letters appear in order. */
const BEGINS = 100;
const WORD = 60;
const WITHIN = 30;
const SCATTERED = 10;

/**
 * The score of the typed words: the name counts first, then the description. Zero if a word does not match. Letters in order with
 * others between them count in the name alone.
 */
export function scoreWords(words: readonly string[], options: { readonly name: string; readonly text: string }): number {
  const [name, text] = [options.name.toLowerCase(), options.text.toLowerCase()];
  let sum = 1;
  for (const word of words) {
    const score = Math.max(scorePlace(word, name), scorePlace(word, text) / 4, inOrder(word, name) ? SCATTERED : 0);
    if (score === 0) return 0;
    sum += score;
  }
  return sum - name.length / 1000;
}

function scorePlace(word: string, text: string): number {
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

/** The text of a field as words in small letters. */
export function searchWords(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/u).filter(Boolean);
}
