import { CannotJudge } from "./shape.ts";

/** The part of a ticket's front matter that the oracle needs. Absent if the key is absent (or, for the step, empty). */
export interface HeadFields {
  readonly id?: string;
  readonly state?: string;
  readonly humanStep?: string;
}

type Value = { readonly kind: "empty" | "block" | "list" } | { readonly kind: "scalar"; readonly text: string };

/** The form of the lines after a top-level key. */
type Below =
  | { readonly kind: "nothing" }
  | { readonly kind: "anything-flat" }
  | { readonly kind: "items"; readonly indent: number }
  | { readonly kind: "names"; readonly indent: number; readonly seen: Set<string> }
  | { readonly kind: "block"; readonly indent?: number };

const NAME = "[\\p{L}\\p{N}_][\\p{L}\\p{N}_.()/-]*(?: +[\\p{L}\\p{N}_.()/-]+)*";
const TOP = new RegExp(`^(${NAME}):(?: +(?! )(.*))?$`, "su");
const NESTED_NAME = new RegExp(`^( +)(${NAME}):(?: +(?! )(.*))?$`, "su");
const NESTED_ITEM = /^( *)- +(?! )(.*)$/s;
const COMMENT = /^ *#/;
const TAIL = "(?: *$| +#)";
const DOUBLE = new RegExp(`^"((?:[^"\\\\]|\\\\["\\\\])*)"${TAIL}`);
const SINGLE = new RegExp(`^'((?:[^']|'')*)'${TAIL}`);
const WORD = "(?:[A-Za-z0-9](?:[A-Za-z0-9_./-]| +(?=[A-Za-z0-9_./-]))*|\"[A-Za-z0-9_./ -]*\"|'[A-Za-z0-9_./ -]*')";
const LIST = new RegExp(`^\\[ *(?:${WORD}(?: *, *${WORD})* *)?\\]${TAIL}`);
const BLOCK = new RegExp(`^[|>][+-]?${TAIL}`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const OURS: ReadonlySet<string> = new Set(["id", "state", "humanStep"]);

/**
 * Reads the lines between the two `---` of a ticket. It knows a small part of YAML: flat `key: value` lines whose value is a
 * plain or quoted scalar on that line, a list on one line, a block of text, or one flat level below the key. It refuses
 * everything else, so that no document can mean one thing here and another to a full YAML reader.
 */
export function parseTicketHead(lines: readonly string[]): HeadFields {
  const found = new Map<string, string | undefined>();
  let below: Below = { kind: "nothing" };
  for (const [index, line] of lines.entries()) {
    try {
      below = readLine(line, below, found);
    } catch (cause) {
      if (cause instanceof CannotJudge) throw new CannotJudge(`line ${index + 2}: ${cause.message}`, { cause });
      throw cause;
    }
  }
  const id = found.get("id");
  const state = found.get("state");
  const humanStep = found.get("humanStep");
  return {
    ...(id !== undefined && { id }),
    ...(state !== undefined && { state }),
    ...(humanStep !== undefined && { humanStep }),
  };
}

function readLine(line: string, below: Below, found: Map<string, string | undefined>): Below {
  if (CONTROL.test(line)) throw new CannotJudge("a tab or control character in the front matter");
  if (!line.isWellFormed()) throw new CannotJudge("half a character in the front matter");
  if (below.kind === "block" && (line === "" || line.startsWith(" "))) return readBlockLine(line, below);
  if (/^ *$/.test(line) || COMMENT.test(line)) return below.kind === "block" ? { kind: "nothing" } : below;
  const nested = readNested(line, below);
  if (nested !== undefined) return nested;
  const top = TOP.exec(line);
  if (top === null) throw new CannotJudge("not a plain `key: value` line; the oracle reads no more of YAML than that");
  return readTop(top[1] ?? "", top[2] ?? "", found);
}

function readBlockLine(line: string, below: Below & { kind: "block" }): Below {
  if (line === "") return below;
  const indent = line.search(/[^ ]/);
  if (indent === -1) throw new CannotJudge("a line of spaces in a block of text");
  if (below.indent !== undefined && indent < below.indent) throw new CannotJudge("a block of text is indented unevenly");
  return { kind: "block", indent: below.indent ?? indent };
}

function readNested(line: string, below: Below): Below | undefined {
  if (below.kind === "nothing" || below.kind === "block") return undefined;
  const item = below.kind === "names" ? null : NESTED_ITEM.exec(line);
  if (item !== null) return readItem(item, below);
  const name = below.kind === "items" ? null : NESTED_NAME.exec(line);
  return name === null ? undefined : readName(name, below);
}

function readItem(item: RegExpExecArray, below: Below): Below {
  const indent = (item[1] ?? "").length;
  if (below.kind === "items" && below.indent !== indent) throw new CannotJudge("a list is indented unevenly");
  if (readValue(item[2] ?? "").kind !== "scalar") throw new CannotJudge("a list holds more than plain items");
  return { kind: "items", indent };
}

function readName(name: RegExpExecArray, below: Below): Below {
  const indent = (name[1] ?? "").length;
  if (below.kind === "names" && below.indent !== indent) throw new CannotJudge("keys below a key are indented unevenly");
  const seen = below.kind === "names" ? below.seen : new Set<string>();
  mustBeNew(seen, name[2] ?? "");
  seen.add(name[2] ?? "");
  if (readValue(name[3] ?? "").kind === "block") throw new CannotJudge("a block of text below a key");
  return { kind: "names", indent, seen };
}

function readTop(key: string, raw: string, found: Map<string, string | undefined>): Below {
  mustBeNew(found, key);
  const value = readValue(raw);
  found.set(key, value.kind === "scalar" ? value.text : undefined);
  if (OURS.has(key)) {
    if (value.kind === "scalar" || (value.kind === "empty" && key === "humanStep")) return { kind: "nothing" };
    throw new CannotJudge(`${key} is not a word or a text on its own line`);
  }
  if (value.kind === "empty") return { kind: "anything-flat" };
  return { kind: value.kind === "block" ? "block" : "nothing" };
}

function mustBeNew(names: { has(name: string): boolean }, name: string): void {
  if (names.has(name)) throw new CannotJudge(`the key ${JSON.stringify(name)} is there twice`);
  if (name.length > 100) throw new CannotJudge("a key of more than 100 characters");
}

function readValue(raw: string): Value {
  if (/^ *$/.test(raw) || raw.startsWith("#")) return { kind: "empty" };
  const double = DOUBLE.exec(raw);
  if (double !== null) return { kind: "scalar", text: (double[1] ?? "").replace(/\\(["\\])/g, "$1") };
  const single = SINGLE.exec(raw);
  if (single !== null) return { kind: "scalar", text: (single[1] ?? "").replaceAll("''", "'") };
  if (LIST.test(raw)) return { kind: "list" };
  if (BLOCK.test(raw)) return { kind: "block" };
  return { kind: "scalar", text: readPlain(raw) };
}

/** A plain scalar: everything up to a comment. A character that begins something else in YAML is refused at its start. */
function readPlain(raw: string): string {
  const text = raw.replace(/(?<! ) +#.*/s, "").replace(/(?<! ) +$/, "");
  if (/^[-?:,[\]{}#&*!|>'"%@`]/.test(text) || /:( |$)/.test(text)) {
    throw new CannotJudge("a value that the oracle does not read; put it in double quotes, on one line");
  }
  return text;
}
