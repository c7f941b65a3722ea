import { basename, dirname, join } from "node:path/posix";
import { jsonMembers, objectMembers } from "@loopdash/values";
import picomatch from "picomatch";
import { SCRIPT_RUNNERS, scriptRunBy } from "../compare/scripts.ts";
import { commandsIn } from "./command-words.ts";
import { FileIndex, loadedNames } from "./file-index.ts";
import type { FoundRunner } from "./find-runner.ts";
import { includedBy, recipesFor } from "./makefile.ts";
import {
  BUILDS_COMMANDS,
  ENDS_OPTIONS,
  ENDS_SHELL_OPTIONS,
  EVERYWHERE,
  EXPANDED,
  INTERPRETER,
  installScripts,
  isProgram,
  isScriptRunner,
  isShellScript,
  isSource,
  SAME_PROGRAM,
  SCRIPT_LISTS,
  type SteeringText,
  TAKES_VALUE,
  TASK_FILES,
} from "./programs.ts";
import { RUNNERS } from "./runners.ts";

/** The texts of trusted files, and all their paths. */
export interface TrustedTree {
  readonly files: readonly string[];
  readonly texts: ReadonlyMap<string, string>;
}

/** What a check's command reaches by name before code under test. */
export interface CheckDefinition {
  /** Files that count as a whole. Some may not exist: if one appears, a program finds it first. */
  readonly files: ReadonlySet<string>;
  /** The scripts that are run, by the path of their package.json. */
  readonly scripts: ReadonlyMap<string, ReadonlySet<string>>;
  /** The test runners that it starts, one after another. */
  readonly runners: readonly FoundRunner[];
  /** The words of all commands that it runs. */
  readonly words: readonly string[];
  /** The folders in which commands may run. */
  readonly folders: ReadonlySet<string>;
  /** The texts that say what runs: its own, those of scripts, and what Makefiles set. */
  readonly steering: readonly SteeringText[];
  /** Why it cannot be known for certain what runs; absent if it can. */
  readonly unclear?: string;
}

interface DefinitionOptions {
  /** True for a file of tests: the command judges by it, but it does not define the check. */
  readonly isTest: (path: string) => boolean;
  /** True for code under test, as far as trusted files load it. What a script imports is such code or part of the script. */
  readonly isCode: (path: string) => boolean;
  /** The commands that make a checkout ready before. */
  readonly prepare?: readonly (readonly string[])[] | undefined;
}

/** Levels of commands within commands, files that are followed, and characters of one. */
const MOST_LEVELS = 8;
const MOST_FILES = 300;
const MOST_CHARS = 300_000;

const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"] as const;

/** The definition of a check by its command, in trusted files alone. Pure and bounded; a text that is too long is unclear. */
export function findDefinition(command: readonly string[], tree: TrustedTree, options: DefinitionOptions): CheckDefinition {
  const search = new Search(tree, options);
  search.visit(command, 0);
  const { runners, words, unclear } = search;
  // Nothing that only makes the checkout ready runs tests.
  const all = new Search(tree, options);
  for (const each of [command, ...(options.prepare ?? [])]) all.start(each);
  const { files, scripts, steering, folders } = all;
  return { files, scripts, runners, words, steering, folders, unclear };
}

class Search {
  readonly files = new Set<string>();
  readonly scripts = new Map<string, Set<string>>();
  readonly runners: FoundRunner[] = [];
  readonly words: string[] = [];
  readonly steering: SteeringText[] = [];
  unclear: string | undefined;
  /** The folders in which a command may run, by the `cd`s before it. */
  readonly folders = new Set<string>(["."]);
  readonly #manifests = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #tree: TrustedTree;
  readonly #options: DefinitionOptions;
  readonly #index: FileIndex;

  constructor(tree: TrustedTree, options: DefinitionOptions) {
    this.#tree = tree;
    this.#options = options;
    this.#index = new FileIndex(tree.files);
  }

  start(command: readonly string[]): void {
    this.#steer("command", command.join(" "));
    this.visit(command, 0);
  }

  #steer(path: string, text: string): void {
    if (this.steering.length < MOST_FILES) this.steering.push({ path, text });
  }

  visit(command: readonly string[], level: number): void {
    if (level > MOST_LEVELS) return this.#doubt("its commands call each other too deeply");
    for (const words of commandsIn(command, { bare: false })) this.#simple(words, level);
  }

  #doubt(why: string): void {
    this.unclear ??= why;
  }

  #shell(script: string, level: number): void {
    const text = script.replace(/^[ \t]*#.*$/gm, "");
    if (text.length > MOST_CHARS) return this.#doubt("a script is too long");
    this.#steer("command", text);
    this.visit(["sh", "-c", text.replaceAll("\\\n", " ")], level + 1);
  }

  #simple(words: readonly string[], level: number): void {
    const [path = "", ...rest] = words;
    const program = path.split("/").at(-1) ?? "";
    const name = SAME_PROGRAM[program] ?? program;
    this.words.push(...words);
    if (EXPANDED.test(path) || BUILDS_COMMANDS.test(name)) this.#doubt("a command is put together while it runs");
    if (name === "cd" || name === "pushd") return this.#enter(rest[0]);
    this.#folderOption(rest);
    for (const file of TASK_FILES[name] ?? []) this.#inFolders(file, (found) => this.#take(found, level));
    if (name === "make") return this.#make(rest, level);
    const isRunner = this.#runner([program, ...rest]);
    const run = scriptRunBy(words);
    if (!isRunner && (run !== undefined || isScriptRunner(name))) return this.#scripts(words, run, level);
    this.#program(name, { path, rest, isRunner }, level);
  }

  #program(
    name: string,
    { path, rest, isRunner }: { readonly path: string; readonly rest: readonly string[]; readonly isRunner: boolean },
    level: number,
  ): void {
    if (name === "." || name === "source") this.#execute(rest[0] ?? "", level);
    else if (INTERPRETER.test(name) && (!isRunner || rest.includes("-m"))) this.#interpret(name, rest, level);
    else this.#execute(path, level);
  }

  #runner(words: readonly string[]): boolean {
    const runner = RUNNERS.find((each) => each.isStartedBy(words));
    if (runner !== undefined) this.runners.push({ runner, words });
    return runner !== undefined;
  }

  #enter(folder: string | undefined): void {
    if (folder === undefined || folder.startsWith("-")) return;
    if (EXPANDED.test(folder)) return this.#doubt("it changes to a folder that is only known when it runs");
    for (const from of [...this.folders].slice(0, 20)) this.folders.add(join(from, folder).replace(/\/$/, ""));
  }

  /** `-C`, `--prefix`, `--dir` and the like name the folder of what runs. */
  #folderOption(words: readonly string[]): void {
    words.forEach((word, i) => {
      const [, value] = /^(?:-C|--prefix|--dir|--cwd|--directory|--manifest-path|--project)(?:=(.+))?$/.exec(word) ?? [word];
      if (value !== word) this.#enter(value ?? words[i + 1]);
    });
  }

  #inFolders(name: string, use: (path: string) => void): void {
    for (const folder of this.folders) {
      const path = join(folder, name);
      if (!path.startsWith("..") && !path.startsWith("/")) use(path);
    }
  }

  #read(path: string): string | undefined {
    const text = this.#tree.texts.get(path);
    if ((text?.length ?? 0) > MOST_CHARS) this.#doubt("a file that it runs is too long");
    return text?.slice(0, MOST_CHARS);
  }

  /** Adds a file that counts as a whole, and what it runs itself. */
  #take(path: string, level: number): void {
    if (this.files.has(path)) return;
    if (this.files.size >= MOST_FILES) return this.#doubt("it runs too many files");
    this.files.add(path);
    // Installed programs are one file, and long.
    if (/(?:^|\/)\.[^/]+\//.test(path)) return;
    const text = this.#read(path);
    if (text === undefined) return this.#index.has(path) ? this.#doubt("it runs a file that cannot be read") : undefined;
    if (!isSource(path)) this.#steer(path, text);
    if (isShellScript(path, text)) return this.#shell(text.replace(/^#!.*/, ""), level);
    const { isTest, isCode } = this.#options;
    const named = isSource(path) ? this.#index.loadedBy(path, loadedNames(path, text)) : this.#namedIn(path, text);
    for (const next of named) if (!isTest(next) && !isCode(next) && isProgram(next)) this.#take(next, level + 1);
  }

  /** The files that settings name as words. */
  *#namedIn(path: string, text: string): Generator<string> {
    for (const word of new Set(text.split(/[\s"'`=:,[\](){}]+/))) {
      const name = word.replace(/^(?:\.\/)+/, "");
      for (const found of [name, join(dirname(path), name)]) if (found !== path && this.#index.has(found)) yield found;
    }
  }

  /** A word that may be the path of a program. A name without a slash is found in the folders of programs, not here. */
  #execute(word: string, level: number): void {
    if (EXPANDED.test(word)) return this.#doubt("a command is put together while it runs");
    if (!/[/.]/.test(word) || word.startsWith("/")) return;
    this.#inFolders(word, (path) => {
      if (this.#options.isTest(path)) return;
      for (const found of this.#index.has(path) ? [path] : this.#index.namedBy("x", `./${path}`)) this.#take(found, level);
      // One that the base does not have could be added.
      if (word.includes("/")) this.#take(path, level);
    });
  }

  #interpret(name: string, words: readonly string[], level: number): void {
    const isShell = /^(?:ba|da|z|k|a)?sh$/.test(name);
    const ends = isShell ? ENDS_SHELL_OPTIONS : ENDS_OPTIONS;
    const at = words.findIndex((word, i) => ends.test(word) && !TAKES_VALUE.test(words[i - 1] ?? ""));
    const [word, next = ""] = at === -1 ? [undefined] : words.slice(at);
    if (word === undefined) return isShell ? this.#doubt("a shell reads what it is given") : undefined;
    if (word === "-m") return this.#module(next, level);
    if (isShell && word.endsWith("c") && word.startsWith("-")) return this.#shell(next, level);
    if (word.startsWith("-")) return this.#doubt("it runs a program in its words");
    this.#execute(`./${word}`, level);
  }

  #module(name: string, level: number): void {
    const path = name.replaceAll(".", "/");
    for (const end of [`${path}.py`, `${path}/__main__.py`]) this.#inFolders(end, (file) => this.#take(file, level));
  }

  #scripts(words: readonly string[], run: ReturnType<typeof scriptRunBy>, level: number): void {
    const [program = "", ...rest] = words;
    const runner = program.split("/").at(-1) ?? "";
    for (const file of SCRIPT_RUNNERS[runner] ?? []) this.#inFolders(file, (path) => this.#take(path, level));
    const isEverywhere = rest.some((word) => EVERYWHERE.test(word));
    const manifests = isEverywhere ? this.#tree.files.filter((path) => basename(path) === "package.json") : [];
    this.#inFolders("package.json", (path) => manifests.push(path));
    const certain = run === undefined ? installScripts(rest) : [run.script];
    // npm builds it by itself: https://docs.npmjs.com/cli/using-npm/scripts.
    if (run === undefined && certain.length > 0) this.#inFolders("binding.gyp", (path) => this.files.add(path));
    const listed = certain.length > 0 ? [] : rest.map((word) => word.replace(/^npm:/, ""));
    for (const path of new Set(manifests))
      for (const name of [...certain, ...listed]) this.#script(path, name, level, listed.length === 0);
    if (!SCRIPT_LISTS.test(runner)) return;
    for (const command of rest.filter((word) => /\s/.test(word))) this.#shell(command, level);
  }

  #script(path: string, asked: string, level: number, isCertain: boolean): void {
    const scripts = this.#scriptsIn(path);
    const all = Object.keys(scripts);
    const isLike = /[*{]/.test(asked) ? picomatch(asked) : undefined;
    const names = isLike ? all.filter((each) => isLike(each)) : isCertain || all.includes(asked) ? [asked] : [];
    const known = this.scripts.get(path) ?? new Set<string>();
    this.scripts.set(path, known);
    if (dirname(path) !== ".") this.folders.add(dirname(path));
    for (const name of names.flatMap((each) => [`pre${each}`, each, `post${each}`])) {
      if (known.has(name)) continue;
      known.add(name);
      const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
      if (typeof script === "string") this.#shell(script, level);
    }
  }

  #scriptsIn(path: string): Readonly<Record<string, unknown>> {
    const scripts = this.#manifests.get(path) ?? objectMembers(jsonMembers(this.#read(path) ?? "")["scripts"]);
    this.#manifests.set(path, scripts);
    return scripts;
  }

  #make(words: readonly string[], level: number): void {
    const at = words.findIndex((word) => /^(?:-f|--file|--makefile)$/.test(word));
    const given = words.flatMap((word) => /^(?:-f|--file=|--makefile=)(.+)$/.exec(word)?.[1] ?? []);
    const files = at === -1 && given.length === 0 ? MAKEFILES : [...given, ...(at === -1 ? [] : [words[at + 1] ?? ""])];
    const targets = words.filter((word, i) => !/^-|=/.test(word) && words[i - 1] !== "-f" && words[i - 1] !== "-C");
    for (const file of files) this.#inFolders(file, (path) => this.#makefile(path, targets, level));
  }

  #makefile(path: string, targets: readonly string[], level: number): void {
    const isNew = !this.files.has(path);
    this.files.add(path);
    const text = this.#read(path);
    if (text === undefined) return;
    if (isNew) this.#steer(path, text.replace(/^\t.*$/gm, ""));
    for (const name of isNew ? includedBy(text) : [])
      if (EXPANDED.test(name)) this.#doubt("a Makefile includes a file that is only known when it runs");
      else this.#makefile(join(dirname(path), name), [], level);
    for (const line of recipesFor(text, targets)) this.#shell(line, level);
  }
}
