/** A string in a program's code: its value, and where it is. */
export interface Literal {
  readonly value: string;
  readonly start: number;
  readonly end: number;
  /** True if values are put into it when it runs. */
  readonly isTemplate: boolean;
}

const LITERAL =
  /(?:[rbfuRBFU]{0,2})("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?:%[qQwWx]?|\bq[qwx]?\s*)(?:\(([^)]*)\)|\{([^}]*)\}|\[([^\]]*)\]|\|([^|]*)\|)/g;

/** The strings in the code of a scripting language, in order. */
export function literalsIn(code: string): readonly Literal[] {
  const literals: Literal[] = [];
  for (const match of code.matchAll(LITERAL)) {
    const [whole, quoted, ...delimited] = match;
    const width = quoted !== undefined && /^(?:"""|''')/.test(quoted) ? 3 : 1;
    const value =
      quoted === undefined ? (delimited.find((text) => text !== undefined) ?? "") : unescaped(quoted.slice(width, -width));
    const isTemplate = /^[fF]/.test(whole) || /[$#]\{/.test(value);
    literals.push({ value, start: match.index, end: match.index + whole.length, isTemplate });
  }
  return literals;
}

/** Code with empty strings in place of its strings. */
export function withoutLiterals(code: string, literals: readonly Literal[]): string {
  let from = 0;
  const parts = literals.map(({ start, end }) => {
    const part = code.slice(from, start);
    from = end;
    return part;
  });
  return [...parts, code.slice(from)].join('""');
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0" };

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]+)\}|([\s\S]))/g,
    (_, x, u, braced, char: string) => {
      const hex = x ?? u ?? braced;
      if (hex !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10_ff_ff));
      return ESCAPES[char] ?? char;
    },
  );
}

/** Strings that the code joins: by `+` or `.` into one, or by commas within brackets into words. */
export function joinedLiterals(code: string, literals: readonly Literal[]): readonly string[] {
  const texts: string[] = [];
  let text = "";
  for (const [index, { value, start }] of literals.entries()) {
    const before = literals[index - 1];
    const between = before === undefined ? "" : code.slice(before.end, start).trim();
    if (before !== undefined && /^(?:\+|\.|)$/.test(between)) text += value;
    else if (before !== undefined && /^,\s*\[?$/.test(between)) text += ` ${quotedIfNeeded(value)}`;
    else {
      if (text !== "") texts.push(text);
      text = value;
    }
  }
  return text === "" ? texts : [...texts, text];
}

function quotedIfNeeded(value: string): string {
  return /^[\w./~:=@%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
