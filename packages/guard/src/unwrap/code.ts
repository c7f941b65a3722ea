import { absolutePath, type Inspector, type Places } from "../paths.ts";
import { judgeSql } from "../rules/databases.ts";
import { judgeDeletion, judgeEmptying, judgeWrite } from "../rules/deletion.ts";
import { judgeDeletingCode } from "../rules/http.ts";
import { isSecretFile } from "../rules/secrets.ts";
import { codeKind, MARK, type ShellScope } from "../shell/scope.ts";
import { joinedLiterals, type Literal, literalsIn, withoutLiterals } from "./code-literals.ts";
import { foldCode } from "./fold-code.ts";

interface Around {
  readonly scope: ShellScope;
  readonly guard: Inspector;
  readonly places: Places;
}

/** Ways to start a program or a shell from code. */
const STARTS =
  /\b(?:system|popen\w*|exec\w*|spawn\w*|subprocess|check_output|check_call|getoutput|getstatusoutput|call|run|fork_exec|shell_exec|passthru|proc_open|pcntl_exec|Open3|sh|execa|child_process|Command|doShellScript|do shell script|qx|io\.popen|os\.execute)\b|`|%x|\$`/;
/** Lisp's ways to start a program: its words are strings beside each other. */
const STARTS_WORDS =
  /\(\s*(?:[\w.:]*[/:])?(?:sh|shell|call-process|start-process|process-lines|run-program|system\*?|shell-command[\w-]*)\s/;

function quoteLiterals(literals: readonly Literal[]): string {
  return literals.map(({ value }) => (/^[\w./~:=@%+,-]+$/.test(value) || literals.length === 1 ? value : `'${value}'`)).join(" ");
}

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
export function judgeCode(source: string, outer: Around): void {
  const { guard } = outer;
  const code = foldCode(source, outer.scope.home);
  const folder = /\bchdir\s*\(?\s*["']([^"']+)["']/.exec(code)?.[1];
  const cwd = folder === undefined ? outer.scope.cwd : absolutePath(inHome(folder, false, outer.scope), outer.scope);
  const around = { ...outer, scope: { ...outer.scope, cwd } };
  const { scope } = around;
  const literals = literalsIn(code);
  const bare = withoutLiterals(code, literals);
  if (codeKind(code) === "unknown" || MADE_CODE.test(bare)) return guard.report("unknown-code");
  judgeDeletions(code, literals, around);
  judgeFiles(code, literals, around);
  if (STARTS_WORDS.test(bare)) guard.maybeLine(quoteLiterals(literals), scope);
  // What is joined within a string is another program's code: the string counts as it is, too.
  const started = STARTS.test(source) ? [...joinedLiterals(code, literals), ...joinedLiterals(source, literalsIn(source))] : [];
  for (const text of new Set(started)) guard.maybeLine(text, scope);
  const inner = RUNS_STRING.test(bare) ? literals.filter(({ value }) => value.length < code.length - 4) : [];
  for (const { value } of inner) judgeCode(value, around);
  judgeDeletingCode(
    code,
    bare,
    literals.map(({ value }) => value),
    guard,
  );
  if (QUERIES.test(bare)) for (const { value } of literals) judgeSql(value, guard);
  if (PRINTS_ALL.test(bare)) guard.report("print-environment");
  if (PRINTS_SECRET.test(code)) guard.report("print-secret");
}

/** Calls that delete folders with all that is in them. */
const DELETES_TREE =
  /\b(?:rmtree|remove_tree|rm_rf?!?|rm_r|rimraf\w*|removeSync|remove_entry\w*|emptyDir\w*|secure_path|deltree|unlink_tree|trash|delete-directory|delete-tree|del_dir_r|removeItem|deleteDir|removeDir|deleteDirectory)\s*(?:\(|(?=[\s"'$]))/g;
/** Calls that delete, and are told whether with all that is in it. */
const DELETES =
  /(?:\b(?:rm|rm!|rmSync|rmdir|rmdirSync|unlink|unlinkSync|removedirs|rmdir_p|delete-file|removeFile|deleteFile|send2trash)|(?<![.\w])(?:remove|delete)|\b(?:os|fs|fsp|fse|path|io|file)\.remove|\b(?:File|Files|Directory|file|fs|io)(?:\.|:{1,2}|\]::)(?:delete|Delete|deleteIfExists|rm!?)|\.unlink|\.rmdir|Deno\.remove\w*)\s*(?:\(|(?=\s+(?:glob\s*\(?\s*)?["'$<@]))/g;
/** Functions that delete, given to another function: `map(os.remove, …)`, `array_map("unlink", …)`. */
const GIVEN =
  /["'](?:unlink|rmdir)["']\s*,|\b(?:os\.(?:remove|unlink|rmdir)|(?:fs\.)?(?:unlinkSync|rmSync|rmdirSync)|shutil\.rmtree|Path\.unlink|os\.removedirs|File\.rm_rf!?\/1)\s*[,)\]]|\b(?:foreach|map|each|forEach|broadcast)\(\s*(?:rm|unlink|rmdir|rmtree|remove)\s*[,)]|\bunlink\s*(?:\$_\s*)?(?:for|foreach|\}|;)|method\(:(?:delete|rm_rf|rm_r|rm|unlink)\)|&(?:File|FileUtils)\.(?:rm_rf!?|rm!?|delete)/;

function judgeDeletions(code: string, literals: readonly Literal[], around: Around): void {
  const calls = (pattern: RegExp): readonly RegExpExecArray[] =>
    [...code.matchAll(pattern)].filter(({ index }) => !literals.some(({ start, end }) => start <= index && index < end));
  for (const match of calls(DELETES_TREE)) judgeArguments(code, match, literals, true, around);
  if (GIVEN.test(code)) judgeNamedPaths(code, literals, around);
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
  const receiver = /(?:Path|File|Paths\.get)\s*\(\s*(["'])([^"']*)\1\s*\)\s*\.?\s*$/.exec(before)?.[2];
  const inside = literals.filter(
    ({ start, end, value }) => start >= from && end <= from + text.length && !OPTION_NAMES.test(value),
  );
  const paths = [...inside.map(pathOfLiteral), ...(receiver === undefined ? [] : [receiver])];
  const isHome = HOME.test(`${before.slice(-40)}${text}`);
  if (inside.length === 0) judgeNamedPaths(code, literals, around);
  if (paths.length === 0 && !isHome && isRecursive) around.guard.report("delete-unknown");
  for (const path of paths.length === 0 && isHome ? ["~"] : paths)
    judgeDeletion(inHome(path, isHome, around.scope), { ...around, isRecursive });
}

/** Calls whose first argument is a folder that they list. */
const LISTS =
  /(?:walk|glob\w*|iterdir|listdir|readdir\w*|scandir|Path|File|find|opendir|entries|children|each_child|foreach|ls|Dir\S*|dir)\s*[([]\s*$/i;

/** Judges the outside paths that code names somewhere, as it deletes something that only it knows. */
function judgeNamedPaths(code: string, literals: readonly Literal[], around: Around): void {
  for (const [, pattern = ""] of code.matchAll(/<([/~][^<>\s]+)>/g))
    judgeDeletion(inHome(pattern, false, around.scope), { ...around, isRecursive: true });
  for (const literal of literals) {
    const path = inHome(pathOfLiteral(literal), false, around.scope);
    const isListed = LISTS.test(code.slice(Math.max(0, literal.start - 40), literal.start));
    if (isListed ? /^[/~]|^\.\./.test(path) : /^\/[\w.]+\/[^\s]|^\.\.\//.test(path))
      judgeDeletion(path, { ...around, isRecursive: true });
  }
}

const OPTION_NAMES = /^(?:recursive|force|HOME)$/;
/** Code for the home folder. */
const HOME = /\bhome(?:dir)?\s*\(|(?:environ|env|ENV)\b\W{0,3}HOME\b|HOME["'\]]|expanduser/;

/** A path, with `~` or the code's home folder before it. */
function inHome(path: string, isHome: boolean, { home }: ShellScope): string {
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

/** What follows the name of a file that code empties. */
const EMPTIES = /^\s*,\s*(?:["']wb?["']\s*\)\s*\.\s*(?:close|truncate)|["']["']\s*\)|0\s*\))/;
/** Code that reads files. */
const READS =
  /\b(?:open|read\w*|load\w*|slurp|copy\w*|file_get_contents|create_?read_?stream|upload\w*|sendfile|file|File|cat)\b/i;

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
    if (EMPTIES.test(after)) judgeEmptying(path, { scope, guard, places });
    if (READS.test(code) && path.startsWith("/") && isSecretFile(path, scope, places)) guard.report("read-secret");
    else if (
      /(?:open|read\w*|readFile\w*|Path|File\w*|slurp|load\w*|copy\w*|createReadStream|get_contents|join|expanduser)\s*\(?[^()]*$/i.test(
        before,
      ) &&
      isSecretFile(path, scope, places)
    )
      guard.report("read-secret");
  }
}
