/** A part of a regular expression. */
type Node =
  | { readonly is: "one"; readonly accepts: (char: string) => boolean }
  | { readonly is: "sequence" | "choice"; readonly parts: readonly Node[] }
  | { readonly is: "repeat"; readonly part: Node; readonly min: number; readonly max: number; readonly lazy: boolean }
  | { readonly is: "look"; readonly part: Node; readonly negative: boolean }
  | { readonly is: "start" | "end" | "edge" };

/** Parses the syntax that the triage's patterns use. Throws on any other, so that no pattern is left out unseen. */
export function parseRegex({ source, flags }: RegExp): Node {
  const parser = new Parser(source, flags.replace(/[gy]/g, ""));
  const node = parser.choice();
  if (!parser.isAtEnd()) throw new Error(`not understood: ${source} at ${parser.at}`);
  return node;
}

class Parser {
  at = 0;
  readonly #source: string;
  readonly #flags: string;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  isAtEnd(): boolean {
    return this.at >= this.#source.length;
  }

  choice(): Node {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { is: "choice", parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (!this.isAtEnd() && !/[|)]/.test(this.#source[this.at] ?? "")) parts.push(this.#repeated(this.#atom()));
    return { is: "sequence", parts };
  }

  #repeated(part: Node): Node {
    const rest = this.#source.slice(this.at);
    const [text, sign, min, comma, max] = /^(?:([*+?])|\{(\d+)(,)?(\d+)?\})/.exec(rest) ?? [];
    if (text === undefined) return part;
    this.at += text.length;
    const bounds = { "*": [0, Number.POSITIVE_INFINITY], "+": [1, Number.POSITIVE_INFINITY], "?": [0, 1] }[sign ?? ""];
    const least = bounds?.[0] ?? Number(min);
    const most = bounds?.[1] ?? (max === undefined ? (comma === undefined ? least : Number.POSITIVE_INFINITY) : Number(max));
    return { is: "repeat", part, min: least, max: most, lazy: this.#take("?") };
  }

  #atom(): Node {
    const rest = this.#source.slice(this.at);
    const open = /^\((?:\?(?::|=|!|<\w+>))?/.exec(rest)?.[0];
    if (open !== undefined) {
      this.at += open.length;
      const part = this.choice();
      if (!this.#take(")")) throw new Error(`no bracket: ${this.#source}`);
      return open === "(?=" || open === "(?!" ? { is: "look", part, negative: open === "(?!" } : part;
    }
    if (this.#take("^")) return { is: "start" };
    if (this.#take("$")) return { is: "end" };
    if (this.#take("\\b")) return { is: "edge" };
    const text = /^(?:\[(?:\\.|[^\]\\])*\]|\\p\{\w+\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[^1-9kBpPux]|[^\\[\]{}()*+?^$|])/iu.exec(
      rest,
    )?.[0];
    if (text === undefined) throw new Error(`not understood: ${this.#source} at ${this.at}`);
    this.at += text.length;
    const one = new RegExp(`^${text}$`, this.#flags);
    return { is: "one", accepts: (char) => one.test(char) };
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }
}

/** Steps after which a search is given up. */
const MOST_STEPS = 200_000;

/** The steps of a backtracking search for the first match, from every start, or only from the first if `isAnchored`. */
export function stepsOf(node: Node, text: string, isAnchored: boolean): number {
  let steps = 0;
  const match = (part: Node, at: number, then: (at: number) => boolean): boolean => {
    steps += 1;
    if (steps > MOST_STEPS) return true;
    switch (part.is) {
      case "one":
        return at < text.length && part.accepts(text[at] ?? "") && then(at + 1);
      case "sequence": {
        const from = (n: number, here: number): boolean => {
          const next = part.parts[n];
          return next === undefined ? then(here) : match(next, here, (end) => from(n + 1, end));
        };
        return from(0, at);
      }
      case "choice":
        return part.parts.some((each) => match(each, at, then));
      case "repeat": {
        const again = (n: number, here: number): boolean => {
          const more = () => n < part.max && match(part.part, here, (end) => (end > here || n < part.min) && again(n + 1, end));
          const enough = () => n >= part.min && then(here);
          return part.lazy ? enough() || more() : more() || enough();
        };
        return again(0, at);
      }
      case "look":
        return match(part.part, at, () => true) !== part.negative && then(at);
      case "start":
        return at === 0 && then(at);
      case "end":
        return at === text.length && then(at);
      case "edge":
        return /\w/.test(text[at - 1] ?? "") !== /\w/.test(text[at] ?? "") && then(at);
    }
  };
  const starts = isAnchored ? 1 : text.length + 1;
  for (let start = 0; start < starts; start += 1) if (match(node, start, () => true)) break;
  return steps;
}

/** Characters to make attacks of, in different orders: which one a part is given decides what its neighbours can take as well. */
const PREFERENCES = ["a0 :/_.-=", "0a :/_.-=", " a0:/_.-=", "/a0 :_.-=", ":a0 /_.-=", "_a0 :/.-=", "=a0 :/_.-", "-a0 :/_.="];
const OTHERS = "(),'\"`#%@<>|[]{}&;!?*+~^$\\━✖×▶❯EeFTSBCDGHIJKLMNOPQRUVWXYZbcdfghijklmnopqrstuvwxyz123456789\t\n";

/** Texts that begin as a pattern wants, repeat each of its parts as often as the length allows, and then end otherwise. */
export function attacksOn(node: Node, length: number): readonly string[] {
  const repeats: Node[] = [];
  const collect = (part: Node): void => {
    if (part.is === "repeat") repeats.push(part);
    if ("parts" in part) part.parts.forEach(collect);
    if ("part" in part) collect(part.part);
  };
  collect(node);
  const all = new Set<string>();
  for (const preference of PREFERENCES) {
    const made = (pumped: ReadonlySet<Node>, branch: number) => {
      const each = Math.max(1, Math.floor(length / Math.max(1, pumped.size)));
      return `${sample(node, { pumped, each, chars: preference + OTHERS, branch })}`.slice(0, length);
    };
    const sets = [new Set(repeats), ...repeats.map((one) => new Set([one]))];
    for (const [n] of repeats.entries()) sets.push(new Set(repeats.slice(n, n + 2)), new Set(repeats.slice(n, n + 3)));
    for (const pumped of sets) {
      for (const branch of [0, 1, 2]) {
        const text = made(pumped, branch);
        for (const end of ["", "\u0001", "  ", "\n"]) all.add(text + end);
      }
    }
    const [first = ""] = preference;
    all.add(first.repeat(length));
    // The beginning of a match again and again, which each begins another search for the end.
    for (const head of headsOf(node)) {
      const text = sample(head, { pumped: new Set(), each: 0, chars: preference + OTHERS, branch: 0 });
      if (text !== "") all.add(text.repeat(Math.ceil(length / text.length)).slice(0, length));
    }
  }
  return [...all];
}

/** The beginnings of all sequences. */
function headsOf(node: Node): readonly Node[] {
  if ("part" in node) return headsOf(node.part);
  if (!("parts" in node)) return [];
  const own =
    node.is === "sequence" ? node.parts.map((_, n) => ({ is: "sequence" as const, parts: node.parts.slice(0, n) })) : [];
  return [...own, ...node.parts.flatMap(headsOf)];
}

interface Sampling {
  readonly pumped: ReadonlySet<Node>;
  readonly each: number;
  readonly chars: string;
  readonly branch: number;
}

function sample(node: Node, options: Sampling): string {
  switch (node.is) {
    case "one":
      return [...options.chars].find(node.accepts) ?? "";
    case "sequence":
      return node.parts.map((part) => sample(part, options)).join("");
    case "choice":
      return sample(node.parts[options.branch % node.parts.length] ?? { is: "end" }, options);
    case "repeat":
      return sample(node.part, options).repeat(
        options.pumped.has(node) ? Math.max(node.min, Math.min(node.max, options.each)) : node.min,
      );
    default:
      return "";
  }
}
