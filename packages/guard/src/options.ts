/** Options of a command line in the usual style of GNU and git. */
export interface Options {
  /** Letters of short options. */
  readonly shorts: ReadonlySet<string>;
  /** Names of long options, without dashes and values. */
  readonly longs: readonly string[];
  /** Values by letter or long name. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
}

/** Options that take a value. */
export interface OptionSpec {
  /** Letters whose value is the rest of the word, or the next word. */
  readonly letters?: string;
  /** Long names whose value is the next word, unless it comes after `=`. */
  readonly names?: readonly string[];
  /** Letters whose value, if there is one, is the rest of the word. */
  readonly optional?: string;
  /** True if options end at the first operand. */
  readonly stopsAtOperand?: boolean;
}

/** Splits arguments into options and operands. */
export function readOptions(args: readonly string[], spec: OptionSpec): Options {
  const reader = new OptionReader(spec);
  let at = 0;
  while (at < args.length) {
    const arg = args[at] ?? "";
    if (arg === "--" || (spec.stopsAtOperand === true && !/^-./.test(arg))) break;
    at += reader.read(arg, args[at + 1]);
  }
  reader.operands.push(...args.slice(args[at] === "--" ? at + 1 : at));
  return reader;
}

class OptionReader implements Options {
  readonly shorts = new Set<string>();
  longs: string[] = [];
  readonly values = new Map<string, string[]>();
  readonly operands: string[] = [];
  readonly #letters: string;
  readonly #names: readonly string[];
  readonly #optional: string;

  constructor({ letters = "", names = [], optional = "" }: OptionSpec) {
    this.#letters = letters;
    this.#names = names;
    this.#optional = optional;
  }

  /** Reads a word. Returns how many words it took: two if the next one is its value. */
  read(arg: string, next: string | undefined): number {
    if (arg.startsWith("--")) return this.#readLong(arg, next);
    if (arg.startsWith("-") && arg.length > 1) return this.#readShorts(arg, next);
    this.operands.push(arg);
    return 1;
  }

  #readLong(arg: string, next: string | undefined): number {
    const at = arg.indexOf("=");
    const name = arg.slice(2, at === -1 ? undefined : at);
    // A later word takes an earlier one back.
    const undone = /^no-(.+)$/.exec(name)?.[1] ?? name;
    if (undone !== name) this.longs = this.longs.filter((long) => !long.startsWith(undone) && !undone.startsWith(long));
    if (undone !== name && "dry-run".startsWith(undone)) this.shorts.delete("n");
    this.longs.push(name);
    if (at !== -1) this.#add(name, arg.slice(at + 1));
    else if (this.#names.includes(name)) {
      this.#add(name, next);
      return 2;
    }
    return 1;
  }

  #readShorts(arg: string, next: string | undefined): number {
    for (let at = 1; at < arg.length; at++) {
      const letter = arg[at] ?? "";
      const rest = arg.slice(at + 1);
      this.shorts.add(letter);
      if (this.#letters.includes(letter)) {
        this.#add(letter, rest === "" ? next : rest.replace(/^=/, ""));
        return rest === "" ? 2 : 1;
      }
      if (this.#optional.includes(letter)) {
        if (rest !== "") this.#add(letter, rest);
        return 1;
      }
    }
    return 1;
  }

  #add(name: string, value: string | undefined): void {
    if (value !== undefined) this.values.set(name, [...(this.values.get(name) ?? []), value]);
  }
}

/** True if one of the options is given. A long one may be abbreviated, as getopt and git allow. */
export function hasOption(options: Options, ...names: readonly string[]): boolean {
  return names.some((name) =>
    name.length === 1 ? options.shorts.has(name) : options.longs.some((long) => isAbbreviation(long, name)),
  );
}

function isAbbreviation(given: string, name: string): boolean {
  return given === name || (given.length >= 2 && name.startsWith(given));
}

/** The last value of an option, by any of its names. */
export function optionValue(options: Options, ...names: readonly string[]): string | undefined {
  return names.flatMap((name) => options.values.get(name) ?? []).at(-1);
}
