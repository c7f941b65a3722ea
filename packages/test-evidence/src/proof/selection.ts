import { entryFile } from "../compare/loaded-files.ts";
import { scriptRunBy, scriptText } from "../compare/scripts.ts";

/** A runner by its name, and the words of the command that starts it; see `findRunners`. */
interface StartedRunner {
  readonly runner: { readonly name: string };
  readonly words: readonly string[];
}

/** What is to run: a check's command, the runners in it, and tests by their ids in its report. */
interface SelectOptions {
  readonly command: readonly string[];
  readonly found: readonly StartedRunner[];
  readonly packageJson: string | undefined;
  readonly ids: readonly string[];
  /** Files of tests to run whole, in place of `ids`. */
  readonly whole?: readonly string[] | undefined;
  /** All paths of the commit. */
  readonly files: readonly string[];
}

/** Tests or files that are selected at most: command lines are bounded. */
const MOST_SELECTED = 20;

/** Words to add: at once behind the runner's own first `head` words, and at the end. */
interface Narrowed {
  readonly head: number;
  readonly insert: readonly string[];
  readonly append?: readonly string[];
}

interface Placing extends Required<Narrowed> {
  readonly command: readonly string[];
  readonly words: readonly string[];
  readonly packageJson: string | undefined;
}

type Narrow = (words: readonly string[], names: readonly string[]) => Narrowed | undefined;

const matching = (flag: string, head: (words: readonly string[]) => number): Narrow => {
  return (words, names) => ({ head: head(words), insert: names.length === 0 ? [] : [`${flag}=${names.map(escaped).join("|")}`] });
};

/** How each runner is told which tests to run, by its own documentation. */
const NARROW: Readonly<Record<string, Narrow>> = {
  // Options count up to the first file.
  "node:test": (words, names) => ({
    head: words.indexOf("--test") + 1 || 1,
    insert: names.map((name) => `--test-name-pattern=${escaped(name)}`),
  }),
  // With "=", a test's name that begins with "-" is no option.
  vitest: matching("--testNamePattern", (words) => (words[1] === "run" ? 2 : 1)),
  jest: matching("--testNamePattern", () => 1),
  mocha: matching("--grep", () => 1),
  "bun test": matching("--test-name-pattern", () => 2),
  pytest: (words, names) => {
    const functions = names.map((name) => name.replace(/\[.*/s, ""));
    if (!functions.every((name) => /^\w+$/.test(name))) return undefined;
    return { head: words[1] === "-m" ? 3 : 1, insert: names.length === 0 ? [] : ["-k", functions.join(" or ")] };
  },
  "go test": (words, names) => {
    const functions = names.map((name) => name.split("/")[0] ?? "");
    if (words[0] !== "go" || names.length === 0 || !functions.every((name) => /^\w+$/.test(name))) return undefined;
    return { head: 2, insert: ["-run", `^(${[...new Set(functions)].join("|")})$`] };
  },
  "cargo test": (words, names) => {
    const at = words.findIndex((word) => /^(?:test|t)$/.test(word));
    if (at === -1 || names.length === 0 || !names.every((name) => /^[\w:]+$/.test(name))) return undefined;
    if (names.length === 1) return { head: at + 1, insert: names };
    return { head: at + 1, insert: [], append: [...(words.includes("--") ? [] : ["--"]), ...names] };
  },
};

/**
 * The command that runs some tests of a check, and little else; undefined if its runner cannot select, or the command is too involved.
 * What it runs is a guess by words: only the results that its report gives for these tests mean anything.
 */
export function selectTests({ command, found, packageJson, ids, whole, files }: SelectOptions): readonly string[] | undefined {
  const [started] = found;
  const narrow = started && NARROW[started.runner.name];
  const selected = whole ?? ids;
  if (started === undefined || narrow === undefined || found.length !== 1) return undefined;
  if (selected.length === 0 || selected.length > MOST_SELECTED) return undefined;
  const { words } = started;
  // A file that could not be loaded is in the report in place of its tests.
  const isWhole = whole !== undefined || ids.some((id) => entryFile(id) !== undefined);
  const names = isWhole ? [] : [...new Set(ids.map((id) => id.split(" > ").at(-1) ?? id))];
  const narrowed = narrow(words, names);
  if (narrowed === undefined) return undefined;
  const own = narrowed.append ?? filesToAdd(words.slice(narrowed.head), selected, files);
  if (names.length === 0 && own.length === 0) return undefined;
  return placed({ command, words, packageJson, ...narrowed, append: own });
}

/** The files of these tests, if all are known and the command names none itself. */
function filesToAdd(rest: readonly string[], ids: readonly string[], files: readonly string[]): readonly string[] {
  if (rest.some((word) => isPlace(word, files))) return [];
  const all = ids.map((id) => fileIn(id, files));
  return all.some((file) => file === undefined || file.startsWith("-")) ? [] : [...new Set(all as string[])];
}

function isPlace(word: string, files: readonly string[]): boolean {
  if (word.startsWith("-")) return false;
  return /[/*]|^\.$/.test(word) || files.some((file) => file === word || file.startsWith(`${word}/`));
}

/** The file at the start of an id, or the one of its Python module. */
function fileIn(id: string, files: readonly string[]): string | undefined {
  const [first = "", second = ""] = id.split(" > ");
  if (files.includes(first)) return first;
  const module = (path: string) => path.replace(/\.py$/, "").replaceAll("/", ".");
  return files.find((path) => path.endsWith(".py") && `${second}.`.startsWith(`${module(path)}.`));
}

/** The command with these words in it: in its own arguments, behind the script that it runs, or in a shell's text. */
function placed(options: Placing): readonly string[] | undefined {
  const { command, words, head, insert, append } = options;
  const at = command.length - words.length;
  if (at >= 0 && words.slice(1).every((word, i) => command[at + 1 + i] === word))
    return [...command.slice(0, at + head), ...insert, ...command.slice(at + head), ...append];
  return scriptRunBy(command) === undefined ? inShell(options) : behindScript(options);
}

/** What a package manager adds to a script comes last: behind a file, node takes it for the file's own. */
function behindScript({ command, words, packageJson, head, insert, append }: Placing): readonly string[] | undefined {
  const run = scriptRunBy(command);
  const text = scriptText(packageJson, run?.script ?? "")?.trimEnd() ?? "";
  const hasMore = command.includes("--");
  const isLast = hasMore || text.replace(/["']$/, "").endsWith(words.at(-1) ?? "");
  const isFree = insert.length === 0 || words.slice(head).every((word) => word.startsWith("-"));
  if (!isLast || !isFree) return undefined;
  return [...command, ...(run?.runner === "npm" && !hasMore ? ["--"] : []), ...insert, ...append];
}

function inShell({ command, words, head, insert }: Placing): readonly string[] | undefined {
  const at = command.findIndex((word, i) => /^-[a-z]*c$/.test(command[i - 1] ?? "") && word.includes(" "));
  const literal = words.slice(0, head).join(" ");
  const [before, after, ...more] = (command[at] ?? "").split(literal);
  if (at === -1 || after === undefined || more.length > 0 || insert.length === 0) return undefined;
  return command.with(at, `${before}${literal} ${insert.map(quoted).join(" ")}${after}`);
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** A word for a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
