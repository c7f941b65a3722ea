/** Programs that start the program in their arguments, and words of theirs that may come before it. */
const STARTERS: ReadonlySet<string> = new Set([
  ..."env npx bunx npm pnpm yarn bun exec dlx x cross-env c8 nyc time timeout nice xvfb-run".split(" "),
  ..."poetry uv run pipenv pdm hatch coverage bundle".split(" "),
]);

/** Words of package managers that start a program; their other words are names of scripts. */
const EXEC: ReadonlySet<string> = new Set(["exec", "dlx", "x"]);

const SHELL = /^(?:sh|bash|dash|zsh|ash)$/;

/** Scripts that are runners, whatever program starts them. */
const RUNNER_SCRIPT = /(?:^|\/)(?:vitest(?:\.mjs)?|jest(?:\.js)?|_?mocha(?:\.c?js)?|tape|tap)$/;

/**
 * The commands that a command runs, one by one for a shell's script. Each is without the programs that only start it, and has its
 * program's bare name unless `bare` is false. This is as good as words alone allow.
 */
export function commandsIn(command: readonly string[], { bare = true } = {}): readonly (readonly string[])[] {
  const words = withoutStarters(command, bare);
  const [program = "", ...rest] = words;
  if (!SHELL.test(program.split("/").at(-1) ?? "")) return [words];
  const at = rest.findIndex((word) => /^-[a-z]*c$/.test(word));
  const script = at === -1 ? undefined : rest[at + 1];
  return script === undefined ? [words] : shellCommands(script).map((each) => withoutStarters(each, bare));
}

function withoutStarters(command: readonly string[], bare: boolean): readonly string[] {
  let at = 0;
  while (at < command.length - 1 && isStarter(command, at)) at += 1;
  const rest = command.slice(at);
  const program = (rest[0] ?? "").split("/").at(-1) ?? "";
  const script = /^(?:node|python[\d.]*)$/.test(program) ? rest.slice(1).findIndex((word) => RUNNER_SCRIPT.test(word)) : -1;
  if (script !== -1) return [(rest[script + 1] ?? "").split("/").at(-1) ?? "", ...rest.slice(script + 2)];
  return [bare ? program : (rest[0] ?? ""), ...rest.slice(1)];
}

function isStarter(command: readonly string[], at: number): boolean {
  const word = command[at] ?? "";
  const name = word.split("/").at(-1) ?? "";
  // `npm test` runs a script, `npm exec vitest` a program.
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name)) return command.slice(at + 1, at + 4).some((next) => EXEC.has(next));
  if (STARTERS.has(name)) return true;
  return at > 0 && (/^[A-Z_a-z]\w*=/.test(word) || /^-/.test(word) || /^\d+[smh]?$/.test(word));
}

/** Words of a shell before a command. */
const KEYWORDS: ReadonlySet<string> = new Set("if then elif else while until do ! { }".split(" "));

/** The simple commands of a shell's script, in words without quotes. */
function shellCommands(script: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const [token, single, double] of script.matchAll(/'([^']*)'|"([^"]*)"|&&|\|\||[;|&\n()`]|[^\s'"&|;()`]+/g)) {
    // A substitution in the place of a program stays a word: nobody knows the program before it runs.
    if (token === "`" && commands.at(-1)?.length === 0) commands.at(-1)?.push(token);
    if (/^(?:&&|\|\||[;|&\n()`])$/.test(token)) commands.push([]);
    else commands.at(-1)?.push(single ?? double ?? token);
  }
  // Words that only set variables run nothing.
  return commands.flatMap((words) => {
    const at = words.findIndex((word) => !/^[A-Z_a-z]\w*=/.test(word) && !KEYWORDS.has(word));
    return at === -1 ? [] : [words.slice(at)];
  });
}

/** Programs that read the files which they are given, and run nothing of them. */
const READERS: ReadonlySet<string> = new Set("test [ [[ grep egrep fgrep rg cat ls stat wc head tail jq".split(" "));

/**
 * The files that a command's own words have read: they are what it is about, as in `test -f docs/setup.md`. A file whose text
 * becomes a part of a command, or the input of one, is none.
 */
export function filesReadBy(command: readonly string[]): ReadonlySet<string> {
  const [script] = command.length > 2 && SHELL.test(command[0]?.split("/").at(-1) ?? "") ? command.slice(2) : [];
  const parts = script?.replace(/\$\([^()]*\)|`[^`]*`/g, " ").split(/&&|\|\||[;\n]/) ?? [];
  const read = script === undefined ? [command] : parts.filter((part) => !part.includes("|")).map((part) => ["sh", "-c", part]);
  const commands = read.flatMap((words) => commandsIn(words)).filter(([program = ""]) => READERS.has(program));
  return new Set(commands.flatMap((words) => words.slice(1).map((word) => word.replace(/^(?:\.\/)+/, ""))));
}
