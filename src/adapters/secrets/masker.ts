import type { Masker, MaskingStream } from "@loopdash/model-gateway";
import { FormSearch, type FormsFound, type MarkedForm } from "./form-search.ts";
import { secretForms } from "./forms.ts";
import type { PatternHit } from "./patterns.ts";

const STAR = 0x2a;
const NOTHING: Buffer = Buffer.alloc(0);
/** In the place of a mark: it has been passed on before. */
const COVERED = -1;

/** A masker that can be told secrets. */
export interface LearningMasker extends Masker {
  /** Masks this value from now on, also in streams that are open. */
  learn(name: string, value: string): void;
  /** Finds the forms of all values that it has learnt of these secrets. */
  searchFor(names: readonly string[]): FormSearch;
}

/** Creates a masker that knows no secret yet, and costs nothing until then. */
export function createMasker(): LearningMasker {
  const known: (MarkedForm & { readonly name: string })[] = [];
  const seen = new Set<string>();
  const marks: Buffer[] = [];
  let search = new FormSearch([]);
  const text = (plain: string): string => {
    if (search.isEmpty) return plain;
    const bytes = Buffer.from(plain);
    const found = search.find(bytes);
    return found.length === 0 ? plain : masked(bytes, merged(found), marks).toString();
  };
  return {
    learn(name, value) {
      const mark = marks.push(Buffer.from(`[secret ${name}]`)) - 1;
      for (const form of secretForms(value)) {
        const key = `${name} ${form.isBase64} ${form.bytes.toString("latin1")}`;
        if (seen.size !== seen.add(key).size) known.push({ ...form, mark, name });
      }
      search = new FormSearch(known);
    },
    searchFor: (names) => new FormSearch(known.filter(({ name }) => names.includes(name))),
    text,
    value: (value) => (search.isEmpty ? value : (maskedValue(value, text) as typeof value)),
    stream: ({ sameLength = false } = {}) => new MaskedStream(() => search, sameLength ? undefined : marks),
  };
}

/** The same value if no text in it changes. */
function maskedValue(value: unknown, text: (plain: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) {
    const each = value.map((item: unknown) => maskedValue(item, text));
    return each.some((item, i) => item !== value[i]) ? each : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const before = Object.entries(value);
  const after = before.map(([key, item]): [string, unknown] => [text(key), maskedValue(item, text)]);
  return after.some(([key, item], i) => key !== before[i]?.[0] || item !== before[i]?.[1]) ? Object.fromEntries(after) : value;
}

/** Overlapping ones as one, with the mark of the first. Sorted by their start. */
function merged(found: readonly PatternHit[]): readonly PatternHit[] {
  const all: PatternHit[] = [];
  for (const each of found) {
    const last = all.at(-1);
    if (last === undefined || each.from >= last.to) all.push(each);
    else if (each.to > last.to) all[all.length - 1] = { ...last, to: each.to };
  }
  return all;
}

function masked(bytes: Buffer, found: readonly PatternHit[], marks: readonly Buffer[] | undefined): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { from, to, mark } of found) {
    parts.push(bytes.subarray(at, from), marks?.[mark] ?? Buffer.alloc(to - from, STAR));
    at = to;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}

class MaskedStream implements MaskingStream {
  readonly #search: () => FormSearch;
  readonly #marks: readonly Buffer[] | undefined;
  /** The last bytes, which may begin a secret. */
  #kept: Buffer = NOTHING;
  /** The number of kept bytes that have been passed on as they are. */
  #passed = 0;
  /** The number of kept bytes whose mark has been passed on: a secret that began before them reaches into them. */
  #covered = 0;

  constructor(search: () => FormSearch, marks: readonly Buffer[] | undefined) {
    this.#search = search;
    this.#marks = marks;
  }

  push(chunk: Buffer): Buffer {
    const search = this.#search();
    if (search.isEmpty) return chunk;
    const bytes = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    return this.#passOn(bytes, search.search(bytes));
  }

  end(): Buffer {
    const bytes = this.#kept;
    const { length } = bytes;
    return length === 0 ? NOTHING : this.#passOn(bytes, { ...this.#search().search(bytes), beginning: length, holdFrom: length });
  }

  /** Passes on the bytes up to `holdFrom` that were not passed on before, and keeps those from `beginning` on. */
  #passOn(bytes: Buffer, { beginning, found, holdFrom }: FormsFound): Buffer {
    const [covered, passed] = [this.#covered, this.#passed];
    const news = found.flatMap((each) => (each.to <= passed ? [] : [{ ...each, from: Math.max(each.from, passed) }]));
    const own = covered === 0 ? news : [{ from: 0, to: covered, mark: COVERED }, ...news];
    // A copy: the chunk belongs to its stream, which may use its memory again.
    this.#kept = beginning === bytes.length ? NOTHING : Buffer.from(bytes.subarray(beginning));
    // What was passed on before stays passed on, also if it may begin a secret after all.
    this.#passed = Math.max(holdFrom, passed) - beginning;
    this.#covered = 0;
    if (own.length === 0) return passed === 0 && holdFrom === bytes.length ? bytes : bytes.subarray(passed, holdFrom);
    const parts: Buffer[] = [];
    let at = passed;
    for (const { from, to, mark } of merged(own)) {
      if (mark === COVERED && to > holdFrom) this.#covered = to - holdFrom;
      if (from >= holdFrom) break;
      parts.push(bytes.subarray(at, from), this.#mark(mark, Math.min(to, holdFrom) - from));
      at = Math.min(to, holdFrom);
      if (to > holdFrom) this.#covered = to - holdFrom;
    }
    return Buffer.concat([...parts, bytes.subarray(at, holdFrom)]);
  }

  /** One star for each byte that is passed on now, or the mark of the secret if it was not passed on before. */
  #mark(mark: number, bytes: number): Buffer {
    if (this.#marks === undefined) return Buffer.alloc(bytes, STAR);
    return this.#marks[mark] ?? NOTHING;
  }
}
