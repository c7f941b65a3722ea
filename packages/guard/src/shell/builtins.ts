import { readOptions } from "../options.ts";
import { absolutePath, type Call, type Inspector, normalPath } from "../paths.ts";
import { judgeEnvironment } from "../rules/secrets.ts";
import { splitWords } from "./expand.ts";
import { printf } from "./outputs.ts";
import { variable } from "./parameters.ts";
import { codeKind, isExact, isUnknown, MARK, UNTRACKED, unknownAt } from "./scope.ts";

/** A builtin of the shell: it changes the scope of the call. Returns its output; undefined if the call is judged as a program. */
type Builtin = (call: Call, guard: Inspector) => string | undefined;

/** Lines that `mapfile` keeps. */
const MOST_LINES = 40;

/** Builtins by name. The text of `eval`, `source` and `trap` is run by `runHere`, in the scope of the call. */
export function builtins(runHere: (text: string, call: Call) => string): Readonly<Record<string, Builtin>> {
  const evaluate = (text: string, call: Call, guard: Inspector): string => {
    const kind = codeKind(text);
    if (kind === "text") return runHere(text, call);
    if (kind === "unknown") guard.report("unknown-code");
    return MARK.output;
  };
  const source: Builtin = (call, guard) => {
    const file = call.args[0] ?? "";
    const isStdin = /^(?:\/dev\/stdin|\/dev\/fd\/0)$/.test(file);
    const made = isStdin ? call.stdin : guard.content(file, call.scope);
    return made === undefined ? undefined : evaluate(made, isStdin ? { ...call, stdin: undefined } : call, guard);
  };
  return {
    cd: changeFolder,
    pushd: changeFolder,
    popd: ({ scope }) => {
      scope.cwd = undefined;
      return "";
    },
    export: declare,
    declare,
    typeset: declare,
    local: declare,
    readonly: declare,
    unset: ({ args, scope }) => {
      for (const name of args) {
        scope.variables.delete(name);
        scope.functions.delete(name);
      }
      return "";
    },
    set: setOptions,
    shift: ({ args, scope }) => {
      scope.positional = scope.positional?.slice(Number(args[0] ?? "1"));
      return "";
    },
    alias: ({ args, scope }) => {
      for (const arg of args) {
        const at = arg.indexOf("=");
        if (at > 0) scope.aliases.set(arg.slice(0, at), arg.slice(at + 1));
      }
      return "";
    },
    read,
    mapfile: readLines,
    readarray: readLines,
    eval: (call, guard) => evaluate(call.args.join(" "), call, guard),
    source,
    ".": source,
    trap: (call) => {
      const code = call.args.filter((arg) => arg !== "--");
      // Words of which nothing is known may well be a clean-up.
      return code.length > 1 && codeKind(code[0] ?? "") === "text" ? runHere(code[0] ?? "", call) : "";
    },
    printf: ({ args, scope }) => {
      if (args[0] !== "-v" || args[1] === undefined) return undefined;
      scope.variables.set(args[1], printf(args.slice(2)) ?? MARK.unknown);
      return "";
    },
  };
}

function changeFolder({ args, scope }: Call): string {
  const target = args.find((arg) => arg === "-" || !arg.startsWith("-"));
  const before = scope.ifCdFails ?? scope.cwd;
  const isSure = target === undefined || scope.stopsAtErrors === true || /^(?:-|\.\.?(?:\/\.\.)*|~|\/|\/tmp)$/.test(target);
  const isMade = target !== undefined && scope.made.has(absolutePath(`${target}/`, scope) ?? "");
  scope.ifCdFails = isSure || isMade || scope.isElsewhere ? undefined : before;
  scope.cwd = target === "-" ? undefined : target === undefined ? scope.home : folderAt(target, scope);
  if (scope.isElsewhere && target?.startsWith("/") !== true) scope.cwd = undefined;
  return "";
}

function folderAt(target: string, scope: Call["scope"]): string | undefined {
  if (isUnknown(target)) return undefined;
  const path = absolutePath(`${target}/`, scope);
  // PATH_MAX of Linux: no shell is in such a folder.
  return path === undefined || path.length > 4_096 ? undefined : normalPath(path);
}

function declare(call: Call, guard: Inspector): string {
  const { name, args, scope } = call;
  const words = args.filter((arg) => !arg.startsWith("-"));
  const prints = words.length === 0 && (args.length === 0 || args.some((arg) => /^-[a-z]*[px]/.test(arg)));
  if (prints && name !== "local" && name !== "readonly") judgeEnvironment(call.reader, guard);
  for (const word of words) {
    const at = word.indexOf("=");
    if (at > 0) scope.variables.set(word.slice(0, at).replace(/\+$/, ""), word.slice(at + 1));
  }
  return "";
}

function setOptions(call: Call, guard: Inspector): string {
  const { args, scope } = call;
  if (args.length === 0) judgeEnvironment(call.reader, guard);
  if (args.some((arg, index) => /^-[a-z]*e/.test(arg) || (arg === "errexit" && args[index - 1] === "-o")))
    scope.stopsAtErrors = true;
  const dashes = args.indexOf("--");
  if (dashes !== -1) scope.positional = args.slice(dashes + 1);
  else if (args.length > 0 && !/^[-+]/.test(args[0] ?? "")) scope.positional = args;
  return "";
}

function read({ args, stdin, scope }: Call): string {
  const options = readOptions(args, { letters: "adinNptu" });
  const array = options.values.get("a")?.[0];
  const line = stdin === undefined || stdin === "" ? MARK.unknown : (stdin.split("\n")[0] ?? "");
  const separators = variable("IFS", scope);
  const words = isUnknown(line) ? [unknownField(line)] : splitFields(line, typeof separators === "string" ? separators : " \t\n");
  if (array !== undefined) scope.variables.set(array, words);
  const names = options.operands.length === 0 ? ["REPLY"] : options.operands;
  for (const [index, name] of names.entries()) scope.variables.set(name, readField(words, index, index === names.length - 1));
  return "";
}

/** The fields of a line: white space between them counts once, and not at the ends. */
function splitFields(line: string, separators: string): readonly string[] {
  if (separators === "") return [line];
  if (!isExact(separators)) return [MARK.unknown];
  const isSpace = /^\s*$/.test(separators);
  const fields = splitWords(line, separators);
  return isSpace ? fields.filter((field) => field !== "") : fields;
}

/** What is known of a line that begins with something known: what `find` and the like tell of their names. */
function unknownField(line: string): string {
  if (line.includes(UNTRACKED)) return UNTRACKED;
  return unknownAt(line.trim()) > 0 && !/\s/.test(line.trim()) ? line.trim() : MARK.unknown;
}

/** What `read` gives to a variable: a word, or to the last one all that is left. */
function readField(words: readonly string[], index: number, isLast: boolean): string {
  if (words[0] !== undefined && isUnknown(words[0])) return words[0];
  return isLast ? words.slice(index).join(" ") : (words[index] ?? "");
}

function readLines({ args, stdin, scope }: Call): string {
  const name = args.filter((arg) => !arg.startsWith("-")).at(-1);
  const lines = (stdin ?? "").split("\n").filter((line) => line !== "");
  const isOfFile = lines.length === 0 || lines.some((line) => line.includes(MARK.file));
  scope.variables.set(name ?? "MAPFILE", isOfFile ? [MARK.unknown] : lines.slice(0, MOST_LINES));
  return "";
}
