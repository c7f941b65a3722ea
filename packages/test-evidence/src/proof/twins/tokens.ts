/** A piece of source text: a word, a literal, an operator or a bracket. Blanks and comments are left out. */
export interface Token {
  /** `other`: part of a template with expressions, a regular expression, or a lifetime. */
  readonly kind: "word" | "number" | "string" | "punct" | "other";
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** True if it is the first on its line. */
  readonly isFirst: boolean;
  /** If it is a bracket: the index of its counterpart. */
  match: number;
}

/** Source text and its tokens. */
export interface Code {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/** Tokens from an index to before another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export type Language = "js" | "python" | "go" | "rust";

/** What differs between the languages. All patterns are sticky; `broken` is the start of a comment or string without an end. */
interface Syntax {
  readonly blank: RegExp;
  readonly string: RegExp;
  readonly broken: RegExp;
}

const C_BLANK = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;

const SYNTAX: Readonly<Record<Language, Syntax>> = {
  js: { blank: C_BLANK, string: /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y, broken: /\/\*/y },
  python: {
    blank: /\s+|#[^\n]*|\\\r?\n/y,
    string:
      /[a-zA-Z]{0,2}(?:"""(?:[^"\\]|\\[\s\S]|"(?!""))*"""|'''(?:[^'\\]|\\[\s\S]|'(?!''))*'''|"(?!"")(?:[^"\\\n]|\\[\s\S])*"|'(?!'')(?:[^'\\\n]|\\[\s\S])*')/y,
    broken: /["']/y,
  },
  go: { blank: C_BLANK, string: /"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\[^\n][^'\n]{0,9})'/y, broken: /\/\*|["'`]/y },
  rust: {
    blank: C_BLANK,
    string: /b?r"[^"]*"|b?r(#{1,9})"[\s\S]*?"\1|[bc]?"(?:[^"\\]|\\[\s\S])*"|b?'(?:[^'\\\n]|\\[^\n][^'\n]{0,9})'/y,
    broken: /\/\*|"|b?r#*"/y,
  },
};

const NUMBER = /\d\w*(?:\.\d\w*)?(?:(?<=[eE])[+-]\d\w*)?/y;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const LIFETIME = /'\w+/y;
const PUNCT = /=>|->|[=!]==?|[<>]=|&&|\|\||\?\?|\?\.|\.{3}|::|:=|\+\+|--|[-+*/%&|^]=|[\s\S]/uy;
/** Lengths are bounded, because each slash may begin one. */
const REGEX = /\/(?![*/>])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,500}\]){1,500}\/\w*/y;
/** A template from its start, or from the end of an expression in it, to its end or the next expression. */
const TEMPLATE = /[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;

/** Characters of a file, at most: the text may be a worker's. */
const MAX_CHARS = 400_000;
/** Quotes without a counterpart on their line, at most: the text of JSX may have such. Each costs its line. */
const MAX_LONE_QUOTES = 100;

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
/** Words of JavaScript that a regular expression may follow, and not a division. */
const BEFORE_REGEX = /^(?:return|typeof|case|in|of|delete|void|throw|new|await|yield|else|do|instanceof)$/;
const HAS_CONDITION = /^(?:if|while|for|with)$/;

/** The tokens of a text, in time linear in its length; undefined if it is too long or its brackets, strings or comments are odd. */
export function tokenize(text: string, language: Language): Code | undefined {
  if (text.length > MAX_CHARS) return undefined;
  const reading: Reading = { text, language, tokens: [], open: [] };
  let isFirst = true;
  let loneQuotes = 0;
  for (let at = codeStart(text, language); at < text.length; ) {
    const blank = matchAt(SYNTAX[language].blank, text, at);
    if (blank !== undefined) {
      isFirst ||= blank.includes("\n") && !blank.startsWith("\\");
      at += blank.length;
      continue;
    }
    const found = next(reading, at);
    if (found === undefined) return undefined;
    loneQuotes += /^["'`]$/.test(found.text) ? 1 : 0;
    const token = { ...found, from: at, to: at + found.text.length, isFirst, match: -1 };
    if (loneQuotes > MAX_LONE_QUOTES || !add(token, reading)) return undefined;
    isFirst = false;
    at = token.to;
  }
  return reading.open.length === 0 ? { text, tokens: reading.tokens } : undefined;
}

/** What has been read of a text. `open` has the indexes of brackets without a counterpart so far. */
interface Reading {
  readonly text: string;
  readonly language: Language;
  readonly tokens: Token[];
  readonly open: number[];
}

function codeStart(text: string, language: Language): number {
  if (text.startsWith("#!") && language === "js") return text.search(/\n|$/);
  return text.startsWith("\ufeff") ? 1 : 0;
}

type Found = Pick<Token, "kind" | "text">;

function next(reading: Reading, at: number): Found | undefined {
  const { text, language } = reading;
  const { string, broken } = SYNTAX[language];
  const take = (kind: Token["kind"], pattern: RegExp): Found | undefined => {
    const found = matchAt(pattern, text, at);
    return found === undefined ? undefined : { kind, text: found };
  };
  const special = language === "js" ? nextOfScript(reading, at) : undefined;
  if (special !== undefined) return special;
  const literal = take("string", string);
  if (literal !== undefined) return literal;
  if (matchAt(broken, text, at) !== undefined) return undefined;
  const lifetime = language === "rust" ? take("other", LIFETIME) : undefined;
  return lifetime ?? take("number", NUMBER) ?? take("word", WORD) ?? take("punct", PUNCT);
}

/** A part of a template, or a regular expression. */
function nextOfScript(reading: Reading, at: number): Found | undefined {
  const char = reading.text.charAt(at);
  const inTemplate = char === "}" && isTemplate(reading.tokens[reading.open.at(-1) ?? -1]);
  if (inTemplate || char === "`") {
    const part = matchAt(TEMPLATE, reading.text, at);
    return part === undefined ? undefined : { kind: char === "`" && part.endsWith("`") ? "string" : "other", text: part };
  }
  const regex = char === "/" && isRegexStart(reading) ? matchAt(REGEX, reading.text, at) : undefined;
  return regex === undefined ? undefined : { kind: "other", text: regex };
}

function isRegexStart({ tokens }: Reading): boolean {
  const last = tokens.at(-1);
  if (last === undefined) return true;
  if (last.kind === "word") return BEFORE_REGEX.test(last.text);
  if (last.text === ")") return HAS_CONDITION.test(tokens[last.match - 1]?.text ?? "");
  return last.kind === "punct" && !/^(?:[\]}<]|\+\+|--)$/.test(last.text);
}

/** True for a part of a template that ends where an expression begins. */
const isTemplate = (token: Token | undefined): boolean => token?.kind === "other" && token.text.endsWith("${");

/** Adds a token and joins it with its counterpart if it closes a bracket; false if that is of another kind. */
function add(token: Token, { tokens, open }: Reading): boolean {
  const isPart = token.kind === "other" && /^[`}]/.test(token.text);
  if (isPart ? token.text.startsWith("}") : token.kind === "punct" && /^[)\]}]$/.test(token.text)) {
    const begin = open.pop() ?? -1;
    const opener = tokens[begin];
    if (opener === undefined || (isPart ? !isTemplate(opener) : CLOSING[opener.text] !== token.text)) return false;
    opener.match = tokens.length;
    token.match = begin;
  }
  tokens.push(token);
  if (isTemplate(token) || (token.kind === "punct" && Object.hasOwn(CLOSING, token.text))) open.push(tokens.length - 1);
  return true;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** The text of a token; empty outside of the code. */
export function textAt({ tokens }: Code, i: number): string {
  return tokens[i]?.text ?? "";
}

/** The source text of tokens. */
export function sourceText({ text, tokens }: Code, { from, to }: Range): string {
  return text.slice(tokens[from]?.from ?? 0, tokens[to - 1]?.to ?? 0);
}

/** The index behind a token, or behind the bracket that it opens. */
export function behind({ tokens }: Code, i: number): number {
  let last = i;
  // A template with several expressions is a chain of pairs.
  for (let match = tokens[i]?.match ?? -1; match > last; match = tokens[match]?.match ?? -1) last = match;
  return last + 1;
}

/** The arguments between brackets, or other parts between commas. */
export function splitArguments(code: Code, { from, to }: Range): readonly Range[] {
  const parts: Range[] = [];
  let start = from;
  for (let i = from; i < to; i = behind(code, i)) {
    if (textAt(code, i) !== ",") continue;
    parts.push({ from: start, to: i });
    start = i + 1;
  }
  return start < to ? [...parts, { from: start, to }] : parts;
}

/** Operators and the like, which continue a statement at the beginning of a line. */
const CONTINUES = /^(?:[.,)\]}?:+\-*/%&|^=<>]|=>|->|[=!]==?|[<>]=|&&|\|\||\?\?|\?\.|::|:=)$/;
/** The last token of a line after which a statement may end. */
const ENDS = /^(?:[)\]};]|\+\+|--)$/;

/** The statements directly in a block, as far as tokens tell. Each is without the semicolon at its end. */
export function splitStatements(code: Code, { from, to }: Range): readonly Range[] {
  const starts: number[] = [];
  let hasBlock = false;
  for (let i = from; i < to; i = behind(code, i)) {
    const isInHead = !hasBlock && isHead(code, starts.at(-1));
    if (i === from || (isStart(code, i) && !isInHead)) {
      starts.push(i);
      hasBlock = false;
    }
    if (textAt(code, i) === "{") hasBlock = true;
  }
  return starts.map((start, n) => {
    let end = starts[n + 1] ?? to;
    while (end > start + 1 && textAt(code, end - 1) === ";") end -= 1;
    return { from: start, to: end };
  });
}

/** True for a statement of Go whose head may have semicolons: `if got := f(); got != 3 {`. */
function isHead(code: Code, start: number | undefined): boolean {
  return start !== undefined && /^(?:if|for|switch)$/.test(textAt(code, start)) && textAt(code, start + 1) !== "(";
}

function isStart(code: Code, i: number): boolean {
  const token = code.tokens[i];
  const before = code.tokens[i - 1];
  if (token === undefined || before === undefined) return true;
  if (token.text === ";") return false;
  if (before.text === ";") return true;
  if (token.kind === "punct" && CONTINUES.test(token.text)) return false;
  if (before.text === "}") return token.isFirst || /^(?:else|catch|finally)$/.test(token.text);
  if (!token.isFirst) return false;
  if (before.text === ")") return !HAS_CONDITION.test(textAt(code, before.match - 1));
  return before.kind !== "punct" || ENDS.test(before.text);
}
