import type { Call, Inspector } from "../call.ts";
import type { Places } from "../paths.ts";
import { judgeSql } from "../rules/databases.ts";
import { judgeDeletion } from "../rules/deletion.ts";
import { judgeWrite } from "../rules/protected-files.ts";
import { isSecretFile } from "../rules/secrets.ts";
import { codeKind, MARK } from "../shell/marks.ts";
import type { Scope } from "../shell/scope.ts";
import { joinedLiterals, type Literal, literalsIn, withoutLiterals } from "./code-literals.ts";

/** The options of interpreters that are followed by code: letters of short ones, names of long ones. */
const CODE_OPTIONS: Readonly<Record<string, RegExp>> = {
  python: /^-[a-zA-Z]*c$/,
  pypy: /^-[a-zA-Z]*c$/,
  node: /^(?:-[a-z]*[ep]|-pe|--eval|--print)$/,
  nodejs: /^(?:-[a-z]*[ep]|--eval|--print)$/,
  bun: /^(?:-e|-p|--eval|--print)$/,
  deno: /^eval$/,
  tsx: /^(?:-e|-p|--eval|--print)$/,
  "ts-node": /^(?:-e|-p|-pe|--eval)$/,
  perl: /^-[a-zA-Z0-9]*[eE]$/,
  ruby: /^-[a-zA-Z0-9]*e$/,
  php: /^(?:-r|--run)$/,
  lua: /^-e$/,
  luajit: /^-e$/,
  rscript: /^-e$/,
  julia: /^(?:-e|-E|--eval)$/,
  osascript: /^-e$/,
  pwsh: /^-(?:c|command)$/i,
  powershell: /^-(?:c|command)$/i,
  elixir: /^-e$/,
  groovy: /^-e$/,
  awk: /^$/,
};

/** True for programs whose arguments or stdin may be code. */
export function isInterpreter(name: string): boolean {
  return name in CODE_OPTIONS;
}

/** Judges the code that an interpreter is given as an argument, or on stdin. Script files are not read. */
export function judgeInterpreter({ name, args, stdin, scope }: Call, guard: Inspector, places: Places): void {
  const isCodeOption = CODE_OPTIONS[name];
  const codes = args.flatMap((arg, index) => {
    if (isCodeOption?.test(arg)) return args[index + 1] ?? [];
    return /^--(?:eval|print|run)=([\s\S]*)$/.exec(arg)?.[1] ?? [];
  });
  const script = args.find((arg) => !arg.startsWith("-") || arg === "-");
  const isStdin =
    codes.length === 0 && stdin !== undefined && (script === undefined || script === "-" || script === "/dev/stdin");
  for (const code of isStdin ? [stdin] : codes) judgeCode(code, { scope, guard, places });
  const made = codes.length === 0 && script !== undefined ? guard.content(script, scope) : undefined;
  if (made !== undefined) judgeCode(made, { scope, guard, places });
}

interface Around {
  readonly scope: Scope;
  readonly guard: Inspector;
  readonly places: Places;
}

/** Ways to start a program or a shell from code. */
const STARTS =
  /\b(?:system|popen\w*|exec\w*|spawn\w*|subprocess|check_output|check_call|getoutput|getstatusoutput|call|run|fork_exec|shell_exec|passthru|proc_open|pcntl_exec|Open3|sh|execa|child_process|Command|doShellScript|do shell script|qx|io\.popen|os\.execute)\b|`|%x|\$`/;
/** Ways to run code that a program makes itself. */
const MADE_CODE =
  /\b(?:exec|eval|compile|Function|system|instance_eval)\s*\(?[^;\n]*(?:b64decode|base64|atob|fromhex|unhexlify|codecs\.decode|zlib\.decompress|marshal\.loads|decode64|unpack|pack\b|urlopen|requests\.get|fetch\()/;

/** Code that prints all variables, and code that prints one with credentials. */
const PRINTS_ALL =
  /(?:print|log|dump|inspect|puts|write|stringify|echo|\bp)\b[^;\n]*(?:os\.environ|process\.env|\bENV\b|%ENV|\$_ENV|getenv\(\))(?!\s*[.[{(]|\w)/;
const PRINTS_SECRET =
  /(?:print|log|puts|echo|write)\b[^;\n]*(?:os\.environ|process\.env|\bENV|getenv)\W*\w*\W*\w*(?:TOKEN|SECRET|PASSWORD|API_KEY)/i;
/** Calls that send statements to a database. */
const QUERIES = /\b(?:execute\w*|query|exec|raw|executescript)\s*\(/;
/** Calls that run a string as code of the same language. */
const RUNS_STRING = /\b(?:exec|eval|Function|instance_eval)\s*\(?\s*["'`]/;

/** Judges code of a scripting language: what it deletes, starts, reads and prints, as far as its strings tell. */
export function judgeCode(code: string, around: Around): void {
  const { scope, guard } = around;
  const literals = literalsIn(code);
  const bare = withoutLiterals(code, literals);
  if (codeKind(code) === "unknown" || MADE_CODE.test(bare)) return guard.report("unknown-code");
  judgeDeletions(code, literals, around);
  judgeFiles(code, literals, around);
  if (STARTS.test(code)) for (const text of joinedLiterals(code, literals)) guard.maybeLine(text, scope);
  const inner = RUNS_STRING.test(bare) ? literals.filter(({ value }) => value.length < code.length - 4) : [];
  for (const { value } of inner) judgeCode(value, around);
  if (QUERIES.test(bare)) for (const { value } of literals) judgeSql(value, guard);
  if (PRINTS_ALL.test(bare)) guard.report("print-environment");
  if (PRINTS_SECRET.test(code)) guard.report("print-secret");
}

/** Calls that delete folders with all that is in them. */
const DELETES_TREE =
  /\b(?:rmtree|remove_tree|rm_rf?|rm_r|rimraf\w*|removeSync|remove_entry\w*|emptyDir\w*|secure_path|Remove-Item|deltree|unlink_tree|trash)\s*(?:\(|(?=[\s"'$]))/g;
/** Calls that delete, and are told whether with all that is in it. */
const DELETES =
  /(?:\b(?:rm|rmSync|rmdir|rmdirSync|unlink|unlinkSync|remove|removedirs|delete|rmdir_p)|\.unlink|\.rmdir|Deno\.remove\w*)\s*(?:\(|(?=\s(?:glob\s*)?["'$<]))/g;

function judgeDeletions(code: string, literals: readonly Literal[], around: Around): void {
  const calls = (pattern: RegExp): readonly RegExpExecArray[] =>
    [...code.matchAll(pattern)].filter(({ index }) => !literals.some(({ start, end }) => start <= index && index < end));
  for (const match of calls(DELETES_TREE)) judgeArguments(code, match, literals, true, around);
  for (const match of calls(DELETES)) {
    const isRecursive = /recursive["']?\s*[:=]\s*(?:true|!0|1)/i.test(code.slice(match.index, match.index + 300));
    judgeArguments(code, match, literals, isRecursive, around);
  }
}

/** Judges the paths in the arguments of a call: strings, home folders, and for whole folders also what is not known. */
function judgeArguments(
  code: string,
  match: RegExpExecArray,
  literals: readonly Literal[],
  isRecursive: boolean,
  around: Around,
): void {
  const from = match.index + match[0].length;
  const text = argumentsAt(code, from);
  const before = code.slice(Math.max(0, match.index - 80), match.index);
  const receiver = /Path\s*\(\s*(["'])([^"']*)\1\s*\)\s*$/.exec(before)?.[2];
  const inside = literals.filter(
    ({ start, end, value }) => start >= from && end <= from + text.length && !OPTION_NAMES.test(value),
  );
  const paths = [...inside.map(pathOfLiteral), ...(receiver === undefined ? [] : [receiver])];
  const isHome = HOME.test(`${before.slice(-40)}${text}`);
  if (paths.length === 0 && !isHome && isRecursive) around.guard.report("delete-unknown");
  for (const path of paths.length === 0 && isHome ? ["~"] : paths)
    judgeDeletion(inHome(path, isHome, around.scope), { ...around, isRecursive });
}

const OPTION_NAMES = /^(?:recursive|force|HOME)$/;
/** Code for the home folder. */
const HOME = /\bhome(?:dir)?\s*\(|(?:environ|env|ENV)\b\W{0,3}HOME\b|HOME["'\]]|expanduser/;

/** A path, with `~` or the code's home folder before it. */
function inHome(path: string, isHome: boolean, { home }: Scope): string {
  if (path.startsWith("~")) return `${home}${path.slice(1)}`;
  return isHome && !path.startsWith("/") ? `${home}/${path}` : path;
}

function pathOfLiteral({ value, isTemplate }: Literal): string {
  return isTemplate ? value.replace(/[$#]?\{[^}]*\}/g, MARK.unknown) : value.replaceAll("*", MARK.star);
}

/** The text up to the end of a call's arguments. */
function argumentsAt(code: string, from: number): string {
  let depth = 1;
  for (let at = from; at < code.length; at++) {
    const char = code[at];
    if (char === "(") depth++;
    else if (char === ")") depth--;
    if (depth === 0 || char === ";" || char === "\n") return code.slice(from, at);
  }
  return code.slice(from);
}

/** Judges files with credentials that code reads, and files that it writes. */
function judgeFiles(code: string, literals: readonly Literal[], { scope, guard, places }: Around): void {
  for (const { value, start, end } of literals) {
    const before = code.slice(Math.max(0, start - 60), start);
    const after = code.slice(end, end + 20);
    const path = value.startsWith("~") ? `${scope.home}${value.slice(1)}` : value;
    const writes =
      /(?:writeFile\w*|appendFile\w*|write_text|write_bytes|createWriteStream|File\.write|file_put_contents|truncate\w*|copyFile\w*|rename\w*)\s*\(?[^()]*$/.test(
        before,
      ) ||
      /^\s*,\s*["'](?:w|a|r\+|>)/.test(after) ||
      /\bopen\b[^;]*["']>{1,2}["']?\s*,?\s*$/.test(before);
    if (writes) judgeWrite(path, scope, guard, places);
    else if (
      /(?:open|read\w*|readFile\w*|Path|File\w*|slurp|load\w*|copy\w*|createReadStream|get_contents|join|expanduser)\s*\(?[^()]*$/i.test(
        before,
      ) &&
      isSecretFile(path, scope, places)
    )
      guard.report("read-secret");
  }
}
