import type { Call } from "../paths.ts";
import { MARK } from "./scope.ts";

/** What a word may begin with to mean something else than a name: a refspec that deletes or forces, or an option. */
const PREFIX = /^(?:\s*)((?:--delete\s|[:+-])[^\s%&\\$({]*)/;
/** A substitution of `sed` that changes the start of each line. */
const SUBSTITUTION = /^\s*s(.)((?:\^|\.\*|\\?\(|(?:remotes\/)?origin)(?:(?!\1)[^\\]|\\.)*|)\1((?:(?!\1)[^\\]|\\.)*)\1[gI]*\s*$/s;

/**
 * The output of a program that puts a known prefix before each name that it lists: `git for-each-ref --format=':%(refname)'`.
 * Only prefixes that change what the name does are told; undefined if there is none.
 */
export function prefixedOutput({ name, args }: Pick<Call, "name" | "args">): string | undefined {
  const prefix = PREFIXES[name]?.(args).find((text) => text !== undefined);
  return prefix === undefined ? undefined : `${prefix}${MARK.output}\n`;
}

const PREFIXES: Readonly<Record<string, (args: readonly string[]) => readonly (string | undefined)[]>> = {
  git: (args) => formatOptionValues(args).map(matchPrefix),
  gh: (args) => separateOptionValues(args, /^(?:-q|--jq)$/).map(prefixInCode),
  sed: (args) => args.map((arg) => matchPrefix(SUBSTITUTION.exec(arg)?.[3] ?? "")),
  awk: (args) => args.map(prefixInCode),
  gawk: (args) => args.map(prefixInCode),
  mawk: (args) => args.map(prefixInCode),
  jq: (args) => args.map(prefixInCode),
  perl: (args) => args.map(prefixInCode),
};

function formatOptionValues(args: readonly string[]): readonly string[] {
  const attached = args.flatMap((arg) => /^--(?:format|pretty)=(?:t?format:)?(.*)$/s.exec(arg)?.[1] ?? []);
  return [...attached, ...separateOptionValues(args, /^--format$/)];
}

function separateOptionValues(args: readonly string[], option: RegExp): readonly string[] {
  return args.flatMap((arg, index) => (option.test(args[index - 1] ?? "") ? arg : []));
}

function matchPrefix(text: string): string | undefined {
  return PREFIX.exec(text)?.[1];
}

/** The prefix in code that prints a string and a name: `print ":" $1`, `":" + .name`, `":\(.name)"`. */
function prefixInCode(code: string): string | undefined {
  return matchPrefix(/(?:\bprintf?\s*\(?|\||^|\.)\s*"((?:[^"\\]|\\.)*)"/.exec(code)?.[1] ?? "");
}
