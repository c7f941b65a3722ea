import { type ParsedScript, parse, type Word, type WordPart } from "unbash";
import { expandBraces } from "./braces.ts";
import { expandParameter, variable } from "./parameters.ts";
import { MARK, type ShellScope, unknownValue } from "./scope.ts";

/** What an expansion needs of the shell that it is in. */
export interface Expander {
  readonly scope: ShellScope;
  /** The output of a command substitution. */
  readonly scriptOutput: (script: ParsedScript | undefined) => string;
  /** The name of the file that a process substitution makes. */
  readonly scriptFile: (script: ParsedScript | undefined, operator: "<" | ">") => string;
}

/** The words that a program gets for one word of the source. */
export function expandWord(word: Word, expander: Expander): readonly string[] {
  if (word.parts === undefined) return [withTilde(word.value, word.text, expander.scope)];
  if (word.parts.some((part) => part.type === "BraceExpansion")) {
    const texts = expandBraces(word.text);
    if (texts.length > 1 || texts[0] !== word.text) return texts.flatMap((text) => expandSource(text, expander));
  }
  const fields = new Fields();
  for (const [index, part] of word.parts.entries()) {
    if (index === 0 && part.type === "Literal") fields.add(withTilde(part.value, part.text, expander.scope));
    else addPart(part, fields, expander, false);
  }
  return fields.words();
}

/** Expands a word that is given as source text. */
function expandSource(text: string, expander: Expander): readonly string[] {
  const [statement] = parse(`_ ${text}`).commands;
  if (statement?.command.type !== "Command") return [text];
  return statement.command.suffix.flatMap((word) => (word.type === "Word" ? expandWord(word, expander) : []));
}

/** A word as one text: in assignments, redirections and operands, where no words are split. */
export function expandText(word: Word, expander: Expander): string {
  if (word.parts === undefined) return withTilde(word.value, word.text, expander.scope);
  return word.parts
    .map((part, index) => {
      if (index === 0 && part.type === "Literal") return withTilde(part.value, part.text, expander.scope);
      const fields = new Fields();
      addPart(part, fields, expander, true);
      return fields.words().join(" ");
    })
    .join("");
}

/** The parts of a here-document as text. */
export function expandParts(parts: readonly WordPart[], expander: Expander): string {
  return parts
    .map((part) => {
      if (part.type === "Literal") return part.value;
      const fields = new Fields();
      addPart(part, fields, expander, true);
      return fields.words().join(" ");
    })
    .join("");
}

function withTilde(value: string, text: string, scope: ShellScope): string {
  if (!text.startsWith("~")) return value;
  const [, user = "", rest = ""] = /^~([^/]*)(.*)$/s.exec(value) ?? [];
  if (user === "" || scope.home.endsWith(`/${user}`)) return `${scope.home}${rest}`;
  if (user === "+") return `${scope.cwd ?? MARK.unknown}${rest}`;
  if (user === "-") return `${MARK.unknown}${rest}`;
  return `${user === "root" ? "/root" : `/home/${user}`}${rest}`;
}

/** Words under construction. */
class Fields {
  readonly #done: string[] = [];
  #current: string | undefined;

  add(text: string): void {
    this.#current = (this.#current ?? "") + text;
  }

  /** Adds an unquoted value: white space in it ends words. */
  addSplit(value: string, separators: string): void {
    const [first = "", ...others] = splitWords(value, separators);
    if (first !== "") this.add(first);
    for (const text of others) {
      this.#end();
      if (text !== "") this.add(text);
    }
  }

  /** Adds several words: the first one is joined to what came before, the last one to what follows. */
  addWords(words: readonly string[]): void {
    for (const [index, word] of words.entries()) {
      if (index > 0) this.#end();
      this.add(word);
    }
  }

  words(): readonly string[] {
    this.#end();
    return this.#done;
  }

  #end(): void {
    if (this.#current !== undefined) this.#done.push(this.#current);
    this.#current = undefined;
  }
}

/** Splits a value at each separator. */
export function splitWords(value: string, separators: string): readonly string[] {
  if (separators === " \t\n") return value.split(/[ \t\n]+/);
  const words = [""];
  for (const char of value) {
    if (separators.includes(char)) words.push("");
    else words.push(`${words.pop() ?? ""}${char}`);
  }
  return words;
}

function addPart(part: WordPart, fields: Fields, expander: Expander, isQuoted: boolean): void {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return fields.add(part.value);
    case "DoubleQuoted":
    case "LocaleString":
      fields.add("");
      for (const child of part.parts) addPart(child, fields, expander, true);
      return;
    case "Glob":
      return fields.add(isQuoted ? part.value : part.kind === "star" ? MARK.star : MARK.any);
    case "ExtendedGlob":
      return fields.add(MARK.star);
    case "BraceExpansion":
      return fields.add(part.text);
    case "ProcessSubstitution":
      return fields.add(expander.scriptFile(part.script, part.operator));
    default:
      return addValue(valueOfPart(part, expander), fields, isQuoted, expander.scope);
  }
}

type ExpansionPart = Extract<
  WordPart,
  { type: "SimpleExpansion" | "ParameterExpansion" | "CommandExpansion" | "ArithmeticExpansion" }
>;

function valueOfPart(part: ExpansionPart, expander: Expander): string | readonly string[] {
  switch (part.type) {
    case "SimpleExpansion": {
      const name = part.text.slice(1);
      const value = variable(name, expander.scope) ?? unknownValue(name);
      return typeof value === "object" && name !== "@" && name !== "*" ? (value[0] ?? "") : value;
    }
    case "ParameterExpansion":
      return expandParameter(part, expander.scope, (word) => expandText(word, expander));
    case "CommandExpansion":
      return expander.scriptOutput(part.script).replace(/\n+$/, "");
    case "ArithmeticExpansion":
      return "1";
  }
}

function addValue(value: string | readonly string[], fields: Fields, isQuoted: boolean, { variables }: ShellScope): void {
  if (typeof value === "object") fields.addWords(value);
  else if (isQuoted) fields.add(value);
  else fields.addSplit(value, String(variables.get("IFS") ?? " \t\n"));
}
