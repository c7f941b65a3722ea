import { firstFew } from "./first-few.ts";

/** Characters of captured output that travel as evidence; the whole stays in the attempt's log. */
const EVIDENCE_CHARS = 4_000;

/** The end of a long output, where failures usually stand, with a mark where it was cut. */
export function boundedTail(text: string, limit = EVIDENCE_CHARS): string {
  const clean = text.trimEnd();
  return clean.length <= limit ? clean : `[… ${clean.length - limit} characters cut …]\n${clean.slice(-limit)}`;
}

/** The beginning of a long text, with a mark where it was cut. */
export function boundedHead(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}\n[… ${text.length - limit} characters cut …]`;
}

/** A list of names, cut with a count. */
export function boundedList(names: readonly string[], most = 20): string {
  return firstFew(names, most).join("\n");
}

/**
 * The beginning of a long text, cut after a whole word. Secrets are masked later, by their whole text: a part of one would not be
 * found. A text without a space before the limit is left out.
 */
export function wholeWords(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.slice(0, limit + 1).search(/\s\S*$/);
  return `${text.slice(0, Math.max(0, end))} …`;
}
