/**
 * What an action amounts to, by whichever tool: the paths that it reads and edits, and whether it runs a program that may do
 * anything. It finds out something (`looks`) if it does neither.
 */
export interface ActionEffect {
  readonly reads: readonly string[];
  readonly edits: readonly string[];
  readonly runs: boolean;
}

/** Characters of a command that are looked at; a longer one runs. */
export const MOST_CHARS = 20_000;
/** Paths of one action. */
export const MOST_PATHS = 50;

const RUNS: ActionEffect = { reads: [], edits: [], runs: true };

/**
 * The effect of a shell command, by its words alone: what it cannot tell counts as running. Nothing is allowed or refused by it (a
 * guard needs a real parser); it decides only what a signal counts.
 */
export function effectOfCommand(command: string, depth = 0): ActionEffect {
  if (command.length > MOST_CHARS) return RUNS;
  const script = withoutHereDocuments(command);
  const inner = depth < 3 ? shellScript(script) : undefined;
  if (inner !== undefined) return effectOfCommand(inner, depth + 1);
  if (/[`]|\$\(|<\(|>\(/.test(script)) return RUNS;
  const parts = simpleCommands(script).map(effectOfWords);
  return {
    reads: parts.flatMap(({ reads }) => reads).slice(0, MOST_PATHS),
    edits: parts.flatMap(({ edits }) => edits).slice(0, MOST_PATHS),
    runs: parts.some(({ runs }) => runs),
  };
}

const HERE_DOCUMENT = /<<-?\s*(['"]?)([A-Za-z_]\w*)\1/;

/** The command without the bodies of its here-documents, which are text. */
function withoutHereDocuments(command: string): string {
  if (!command.includes("<<")) return command;
  const kept: string[] = [];
  let end: string | undefined;
  for (const line of command.split("\n")) {
    if (end !== undefined) {
      if (line.trim() === end) end = undefined;
      continue;
    }
    end = HERE_DOCUMENT.exec(line)?.[2];
    kept.push(end === undefined ? line : line.replace(HERE_DOCUMENT, " "));
  }
  return kept.join("\n");
}

/** The script of `bash -lc SCRIPT` and the like, as programs wrap their commands. */
function shellScript(command: string): string | undefined {
  const words = simpleCommands(command);
  const [only] = words;
  if (only === undefined || words.length > 1 || !/^(?:.*\/)?(?:ba|z|da)?sh$/.test(only[0] ?? "")) return undefined;
  return /^-[a-z]*c$/.test(only[1] ?? "") && only.length === 3 ? only[2] : undefined;
}

const TOKEN = /(?:[^\s'"&|;()<>\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+|&&|\|\||\d?>>?&?\d?|&>>?|<|[;|&\n()]/g;
const SEPARATOR = /^(?:&&|\|\||[;|&\n()])$/;

/** The simple commands of a script, in words without quotes. A redirection is a word of its own. */
function simpleCommands(script: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const [token] of script.replaceAll("\\\n", " ").matchAll(TOKEN)) {
    if (SEPARATOR.test(token)) commands.push([]);
    else commands.at(-1)?.push(unquoted(token));
  }
  return commands.filter((words) => words.length > 0);
}

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g, (_, single, double, escaped) => single ?? double ?? escaped ?? "");
}

/** Programs that read the files in their arguments and print them. */
const READERS = new Set(
  "cat bat head tail less more nl wc tac od xxd hexdump strings file stat sed awk cut md5sum sha256sum".split(" "),
);
/** Programs that find out something else, and change nothing. */
const LOOKERS = new Set(
  "ls ll tree find fd fdfind grep egrep fgrep rg ag ack pwd cd echo printf du df which type basename dirname realpath readlink diff cmp sort uniq column tr jq test [ true : date whoami uname env printenv".split(
    " ",
  ),
);
/** Words of git that change nothing. */
const GIT_LOOKS = new Set(
  "diff log show status blame grep ls-files ls-tree rev-parse describe cat-file shortlog rev-list".split(" "),
);
/** Programs that change the files in their arguments, and run nothing. */
const EDITORS = new Set("rm mv cp touch mkdir rmdir tee ln chmod truncate".split(" "));

/** The effect of one simple command, by its words without quotes. */
export function effectOfWords(all: readonly string[]): ActionEffect {
  const { words, targets } = withoutRedirections(all);
  const [program = "", ...rest] = words.slice(
    Math.max(
      0,
      words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word)),
    ),
  );
  const name = program.split("/").at(-1) ?? "";
  const edits = targets.filter((path) => path !== "/dev/null");
  const isFree = (word: string): boolean => !word.startsWith("-") && word !== "";
  if (name === "apply_patch") return { reads: [], edits, runs: false };
  if (EDITORS.has(name)) return { reads: [], edits: [...edits, ...rest.filter(isFree)], runs: false };
  if (name === "sed" && rest.some((word) => /^(?:-[a-zA-Z]*i|--in-place)/.test(word)))
    return { reads: [], edits: [...edits, ...rest.filter(isFree).slice(1)], runs: false };
  if (name === "git") return { reads: [], edits, runs: !GIT_LOOKS.has(gitWord(rest) ?? "") };
  if (name === "find" && rest.some((word) => /^-(?:exec|execdir|ok|okdir|delete|fprint|fls)/.test(word)))
    return { ...RUNS, edits };
  if (READERS.has(name)) {
    const files = rest.filter(isFree);
    const hasScript = (name === "sed" || name === "awk") && !rest.some((word) => word === "-f" || word === "-e");
    return { reads: hasScript ? files.slice(1) : files.filter((word) => !/^\d+$/.test(word)), edits, runs: false };
  }
  return { reads: [], edits, runs: !LOOKERS.has(name) && name !== "" };
}

/** The words without redirections, and the files that they write. */
function withoutRedirections(all: readonly string[]): { readonly words: readonly string[]; readonly targets: readonly string[] } {
  const words: string[] = [];
  const targets: string[] = [];
  for (let i = 0; i < all.length; i++) {
    const word = all[i] ?? "";
    if (/^\d?>>?&\d$/.test(word)) continue;
    const isWrite = /^(?:\d?>>?&?|&>>?)$/.test(word);
    if (!isWrite && word !== "<") {
      words.push(word);
      continue;
    }
    i += 1;
    const target = all[i];
    if (isWrite && target !== undefined) targets.push(target);
  }
  return { words, targets };
}

/** The command of git, after its own options. */
function gitWord(rest: readonly string[]): string | undefined {
  let i = 0;
  while (i < rest.length && (rest[i] ?? "").startsWith("-")) i += /^-[cC]$/.test(rest[i] ?? "") ? 2 : 1;
  return rest[i];
}
