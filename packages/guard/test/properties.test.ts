import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeCommand } from "../src/judge-command.ts";
import { FAMILIES, type Family, RULES, type RuleId } from "../src/rule-table.ts";
import type { GuardContext } from "../src/verdict.ts";
import { BENIGN, CONTEXT, DANGEROUS, LOOK_ALIKE } from "./corpus.ts";

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** An end of a here-document that the line does not have. */
const end = (line: string): string => `END_${line.length}`;

/** Ways to run a line that change nothing about what it does. */
const WRAPPINGS: readonly ((line: string) => string)[] = [
  (line) => `bash -c ${quote(line)}`,
  (line) => `sh -xec ${quote(line)}`,
  (line) => `bash -lc -- ${quote(line)}`,
  (line) => `/bin/bash --norc -c ${quote(line)}`,
  (line) => `sudo -u root bash -c ${quote(line)}`,
  (line) => `env -i A=b nice -n 5 timeout 9 sh -c ${quote(line)}`,
  (line) => `nohup setsid bash -c ${quote(line)}`,
  (line) => `xargs -I@@ sh -c ${quote(line)} < /dev/null`,
  (line) => `find . -maxdepth 0 -exec sh -c ${quote(line)} ';'`,
  (line) => `eval ${quote(line)}`,
  (line) => `(${line}\n)`,
  (line) => `{ ${line}\n}`,
  (line) => `true && {\n${line}\n}`,
  (line) => `if true; then\n${line}\nfi`,
  (line) => `for i in 1; do\n${line}\ndone`,
  (line) => `run() {\n${line}\n}; run`,
  (line) => `x=$(${line}\n)`,
  (line) => `cat <(${line}\n)`,
  (line) => `bash <<'${end(line)}'\n${line}\n${end(line)}`,
  (line) => `cat <<'${end(line)}' | bash\n${line}\n${end(line)}`,
  (line) => `bash <<< ${quote(line)}`,
  (line) => `printf %s ${quote(line)} | sh`,
  (line) => `echo ${base64(line)} | base64 -d | bash`,
  (line) => `eval "$(echo ${base64(line)} | base64 --decode)"`,
  (line) => `CODE=${quote(line)}; bash -c "$CODE"`,
  (line) => `CODE=${quote(line)}; eval "$CODE"`,
  (line) => `sh -c 'eval "$1"' _ ${quote(line)}`,
  (line) => `cat > run.sh <<'${end(line)}'\n${line}\n${end(line)}\nbash run.sh`,
  (line) => `source /dev/stdin <<'${end(line)}'\n${line}\n${end(line)}`,
  (line) => `git -c alias.x=${quote(`!${line}`)} x`,
  (line) => `python3 -c ${quote(`import os; os.system(${JSON.stringify(line)})`)}`,
  (line) => `trap ${quote(line)} EXIT`,
];

/** Not so for commands that end in a comment or a here-document, or with the braces of `find`. */
function canBeWrapped(command: string): boolean {
  return !/<<|#|\{\}|^(?:alias|set -u|:\(\)|case )|^f\(\)|^\(cd|\n/.test(command);
}

const wrapping = fc.array(fc.constantFrom(...WRAPPINGS), { minLength: 1, maxLength: 3 });

/** Spellings of a word that are the same word to a shell. */
const SPELLINGS: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => quote(word),
  (word) => `"${word}"`,
  (word) => `${word.slice(0, 1)}''${word.slice(1)}`,
  (word) => `${word.slice(0, -1)}"${word.slice(-1)}"`,
  (word) => [...word].map((char) => `\\${char}`).join(""),
  (word) => `$'${[...word].map((char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`).join("")}'`,
  (word) => `${word.slice(0, 1)}\\\n${word.slice(1)}`,
  (word) => `\${none:-${word}}`,
  // `echo` takes these as its own options.
  (word) => (/^-[neE]+$/.test(word) ? word : `$(echo ${word})`),
  (word) => `$(printf %s ${word})`,
];

/** Plain words that are no builtin of the grammar: only these may be spelled differently. */
function isPlain(command: string): boolean {
  return /^[a-z][\w-]*(?: [\w./:@=,+-]+)*$/.test(command) && !/^(?:time|if|for|while|f|case|exec|command) |^\w+=/.test(command);
}

const GAPS = [" ", "  ", "\t", " \\\n ", " \t "] as const;

function spelled(command: string, spellings: readonly ((word: string) => string)[], gap: string): string {
  return command
    .split(" ")
    .map((word, index) => (spellings[index % spellings.length] ?? quote)(word))
    .join(gap);
}

/** Spellings of an absolute path that lead to the same place. */
const PATHS: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `${path}/.`,
  (path) => `/.${path}`,
  (path) => `/${path}`,
  (path) => `/tmp/..${path}`,
  (path) => `${path}/x/..`,
  (path) => path.replaceAll("/", "//"),
  (path) => `/home/dev/app/../../..${path}`,
];

const dangerous = fc.constantFrom(...DANGEROUS.map(({ command }) => command).filter(canBeWrapped));
const harmless = fc.constantFrom(...[...LOOK_ALIKE, ...BENIGN].map(({ command }) => command).filter(canBeWrapped));
const wrap = (command: string, wrappings: readonly ((line: string) => string)[]): string =>
  wrappings.reduce((line, wrapped) => wrapped(line), command);

const isBlocked = (line: string): boolean => judgeCommand(line, CONTEXT).verdict === "block";

describe("the guard's verdict", () => {
  test("on a dangerous command stays, however it is wrapped", () => {
    fc.assert(
      fc.property(dangerous, wrapping, (command, wrappings) => isBlocked(wrap(command, wrappings))),
      { numRuns: 3_000 },
    );
  });

  test("on a harmless command stays, however it is wrapped", () => {
    fc.assert(
      fc.property(harmless, wrapping, (command, wrappings) => {
        expect(judgeCommand(wrap(command, wrappings), CONTEXT)).toEqual({ verdict: "allow" });
      }),
      { numRuns: 3_000 },
    );
  });

  test.for([
    ["dangerous", DANGEROUS, true],
    ["harmless", [...LOOK_ALIKE, ...BENIGN], false],
  ] as const)("on a %s command stays, however it is quoted and spaced", ([, cases, expected]) => {
    const plain = fc.constantFrom(...cases.map(({ command }) => command).filter(isPlain));
    const spellings = fc.array(fc.constantFrom(...SPELLINGS), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(plain, spellings, fc.constantFrom(...GAPS), (command, chosen, gap) => {
        expect([spelled(command, chosen, gap), isBlocked(spelled(command, chosen, gap))]).toEqual([expect.anything(), expected]);
      }),
      { numRuns: 3_000 },
    );
  });

  test("on a deletion stays, however its path is spelled", () => {
    const paths = fc.array(fc.constantFrom(...PATHS), { minLength: 0, maxLength: 3 });
    const verdictOf = (path: string, ways: readonly ((path: string) => string)[]): string =>
      judgeCommand(`rm -rf ${ways.reduce((word, way) => way(word), path)}`, CONTEXT).verdict;
    fc.assert(
      fc.property(
        fc.constantFrom("/home", "/home/dev", "/home/dev/app", "/etc", "/opt/x", "/home/dev/app/.git"),
        paths,
        (path, ways) => {
          expect(verdictOf(path, ways)).toBe("block");
        },
      ),
    );
    fc.assert(
      fc.property(fc.constantFrom("/home/dev/app/dist", "/tmp/x", "/home/dev/app/a/b"), paths, (path, ways) => {
        expect(verdictOf(path, ways)).toBe("allow");
      }),
    );
  });

  test.for<[what: string, line: string]>([
    ["braces in braces", `echo ${"{a,b}".repeat(40)}`],
    ["a variable that doubles", `x=aaaaaaaaaa;${"x=$x$x;".repeat(60)}echo $x`],
    ["loops in loops", `${"for a in 1 2 3 4 5 6 7 8; do ".repeat(9)}ls;${" done;".repeat(9)}`],
    ["parentheses in parentheses", `${"(".repeat(5_000)}ls${")".repeat(5_000)}`],
    ["substitutions in substitutions", `${"echo $(".repeat(500)}ls${")".repeat(500)}`],
    ["a function that calls itself", "f() { f; f; }; f"],
    ["a very long word", `ls ${"a".repeat(2_000_000)}`],
  ])("is there for %s, too", ([, line]) => {
    expect(["allow", "block"]).toContain(judgeCommand(line, CONTEXT).verdict);
  });

  test("never throws, whatever the line is", () => {
    const words = fc.constantFrom(
      ..."rm -rf / ~ * $X $( ` ' \" ; & | && || ( ) { } < > << EOF \n \\ git reset --hard find . -exec sh -c eval xargs".split(
        " ",
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string()), { maxLength: 30 }), (parts) => {
        expect(["allow", "block"]).toContain(judgeCommand(parts.join(" "), CONTEXT).verdict);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a rule of the guard", () => {
  const ids = Object.keys(RULES) as RuleId[];
  const somewhere: readonly GuardContext[] = [
    CONTEXT,
    { cwd: "/srv/work/app/src", worktree: "/srv/work/app", home: "/home/dev" },
  ];

  test.for(ids)("%s has an alternative that the guard allows", (id) => {
    for (const context of somewhere) expect(judgeCommand(RULES[id].alternative, context)).toEqual({ verdict: "allow" });
  });

  test("is met by a command of the corpora", () => {
    const met = new Set(
      DANGEROUS.flatMap(({ command }) => {
        const verdict = judgeCommand(command, CONTEXT);
        return verdict.verdict === "block" ? [verdict.rule] : [];
      }),
    );
    expect(ids.filter((id) => !met.has(id))).toEqual(["unreadable"]);
  });

  test.for(Object.keys(FAMILIES) as Family[])("of the family %s can be switched off, and alone again on", (family) => {
    const single = DANGEROUS.filter((each) => each.family === family && isPlain(each.command));
    const settings = { families: { [family]: false } };
    for (const { command } of single) {
      const before = judgeCommand(command, CONTEXT);
      if (before.verdict === "allow") throw new Error(command);
      const off = judgeCommand(command, { ...CONTEXT, settings });
      expect(off.verdict === "allow" || RULES[off.rule].family !== family).toBe(true);
      const on = judgeCommand(command, { ...CONTEXT, settings: { ...settings, rules: { [before.rule]: true } } });
      expect(on).toEqual(before);
    }
  });
});
