import { optionValue, readOptions } from "../options.ts";
import type { Call, Inspector, Places } from "../paths.ts";
import { judgeDeletion } from "../rules/deletion.ts";
import { MARK } from "../shell/scope.ts";

const MOST_ITEMS = 40;

/** Judges what `xargs` starts: the program with the words of stdin. Unknown words may be anything. */
export function unwrapXargs({ args, stdin, scope, before }: Call, guard: Inspector): void {
  const options = readOptions(args, {
    letters: "IJLlnPsEdaRS",
    names: ["max-lines", "max-args", "max-procs", "max-chars", "delimiter", "arg-file", "process-slot-var"],
    stopsAtOperand: true,
    optional: "ile",
  });
  const [program, ...rest] = options.operands;
  if (program === undefined) return;
  const isReplacing = ["I", "J", "i", "replace"].some((name) => options.shorts.has(name) || options.longs.includes(name));
  const replaced = optionValue(options, "I", "J", "i", "replace") || "{}";
  const items = splitItems(
    optionValue(options, "a", "arg-file") === undefined ? stdin : undefined,
    isReplacing ? /[\n\0]+/ : /[\s\0]+/,
  );
  if (/(?:^|\/)(?:rm|unlink|shred)$/.test(program) && listsUntracked(before ?? [])) guard.report("git-clean");
  if (!isReplacing) guard.words([program, ...rest, ...items], { scope, stdin: "" });
  else for (const item of items) guard.words(replaceAll([program, ...rest], replaced, item), { scope, stdin: "" });
}

/** True if a program before it in the pipe lists the files that git does not know, and one picks them. */
function listsUntracked(words: readonly string[]): boolean {
  if (!words.includes("git")) return false;
  const isListed = words.includes("ls-files") && words.some((word) => /^(?:-\w*o\w*|--others)$/.test(word));
  return isListed || (words.includes("status") && words.some((word) => /\?\?/.test(word)));
}

/** The words of stdin; those that are not known are marks, with what is known of them: `find` tells its folder. */
function splitItems(stdin: string | undefined, separator: RegExp): readonly string[] {
  const words = (stdin ?? "").split(separator).filter((word) => word !== "");
  return words.length === 0 ? [MARK.unknown] : words.slice(0, MOST_ITEMS);
}

function replaceAll(words: readonly string[], pattern: string, value: string): readonly string[] {
  return words.map((word) => word.replaceAll(pattern, () => value));
}

/** Judges what GNU `parallel` starts: shell code for each of the words after `:::`, or of the lines of stdin. */
export function unwrapParallel({ args, stdin, scope }: Call, guard: Inspector): void {
  const at = args.findIndex((arg) => /^::::?\+?$/.test(arg));
  const options = readOptions(at === -1 ? args : args.slice(0, at), {
    letters: "jaISN",
    names: [
      "jobs",
      "arg-file",
      "colsep",
      "delimiter",
      "joblog",
      "results",
      "tmpdir",
      "workdir",
      "timeout",
      "retries",
      "sshlogin",
    ],
    stopsAtOperand: true,
  });
  const isList = at !== -1 && args[at]?.startsWith("::::") === false;
  const listed = isList ? args.slice(at + 1).filter((arg) => !arg.startsWith(":::")) : [MARK.unknown];
  for (const item of at === -1 ? splitItems(stdin, /\n/) : listed.slice(0, MOST_ITEMS)) {
    const words = options.operands.map((word) => word.replace(/\{[^}\s,]*\}/g, () => item));
    const own = options.operands.some((word) => /\{[^}\s,]*\}/.test(word)) ? words : [...words, item];
    if (own.length > 1) guard.words(own, { scope, stdin: "" });
    guard.line(own.join(" "), scope, "");
  }
}

/** What a `find` finds. */
interface Found {
  readonly roots: readonly string[];
  /** True if some test leaves out the roots. */
  readonly isFiltered: boolean;
  /** The name that everything found has, as far as it is known. */
  readonly name: string;
}

/** Tests of `find` that a starting folder does not pass by being one. */
const FILTERS =
  /^-(?:i?name|i?path|i?wholename|i?regex|mindepth|empty|[acm](?:time|min)|newer\w*|size|user|group|perm|links|lname|nouser|nogroup)$/;

/** Judges `find`: what it deletes, and what it starts for the paths that it finds. Returns its output. */
export function unwrapFind({ args, scope }: Call, guard: Inspector, places: Places): string {
  const from = args.findIndex((arg) => /^(?:-[a-zA-Z]{2,}|[(!])/.test(arg) && !/^-(?:O\d|D)$/.test(arg));
  const tests = from === -1 ? [] : args.slice(from);
  const named = (from === -1 ? args : args.slice(0, from)).filter((arg) => !/^-[HLPOD]/.test(arg));
  const roots = named.length === 0 ? ["."] : named;
  const paths = foundPaths({ roots, isFiltered: isFiltered(tests), name: foundFileName(tests) });
  if (deletes(tests)) for (const path of paths) judgeDeletion(path, { scope, guard, places, isRecursive: true });
  for (const program of programsIn(tests))
    for (const path of paths) guard.words(replaceAll(program, "{}", path), { scope, stdin: undefined });
  return roots.map((root) => `${root}/${MARK.unknown}\n`).join("");
}

/** True if `-delete` is one of the actions, and no argument of a program. */
function deletes(tests: readonly string[]): boolean {
  const started = programsIn(tests).flat();
  return tests.filter((test) => test === "-delete").length > started.filter((word) => word === "-delete").length;
}

/** The programs that a `find` starts, with their arguments. */
function programsIn(tests: readonly string[]): readonly (readonly string[])[] {
  return tests.flatMap((test, at) => {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(test)) return [];
    const rest = tests.slice(at + 1);
    const end = rest.findIndex((word, index) => word === ";" || (word === "+" && rest[index - 1] === "{}"));
    return [end === -1 ? rest : rest.slice(0, end)];
  });
}

/** True if a test leaves out something. A type alone does not, and a test that is negated leaves in almost everything. */
function isFiltered(tests: readonly string[]): boolean {
  return tests.some((test, index) => {
    const isNegated = tests[index - 1] === "!" || tests[index - 1] === "-not";
    return FILTERS.test(test) && !isNegated && !/^[*./]+$/.test(tests[index + 1] ?? "");
  });
}

function foundFileName(tests: readonly string[]): string {
  const at = tests.findIndex((test) => /^-i?name$/.test(test));
  const name = tests[at + 1] ?? "";
  const isNegated = tests[at - 1] === "!" || tests[at - 1] === "-not";
  return at === -1 || isNegated || name === "" ? "found" : name.replace(/[*?[\]]/g, "x");
}

function foundPaths({ roots, isFiltered: hasFilter, name }: Found): readonly string[] {
  return hasFilter ? roots.map((root) => `${root}/${name}`) : roots;
}

/** Judges what `fd` starts for each of the paths that it finds. */
export function unwrapFd({ args, scope }: Call, guard: Inspector): void {
  const at = args.findIndex((arg) => /^(?:-[xX]|--exec|--exec-batch)$/.test(arg));
  if (at === -1) return;
  const program = args.slice(at + 1).filter((arg) => arg !== ";");
  const words = program.some((word) => word.includes("{"))
    ? program.map((word) => word.replace(/\{[/.]*\}/g, () => MARK.unknown))
    : [...program, MARK.unknown];
  guard.words(words, { scope, stdin: undefined });
}
