import type { Silenced } from "./hunk.ts";
import type { LanguageFamily } from "./languages.ts";

/** A longer line is not parsed: every marker in it counts. */
const LONGEST = 1_000;

/**
 * Words that may follow a string in JavaScript, TypeScript or Python. Any other word right after a closing quote breaks the file.
 */
const GOES_ON = "(?:in|instanceof|of|as|is|satisfies|extends|with|while|if|else|for|and|or|not|async)\\b";

/** Python takes letters before a quote for a part of the next string, which may follow another. */
const WORD_AFTER_QUOTE: Partial<Record<LanguageFamily, RegExp>> = {
  js: new RegExp(`^(?!${GOES_ON})[a-z]`, "i"),
  python: new RegExp(`^(?!${GOES_ON}|[a-z]{1,3}["'])[a-z]`, "i"),
};

/** A line that begins as a comment. "* Word word" is no product of two factors, whatever stands above it. */
const COMMENT: Partial<Record<LanguageFamily, RegExp>> = {
  js: new RegExp(`^(?:\\/\\/|\\/\\*|\\* [A-Z][a-z]* (?!${GOES_ON})[a-z])`),
  python: /^#/,
};

/**
 * Plain code and complete strings, followed by an open string. No string contains text that could be code in a template or in
 * JSX.
 */
const OPEN_STRING = /^(?:[\w\s$.,:;=({[!?&|+)}\]>-]|"[^"{]*"|'[^'{]*')*(?:"[^"{]*|'[^'{]*)$/;

/** Beginnings of code in the middle of a comment or string from a line above: the ends of both, templates, and tags. */
const ENDS_PROSE = /[`\\<]|\*\/|""|''/;

/** Comments for linters, type checkers and coverage tools begin with the tool's word. */
const BEGINS = /(?:[/*]|<!--) ?@?$/;

/** Ends of a comment in the middle of a line, and NULs, as in UTF-16, between which nothing is what it looks like. */
const HIDES = /[\r\u2028\u2029](?!$)|\0/;

/** Markers of JavaScript that contain their own beginning, or that a tool finds anywhere in a comment (Flow). */
const WHOLE = /^(?:[/*$]|@flow)/;

/** True if a line may mention markers at all. `raw` is the line as it is in the file. */
export function maySpeak(raw: string, family: LanguageFamily): boolean {
  return raw.length <= LONGEST && COMMENT[family] !== undefined && !HIDES.test(raw);
}

/**
 * True if a marker at this place is only mentioned, in a comment or a string that is not for a tool. `text` has single blanks,
 * and none at its ends. If in doubt, it is not: the lines above are unknown, and so is their effect on this line.
 */
export function isMention(what: Silenced, family: LanguageFamily, text: string, at: number): boolean {
  const before = text.slice(0, at);
  if (what === "a test") return isProse(text, at, family);
  if (family !== "js" || WHOLE.test(text.slice(at))) return false;
  // The beginning of a line may belong to a comment that was opened above it.
  if (!BEGINS.test(`/${before}`)) return true;
  // v8-to-istanbul finds its word in strings too.
  return (
    what === "a lint or type rule" && !ENDS_PROSE.test(before) && breaksWhereClosed(text, at, family) && OPEN_STRING.test(before)
  );
}

function isProse(text: string, at: number, family: LanguageFamily): boolean {
  const before = text.slice(0, at);
  if (ENDS_PROSE.test(before) || !breaksWhereClosed(text, at, family)) return false;
  if (COMMENT[family]?.test(before)) return !before.includes("{");
  return OPEN_STRING.test(before);
}

/** If the line above left a string open, this quote would end it where nothing can follow. */
function breaksWhereClosed(text: string, at: number, family: LanguageFamily): boolean {
  return ['"', "'"].every((quote) => {
    const first = text.indexOf(quote);
    return first === -1 || first >= at || WORD_AFTER_QUOTE[family]?.test(text.slice(first + 1)) === true;
  });
}
