import { isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument, Scalar } from "yaml";

/** A problem of a ticket file. `grave`: its state is unknown; otherwise the ticket only cannot be planned. */
export interface FrontMatterProblem {
  /** 1-based, in the file. */
  readonly line?: number | undefined;
  readonly why: string;
  readonly grave: boolean;
}

/** A `key: value` line that loopdash knows. Offsets are in the front matter's text. */
export interface Field {
  readonly value: string;
  readonly line: number;
  /** Start of the key, which is the start of its line. */
  readonly key: number;
  readonly keyEnd: number;
  readonly from: number;
  readonly to: number;
  readonly quote: '"' | "'" | "";
}

const WORDS = ["id", "title", "repo", "state", "humanStep", "note", "contract"] as const;
const LISTS = ["dependsOn", "exclusive"] as const;
/** What lets a ticket land in another way: a file that agents' tools may write must not say it. */
const OF_THE_BATCH: ReadonlySet<string> = new Set(["allow", "fixes", "redFirst"]);
export type WordKey = (typeof WORDS)[number];
export type ListKey = (typeof LISTS)[number];

export interface FrontMatter {
  /** True if a `note` has more than one line: then it is a person's own, no field, and not touched. */
  readonly ownNote: boolean;
  readonly words: ReadonlyMap<WordKey, Field>;
  readonly lists: ReadonlyMap<ListKey, { readonly line: number; readonly items: readonly string[] }>;
  readonly problems: readonly FrontMatterProblem[];
}

/** Fields without which it is unknown if the ticket is done. */
const GRAVE: ReadonlySet<string> = new Set(["id", "state", "humanStep"]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/;

/**
 * Reads front matter with a full YAML parser, in the failsafe schema (YAML 1.2.2, 10.1): every scalar is the text in the file, so
 * `id: 007` is "007" and `state: no` is not false. Keys that loopdash does not know are the user's own.
 */
export function readFrontMatter(text: string): FrontMatter {
  const lines = new LineCounter();
  const document = parseDocument(text, { schema: "failsafe", prettyErrors: false, lineCounter: lines });
  // The opening `---` is line 1 of the file.
  const reading = new Reading(text, (at) => lines.linePos(at).line + 1);
  for (const error of document.errors) reading.problem(error.pos[0], `not valid YAML: ${error.message}`, true);
  const control = CONTROL.exec(text);
  const end = /^\.\.\.(?=\s|$)/m.exec(text);
  if (end !== null) reading.problem(end.index, "a line `...` ends the front matter early: take it out", true);
  if (control !== null) reading.problem(control.index, "a tab or control character in the front matter: use spaces", true);
  if (reading.problems.length === 0) reading.top(document.contents);
  return reading;
}

class Reading implements FrontMatter {
  readonly words = new Map<WordKey, Field>();
  readonly lists = new Map<ListKey, { readonly line: number; readonly items: readonly string[] }>();
  readonly problems: FrontMatterProblem[] = [];
  ownNote = false;
  readonly #text: string;
  readonly #lineOf: (at: number) => number;

  constructor(text: string, lineOf: (at: number) => number) {
    this.#text = text;
    this.#lineOf = lineOf;
  }

  problem(at: number, why: string, grave: boolean): void {
    this.problems.push({ line: this.#lineOf(at), why, grave });
  }

  top(contents: unknown): void {
    if (contents === null) return;
    if (!isMap(contents) || contents.flow === true) {
      this.problem(0, "the front matter is not a list of `key: value` lines", true);
      return;
    }
    const first = contents.range?.[0] ?? 0;
    if (first > 0 && this.#text[first - 1] !== "\n") this.problem(first, "keys must begin in the first column", true);
    for (const pair of contents.items) this.#pair(pair);
  }

  #pair(pair: Pair<unknown, unknown>): void {
    const { key } = pair;
    if (!isScalar(key) || typeof key.value !== "string") return;
    const at = key.range?.[0] ?? 0;
    const word = WORDS.find((w) => w === key.value);
    const list = LISTS.find((l) => l === key.value);
    if (word !== undefined) this.#word(word, key, pair.value);
    else if (list !== undefined) this.#list(list, at, pair.value);
    else {
      const meant = [...WORDS, ...LISTS].find((known) => known.toLowerCase() === flat(String(key.value)));
      if (OF_THE_BATCH.has(key.value))
        this.problem(at, `${key.value} is not read here: write it into the ticket's entry of the batch file, tickets`, false);
      if (meant !== undefined) this.problem(at, `the key ${JSON.stringify(key.value)} is not known: write ${meant}`, false);
    }
  }

  #word(name: WordKey, key: Scalar, value: unknown): void {
    const [start, keyEnd] = key.range ?? [0, 0];
    const field = this.#field(start, keyEnd, value);
    if (field === undefined && name === "note") this.ownNote = true;
    else if (field === undefined)
      this.problem(start, `${name} must be written as \`${name}: …\`, a word or a text on one line`, GRAVE.has(name));
    else if (field.value === "" && (name === "id" || name === "state")) this.problem(start, `${name} is empty`, true);
    else this.words.set(name, field);
  }

  #field(start: number, keyEnd: number, value: unknown): Field | undefined {
    if (start > 0 && this.#text[start - 1] !== "\n") return undefined;
    if (!isScalar(value) || typeof value.value !== "string" || value.range == null) return undefined;
    if (value.anchor !== undefined || value.tag !== undefined) return undefined;
    const [from, to] = value.range;
    if (this.#text.slice(start, to).includes("\n")) return undefined;
    const quote = value.type === Scalar.QUOTE_DOUBLE ? '"' : value.type === Scalar.QUOTE_SINGLE ? "'" : "";
    return { value: value.value, line: this.#lineOf(start), key: start, keyEnd, from, to, quote };
  }

  #list(name: ListKey, at: number, value: unknown): void {
    const items =
      isScalar(value) && value.value === ""
        ? []
        : isSeq(value)
          ? value.items.map((i) => (isScalar(i) ? i.value : undefined))
          : [undefined];
    if (items.every((item) => typeof item === "string")) this.lists.set(name, { line: this.#lineOf(at), items });
    else this.problem(at, `${name} must be a list of names, as in [A, B]`, false);
  }
}

/** A key as people may have meant it: `Depends-On` for dependsOn. */
function flat(key: string): string {
  return key.replace(/[-_ ]/g, "").toLowerCase();
}
