/**
 * Marks that stand in expanded words for what cannot be known. They are characters of Unicode's private use area, so that words
 * stay plain strings. A command line that contains one of them means the mark: it is judged as unknown.
 */
export const MARK = {
  /** The value of a variable that the line does not set. */
  unknown: "\uE000",
  /** `*`, or a pattern that can be of any length. */
  star: "\uE001",
  /** `?` or a set in brackets: one character. */
  any: "\uE002",
  /** The value of a variable whose name says that it is a secret. */
  secret: "\uE003",
  /** The output of a command that the guard cannot work out. */
  output: "\uE004",
  /** The content of a file. As code it counts as a script, which the guard does not read. */
  file: "\uE005",
} as const;

/** The output of a command that lists files of the worktree that git does not know. */
export const UNTRACKED = `${MARK.output}/untracked`;

const UNKNOWN = /[\uE000\uE003-\uE005]/;
const GLOB = /[\uE001\uE002]/;
const MARKS = /[\uE000-\uE005]/;

/** True if a part of the word cannot be known. */
export function isUnknown(word: string): boolean {
  return UNKNOWN.test(word);
}

/** True if the word is a pattern for names of files. */
export function isGlob(word: string): boolean {
  return GLOB.test(word);
}

/** True if the word is exactly what the program will get. */
export function isExact(word: string): boolean {
  return !MARKS.test(word);
}

/** The index of the first part that cannot be known, or -1. */
export function unknownAt(word: string): number {
  return word.search(UNKNOWN);
}

/** Judges text as code: `unknown` if nothing of it can be known, `script` if all of it is in files. */
export function codeKind(text: string): "unknown" | "script" | "text" {
  if (!isUnknown(text) || !/^[\s\uE000-\uE005]+$/.test(text)) return "text";
  return /[\uE000\uE003\uE004]/.test(text) ? "unknown" : "script";
}
