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
    const [name, own] = splitOption(word);
    const value = own ?? rest.next().value;
    if (value === undefined || !isHarmless(value, name, valued)) return undefined;
    values.push([name, value]);
  }
  return { values, words };
}

/** The name of an option, and the value in the same word. */
function splitOption(word: string): readonly [name: string, value?: string] {
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

export function parentFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The files that an installer reads and writes, as far as its command line says. */
export interface InstallerCall {
  /** Files of the checkout that it names as lists of packages. They are inputs. */
  readonly requirementFiles?: readonly string[];
  /** Folders that it writes. If the commit has files there, it may read them. */
  readonly outputFolders?: readonly string[];
  /** True if it loads modules from the checkout before its own (`python3 -m`). */
  readonly loadsModules?: boolean;
  /** True if it runs no scripts of packages. */
  readonly runsNoScripts?: boolean;
  /** True if it installs the same on any day: nothing of an index, or by hashes alone. */
  readonly isLocked?: boolean;
}

/** A package manager: the files that it reads, and when it reads no others. */
export interface Installer {
  /** Basenames, as glob patterns. They are inputs wherever they lie: workspaces have them in their folders. */
  readonly names: readonly string[];
  /** Paths below folders of these names are inputs too. */
  readonly folders?: readonly string[];
  /** Other programs that it starts. */
  readonly programs: readonly string[];
  /** Parses a command line; undefined if it may read other files, or run something else. */
  readonly parse: (args: readonly string[]) => InstallerCall | undefined;
  /** Without one of these names among the inputs, the result depends on what the registry has that day. */
  readonly lockfiles?: readonly string[];
  /** True if it leaves a list of what it has installed, install scripts included, also without a lockfile. */
  readonly listsScripts?: boolean;
  /** The reason why the inputs may make this installer read or run more; undefined if they do not. See also `manifestTrouble`. */
  readonly trouble?: (inputs: InputTexts, call: InstallerCall) => string | undefined;
}

/** The inputs of a commit, and their texts as far as they could be read. */
export interface InputTexts {
  readonly paths: readonly string[];
  readonly text: (path: string) => string | undefined;
}

/** A file of a commit. `link` stands for symbolic links and submodules. */
export interface InputFile {
  readonly path: string;
  readonly kind: "file" | "link";
}
