import { type Token, tokenize } from "./tokens.ts";

/** Where a piece is in a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Tokens, and those of them that a formatter adds and removes. */
interface Stream {
  readonly tokens: readonly Token[];
  readonly isOptional: readonly boolean[];
}

const CLOSING = /^[)\]}]$/;
const SEPARATOR = /^[,;]$/;

/**
 * Every place of a piece of code in a text, whatever its white space, line breaks, comments, trailing commas and the parentheses
 * around a returned value. Part of a string or template is found as text in which white space alone may differ.
 */
export function findPiece(text: string, piece: string): readonly Span[] {
  const [source, wanted] = [streamOf(text), streamOf(piece)];
  const found = source.tokens.flatMap(({ start }, at) => {
    const end = endOfMatch(source, at, wanted);
    return end === undefined ? [] : [{ start, end }];
  });
  return found.length > 0 ? found : findInLiterals(text, source.tokens, piece);
}

function streamOf(text: string): Stream {
  const tokens = tokenize(text);
  const isOptional = tokens.map(({ text: token }, at) => {
    const [before = "", after = ""] = [tokens[at - 1]?.text, tokens[at + 1]?.text];
    return (SEPARATOR.test(token) && CLOSING.test(after)) || (token === "|" && /^(?:[=:(<,[]|=>)$/.test(before));
  });
  for (const [open, close] of pairsOf(tokens)) {
    const isValue =
      /^(?:return|throw|=>)$/.test(tokens[open - 1]?.text ?? "") && /^[,;)\]}]?$/.test(tokens[close + 1]?.text ?? "");
    if (isValue) isOptional[open] = isOptional[close] = true;
  }
  return { tokens, isOptional };
}

/** The parentheses that belong together. */
function pairsOf(tokens: readonly Token[]): readonly (readonly [open: number, close: number])[] {
  const open: number[] = [];
  return tokens.flatMap(({ text }, at) => {
    if (text === "(") open.push(at);
    const from = text === ")" ? open.pop() : undefined;
    return from === undefined ? [] : [[from, at] as const];
  });
}

/** Where the wanted tokens end if they are at a token of the source; undefined if others are there. */
function endOfMatch(source: Stream, first: number, wanted: Stream): number | undefined {
  if (source.tokens[first]?.text !== wanted.tokens[0]?.text) return undefined;
  let at = first;
  /** Parentheses of the source that were skipped and are still open. */
  let open = 0;
  for (let next = 0; next < wanted.tokens.length; ) {
    const [is, want] = [source.tokens[at]?.text ?? "", wanted.tokens[next]?.text ?? ""];
    if (isLast(wanted, next) && isStartOfLiteral(want, is)) return open === 0 ? startOf(source, at) + want.length : undefined;
    if (is === want) {
      at += 1;
      next += 1;
    } else if (source.isOptional[at] === true) {
      open += is === "(" ? 1 : is === ")" ? -1 : 0;
      at += 1;
    } else if (wanted.isOptional[next] === true || (isLast(wanted, next) && SEPARATOR.test(want) && CLOSING.test(is))) next += 1;
    else return undefined;
  }
  return open === 0 ? source.tokens[at - 1]?.end : undefined;
}

/** A piece may end within a string or template. */
const isStartOfLiteral = (start: string, token: string): boolean =>
  /^["'`]/.test(start) && token !== start && token.startsWith(start);

const startOf = ({ tokens }: Stream, at: number): number => tokens[at]?.start ?? 0;

const isLast = ({ tokens }: Stream, at: number): boolean => at === tokens.length - 1;

/** Every place that begins or ends within a string, template or regular expression. */
function findInLiterals(text: string, tokens: readonly Token[], piece: string): readonly Span[] {
  const words = piece
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const isWithin = (at: number): boolean =>
    tokens.some((token) => token.start < at && at < token.end && /^["'`}/]/.test(token.text));
  return [...text.matchAll(new RegExp(words.join("\\s+"), "g"))]
    .map(({ 0: { length }, index }) => ({ start: index, end: index + length }))
    .filter(({ start, end }) => isWithin(start) || isWithin(end));
}
