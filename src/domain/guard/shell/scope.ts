import type { Function as FunctionNode } from "unbash";
import { MARK } from "./marks.ts";

/** What a command line knows of its shell: variables, functions, folder. Commands change it as the line goes on. */
export interface Scope {
  readonly variables: Map<string, string | readonly string[]>;
  readonly functions: Map<string, FunctionNode>;
  readonly aliases: Map<string, string>;
  /** `$1` and so on; undefined if they come from outside the line. */
  positional: readonly string[] | undefined;
  /** The current folder; undefined if it cannot be known. */
  cwd: string | undefined;
  readonly home: string;
  /** True on another machine or in a container: no path is in the worktree. */
  readonly isElsewhere: boolean;
}

/** The scope at the start of a line. */
export function firstScope({ cwd, home, temp = "/tmp" }: { cwd: string; home: string; temp?: string }): Scope {
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
    home,
    isElsewhere: false,
  };
}

/** A copy, as a subshell has it. */
export function copyOf(scope: Scope, changes: Partial<Scope> = {}): Scope {
  return {
    ...scope,
    variables: new Map(scope.variables),
    functions: new Map(scope.functions),
    aliases: new Map(scope.aliases),
    ...changes,
  };
}

/** The scope of another machine or of a container. */
export function elsewhere(scope: Scope): Scope {
  return { ...copyOf(scope), cwd: undefined, isElsewhere: true };
}

/** Takes over what a branch that may not have run has changed: a difference is unknown afterwards. */
export function mergeBranches(scope: Scope, branches: readonly Scope[]): void {
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
