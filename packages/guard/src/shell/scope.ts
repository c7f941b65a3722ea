import type { Function as FunctionNode } from "unbash";
import type { GuardContext } from "../verdict.ts";

/** What a command line knows of its shell: variables, functions, folder. Commands change it as the line goes on. */
export interface ShellScope {
  readonly variables: Map<string, string | readonly string[]>;
  readonly functions: Map<string, FunctionNode>;
  readonly aliases: Map<string, string>;
  /** `$1` and so on; undefined if they come from outside the line. */
  positional: readonly string[] | undefined;
  /** The current folder; undefined if it cannot be known. */
  cwd: string | undefined;
  /** The branch of the repository in the current folder; undefined if it cannot be known. */
  branch?: string | undefined;
  /** The folder that the shell is still in if the last `cd` fails and the line goes on; undefined if it would not. */
  ifCdFails?: string | undefined;
  /** True after `set -e`. */
  stopsAtErrors?: boolean;
  readonly home: string;
  /** Folders that the line makes. */
  readonly made: Set<string>;
  /** True on another machine or in a container: no path is in the worktree. */
  readonly isElsewhere: boolean;
  /** What the line makes by links, moves and mounts. All scopes of a machine share it, as they share its files. */
  readonly origins: Map<string, PathOrigin>;
  /** The folders of this machine in a container that is made for the command; undefined elsewhere. */
  readonly mounts?: readonly ContainerMount[];
}

/** Where a path that the line makes leads to. */
export interface PathOrigin {
  /** An absolute path. */
  readonly path: string;
  /** True for a symbolic link: its deletion leaves alone what it leads to. */
  readonly isLink: boolean;
}

/** A folder of this machine, or a volume, in a container. */
export interface ContainerMount {
  /** The absolute path in the container. */
  readonly target: string;
  /** The absolute path on this machine. Undefined for a volume, and for a path that cannot be known. */
  readonly source: string | undefined;
}

/** The scope at the start of a line. */
export function firstScope({
  cwd,
  home,
  branch,
  temp = "/tmp",
}: Pick<GuardContext, "cwd" | "home" | "branch" | "temp">): ShellScope {
  const variables = new Map<string, string>([
    ["HOME", home],
    ["TMPDIR", temp],
    ["IFS", " \t\n"],
  ]);
  return {
    variables,
    functions: new Map(),
    aliases: new Map(),
    positional: undefined,
    cwd,
    branch,
    home,
    isElsewhere: false,
    origins: new Map(),
    made: new Set(),
  };
}

/** A copy, as a subshell has it. */
export function copyScope(scope: ShellScope, changes: Partial<ShellScope> = {}): ShellScope {
  return {
    ...scope,
    variables: new Map(scope.variables),
    functions: new Map(scope.functions),
    aliases: new Map(scope.aliases),
    ...changes,
  };
}

/** The scope of another machine or of a container. */
export function elsewhere(scope: ShellScope): ShellScope {
  const { mounts: _, branch: __, ...own } = copyScope(scope);
  return { ...own, cwd: undefined, ifCdFails: undefined, isElsewhere: true, origins: new Map(), made: new Set() };
}

/** The scope of a container that is made for a command, and has only these folders of the machine. */
export function inContainer(scope: ShellScope, mounts: readonly ContainerMount[], cwd: string | undefined): ShellScope {
  return { ...elsewhere(scope), cwd, mounts };
}

/** The scope with variables that only this command gets. Builtins that change the shell keep the shell's own. */
export function withOwn(scope: ShellScope, own: ReadonlyMap<string, string>, words: readonly string[]): ShellScope {
  if (own.size === 0 || words[0] === "cd" || words[0] === "export") return scope;
  const copy = copyScope(scope);
  for (const [name, value] of own) copy.variables.set(name, value);
  return copy;
}

/** Takes over the variables that `IFS=: read a b` sets, but not those that only it was given. */
export function takeRead(scope: ShellScope, inner: ShellScope, own: ReadonlyMap<string, string>, words: readonly string[]): void {
  if (inner === scope || !/^(?:read|mapfile|readarray)$/.test(words[0] ?? "")) return;
  for (const [name, value] of inner.variables) if (!own.has(name)) scope.variables.set(name, value);
}

/** Takes over what a branch that may not have run has changed: a difference is unknown afterwards. */
export function mergeBranches(scope: ShellScope, branches: readonly ShellScope[]): void {
  const names = new Set(branches.flatMap((branch) => [...branch.variables.keys()]));
  for (const name of names) {
    const [first, ...others] = branches.map((branch) => branch.variables.get(name));
    const isSame = others.every((other) => String(other) === String(first));
    if (first !== undefined && isSame) scope.variables.set(name, first);
    else scope.variables.set(name, unknownValue(name));
  }
  for (const branch of branches) {
    for (const [name, body] of branch.functions) scope.functions.set(name, body);
    for (const [name, text] of branch.aliases) scope.aliases.set(name, text);
  }
  const [cwd] = branches.map((branch) => branch.cwd);
  scope.cwd = branches.every((branch) => branch.cwd === cwd) ? cwd : undefined;
}

/** Variables whose values are credentials, by their names. */
const SECRET_NAME =
  /(?:^|_)(?:TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASSPHRASE|APIKEY|API_KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|CREDENTIALS?|PAT)(?:_ID|_KEY|_BASE64)?$|^PGPASSWORD$/i;

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !/_ID$/i.test(name);
}

/** The mark for a variable that the line does not set. */
export function unknownValue(name: string): string {
  return isSecretName(name) ? MARK.secret : MARK.unknown;
}

/**
 * Marks that stand in expanded words for what cannot be known. They are characters of Unicode's private use area, so that words
 * stay plain strings. A command line that contains one of them means the mark: it is judged as unknown.
 */
export const MARK = {
  /** The value of a variable that the line does not set. */
  unknown: "\uE000",
  /** `*`, or a pattern that can be of any length. */
  star: "\uE001",
  /** `?` or a set in brackets: one character. */
  any: "\uE002",
  /** The value of a variable whose name says that it is a secret. */
  secret: "\uE003",
  /** The output of a command that the guard cannot work out. */
  output: "\uE004",
  /** The content of a file. As code it counts as a script, which the guard does not read. */
  file: "\uE005",
} as const;

/** The output of a command that lists files of the worktree that git does not know. */
export const UNTRACKED = `${MARK.output}/untracked`;

const UNKNOWN = /[\uE000\uE003-\uE005]/;
const GLOB = /[\uE001\uE002]/;
const MARKS = /[\uE000-\uE005]/;

/** True if a part of the word cannot be known. */
export function isUnknown(word: string): boolean {
  return UNKNOWN.test(word);
}

/** True if the word is a pattern for names of files. */
export function isGlob(word: string): boolean {
  return GLOB.test(word);
}

/** True if the word is exactly what the program will get. */
export function isExact(word: string): boolean {
  return !MARKS.test(word);
}

/** The index of the first part that cannot be known, or -1. */
export function unknownAt(word: string): number {
  return word.search(UNKNOWN);
}

/** Judges text as code: `unknown` if nothing of it can be known, `script` if all of it is in files. */
export function codeKind(text: string): "unknown" | "script" | "text" {
  if (!isUnknown(text) || !/^[\s\uE000-\uE005]+$/.test(text)) return "text";
  return /[\uE000\uE003\uE004]/.test(text) ? "unknown" : "script";
}
