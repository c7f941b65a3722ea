/** More words than this are not made of one brace expansion. */
const MOST_WORDS = 64;

interface Brace {
  readonly before: string;
  readonly choices: readonly string[];
  readonly after: string;
}

/** The words that bash makes of the braces in a word, as source text: `a{b,c}` becomes `ab` and `ac`. */
export function expandBraces(text: string): readonly string[] {
  const brace = firstBrace(text);
  if (brace === undefined) return [text];
  const words: string[] = [];
  for (const choice of brace.choices) {
    words.push(...expandBraces(`${brace.before}${choice}${brace.after}`));
    if (words.length >= MOST_WORDS) break;
  }
  return words.slice(0, MOST_WORDS);
}

/** The first brace that expands: with a comma or a range in it. */
function firstBrace(text: string): Brace | undefined {
  for (let at = 0; at < text.length; at = skipOne(text, at)) {
    if (text[at] !== "{" || text[at - 1] === "$") continue;
    const parts = partsOfBrace(text, at);
    if (parts === undefined) continue;
    const choices = parts.choices.length > 1 ? parts.choices : expandBraceRange(parts.choices[0] ?? "");
    if (choices !== undefined) return { before: text.slice(0, at), choices, after: text.slice(parts.end + 1) };
  }
  return undefined;
}

function partsOfBrace(text: string, open: number): { readonly choices: readonly string[]; readonly end: number } | undefined {
  const choices: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < text.length; at = skipOne(text, at)) {
    if (text[at] === "{") depth++;
    else if (text[at] === "," && depth === 1) {
      choices.push(text.slice(from, at));
      from = at + 1;
    } else if (text[at] === "}" && --depth === 0) return { choices: [...choices, text.slice(from, at)], end: at };
  }
  return undefined;
}

/** The index after a character, an escaped one or a quoted stretch. */
function skipOne(text: string, at: number): number {
  const char = text[at];
  if (char === "\\") return at + 2;
  if (char !== "'" && char !== '"') return at + 1;
  const end = text.indexOf(char, at + 1);
  return end === -1 ? text.length : end + 1;
}

function expandBraceRange(text: string): readonly string[] | undefined {
  const [, from, to] = /^(-?\d+)\.\.(-?\d+)(?:\.\.-?\d+)?$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined) {
    const [low, high] = [Number(from), Number(to)].toSorted((a, b) => a - b);
    return steps(low ?? 0, high ?? 0).map(String);
  }
  const [, first, last] = /^([a-zA-Z])\.\.([a-zA-Z])$/.exec(text) ?? [];
  if (first === undefined || last === undefined) return undefined;
  const [low, high] = [first.charCodeAt(0), last.charCodeAt(0)].toSorted((a, b) => a - b);
  return steps(low ?? 0, high ?? 0).map((code) => String.fromCharCode(code));
}

function steps(low: number, high: number): readonly number[] {
  const count = Math.min(high - low + 1, MOST_WORDS);
  return Array.from({ length: count }, (_, index) => low + index);
}
