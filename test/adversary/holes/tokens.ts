import { SyntaxKind } from "typescript/unstable/ast";
import { createScanner } from "typescript/unstable/ast/scanner";

/** A token of TypeScript, and where it is in its text. */
export interface Token {
  /** As written, but for the quotes of a string. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A regular expression may follow these words; any other word is divided by a slash. */
const BEFORE_REGEX = /^(?:await|case|delete|do|else|in|instanceof|new|of|return|throw|typeof|void|yield)$/;
/** The last character of a value. */
const VALUE_END = /[\w$)\]}"'`]$/;

/** The tokens of a text, or of a piece of one. Comments and white space are none. */
export function tokenize(text: string): readonly Token[] {
  const scanner = createScanner(true, undefined, text);
  const tokens: Token[] = [];
  /** One per open brace: true if it opened in a template. */
  const braces: boolean[] = [];
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    const last = tokens.at(-1)?.text ?? "";
    const isSlash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken;
    if (isSlash && (BEFORE_REGEX.test(last) || !VALUE_END.test(last))) kind = scanner.reScanSlashToken();
    if (kind === SyntaxKind.OpenBraceToken) braces.push(false);
    if (kind === SyntaxKind.TemplateHead) braces.push(true);
    if (kind === SyntaxKind.CloseBraceToken && braces.pop() === true) {
      kind = scanner.reScanTemplateToken(false);
      if (kind === SyntaxKind.TemplateMiddle) braces.push(true);
    }
    const written = scanner.getTokenText();
    const isWhole = kind === SyntaxKind.StringLiteral && !scanner.isUnterminated();
    // TypeScript 7.0.2 does not pass a # that begins no name.
    if (scanner.getTokenEnd() === scanner.getTokenStart()) throw new SyntaxError(`unexpected ${text.at(scanner.getTokenEnd())}`);
    const token = isWhole ? JSON.stringify(scanner.getTokenValue()) : written;
    tokens.push({ text: token, start: scanner.getTokenStart(), end: scanner.getTokenEnd() });
  }
  return tokens;
}
