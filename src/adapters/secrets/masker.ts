import type { Masker, MaskingStream } from "../../ports/secrets.ts";
import { formsOf } from "./forms.ts";
import { type Found, type Pattern, Patterns } from "./patterns.ts";

const STAR = 0x2a;
const NOTHING: Buffer = Buffer.alloc(0);
/** In the place of a mark: it has been passed on before. */
const COVERED = -1;

/** A masker that can be told secrets. */
export interface LearningMasker extends Masker {
  /** Masks this value from now on, also in streams that are open. */
  learn(name: string, value: string): void;
  /** The forms of all values that it has learnt of these secrets. */
  patternsOf(names: readonly string[]): Patterns;
}

/** Creates a masker that knows no secret yet, and costs nothing until then. */
export function createMasker(): LearningMasker {
  const known: (Pattern & { readonly name: string })[] = [];
  const seen = new Set<string>();
  const marks: Buffer[] = [];
  let patterns = new Patterns([]);
  const text = (plain: string): string => {
    if (patterns.longest === 0) return plain;
    const bytes = Buffer.from(plain);
    const found = patterns.find(bytes);
    return found.length === 0 ? plain : masked(bytes, merged(found), marks).toString();
  };
  return {
    learn(name, value) {
      const mark = marks.push(Buffer.from(`[secret ${name}]`)) - 1;
      for (const bytes of formsOf(value)) {
        const key = `${name} ${bytes.toString("latin1")}`;
        if (seen.size !== seen.add(key).size) known.push({ bytes, mark, name });
      }
      patterns = new Patterns(known);
    },
    patternsOf: (names) => new Patterns(known.filter(({ name }) => names.includes(name))),
    text,
    value: (value) => (patterns.longest === 0 ? value : (maskedValue(value, text) as typeof value)),
    stream: ({ sameLength = false } = {}) => new MaskedStream(() => patterns, sameLength ? undefined : marks),
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
function merged(found: readonly Found[]): readonly Found[] {
  const all: Found[] = [];
  for (const each of found) {
    const last = all.at(-1);
    if (last === undefined || each.from >= last.to) all.push(each);
    else if (each.to > last.to) all[all.length - 1] = { ...last, to: each.to };
  }
  return all;
}

function masked(bytes: Buffer, found: readonly Found[], marks: readonly Buffer[] | undefined): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { from, to, mark } of found) {
    parts.push(bytes.subarray(at, from), marks?.[mark] ?? Buffer.alloc(to - from, STAR));
    at = to;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}

class MaskedStream implements MaskingStream {
  readonly #patterns: () => Patterns;
  readonly #marks: readonly Buffer[] | undefined;
  /** Bytes that were not passed on yet, because they may begin a secret. */
  #held: Buffer = NOTHING;
  /** The number of held bytes whose mark has been passed on: a secret that began before them reaches into them. */
  #covered = 0;

  constructor(patterns: () => Patterns, marks: readonly Buffer[] | undefined) {
    this.#patterns = patterns;
    this.#marks = marks;
  }

  push(chunk: Buffer): Buffer {
    const patterns = this.#patterns();
    if (patterns.longest === 0) return chunk;
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const { found, beginning } = patterns.search(bytes);
    return this.#passOn(bytes, beginning, found);
  }

  end(): Buffer {
    const bytes = this.#held;
    return bytes.length === 0 ? NOTHING : this.#passOn(bytes, bytes.length, this.#patterns().find(bytes));
  }

  /** Passes on the bytes up to `until`, and holds the rest. */
  #passOn(bytes: Buffer, until: number, found: readonly Found[]): Buffer {
    const covered = this.#covered;
    const own = covered === 0 ? found : [{ from: 0, to: covered, mark: COVERED }, ...found];
    // A copy: the chunk belongs to its stream, which may use its memory again.
    this.#held = until === bytes.length ? NOTHING : Buffer.from(bytes.subarray(until));
    this.#covered = 0;
    if (own.length === 0) return until === bytes.length ? bytes : bytes.subarray(0, until);
    const parts: Buffer[] = [];
    let at = 0;
    for (const { from, to, mark } of merged(own)) {
      if (mark === COVERED && to > until) this.#covered = to - until;
      if (from >= until) break;
      parts.push(bytes.subarray(at, from), this.#mark(mark, Math.min(to, until) - from));
      at = Math.min(to, until);
      if (to > until) this.#covered = to - until;
    }
    return Buffer.concat([...parts, bytes.subarray(at, until)]);
  }

  /** One star for each byte that is passed on now, or the mark of the secret if it was not passed on before. */
  #mark(mark: number, bytes: number): Buffer {
    if (this.#marks === undefined) return Buffer.alloc(bytes, STAR);
    return this.#marks[mark] ?? NOTHING;
  }
}
