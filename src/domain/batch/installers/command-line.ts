/** Options of a command line that name no file and have nothing else run. */
export interface HarmlessOptions {
  /** Whole words, such as `--quiet` or `--omit=dev`. */
  readonly flags: RegExp;
  /** Options with a value, `--name value` or `--name=value`, by the values that are harmless. */
  readonly valued?: Readonly<Record<string, RegExp>>;
}

/** The parts of a command line besides its flags. */
export interface CommandLine {
  readonly values: readonly (readonly [option: string, value: string])[];
  readonly words: readonly string[];
}

/** Takes a command line apart; undefined if it has any other option, or another value. */
export function readCommandLine(args: readonly string[], { flags, valued = {} }: HarmlessOptions): CommandLine | undefined {
  const values: [string, string][] = [];
  const words: string[] = [];
  const rest = args[Symbol.iterator]();
  for (const word of rest) {
    if (!word.startsWith("-")) words.push(word);
    if (!word.startsWith("-") || flags.test(word)) continue;
    const [name, own] = optionOf(word);
    const value = own ?? rest.next().value;
    if (value === undefined || !isHarmless(value, name, valued)) return undefined;
    values.push([name, value]);
  }
  return { values, words };
}

/** The name of an option, and the value in the same word. */
function optionOf(word: string): readonly [name: string, value?: string] {
  const equals = word.startsWith("--") ? word.indexOf("=") : -1;
  return equals < 0 ? [word] : [word.slice(0, equals), word.slice(equals + 1)];
}

function isHarmless(value: string, name: string, valued: NonNullable<HarmlessOptions["valued"]>): boolean {
  return Object.hasOwn(valued, name) && valued[name]?.test(value) === true;
}

/** A path within the checkout in its shortest form, from the folder `from`; undefined if it leads out of it or is the checkout. */
export function pathWithin(path: string, from = ""): string | undefined {
  if (path.startsWith("/") || path.includes("\\") || path.includes(":")) return undefined;
  const parts: string[] = [];
  for (const part of [...from.split("/"), ...path.split("/")]) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.length === 0 ? undefined : parts.join("/");
}

export function isAtOrBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
