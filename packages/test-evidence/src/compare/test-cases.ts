import { isTestFile, type LanguageFamily, languageFamily } from "./languages.ts";
import { isTestPath } from "./sealed-paths.ts";

/** Characters of a line that are read, and of a case's name. */
const LINE_CHARS = 1_000;
const NAME_CHARS = 300;

/** Lines that declare a test by its name, by family. Every pattern needs time linear to the line's length. */
const NAMED: readonly { readonly families: readonly LanguageFamily[]; readonly pattern: RegExp }[] = [
  {
    families: ["js", "dart"],
    pattern: /^(?:await\s|void\s)?(?:[\w$]{1,40}\.)?(?:it|test|specify)\b(?:\.\w{1,40}){0,5}\s?\(\s?(.*)$/,
  },
  // The title of a table of cases stands below the table.
  { families: ["js"], pattern: /^[\])`]{1,3}\s?\(\s?((?:"|'|`).*)$/ },
  { families: ["python"], pattern: /^(?:async\s+)?def\s+(test\w*)\s*\(/ },
  { families: ["go"], pattern: /^func\s+(?:\([^)]{0,80}\)\s*)?((?:Test|Benchmark|Example|Fuzz)\w*)\s*\(/ },
  { families: ["go"], pattern: /^[tb]\.Run\(\s?(.*)$/ },
  { families: ["ruby"], pattern: /^(?:it|specify|scenario|test|example)\b\s*(?:\(\s*)?(["'].*)$/ },
  { families: ["ruby"], pattern: /^def\s+(test_\w+)/ },
  { families: ["php"], pattern: /^(?:(?:public|final|static)\s+){0,3}function\s+(test\w*)\s*\(/ },
  { families: ["php"], pattern: /^(?:it|test)\s?\(\s?(.*)$/ },
  { families: ["swift"], pattern: /^(?:\w+\s+){0,3}func\s+(test\w*)\s*\(/ },
  { families: ["elixir"], pattern: /^test\s+(".*)$/ },
  { families: ["shell"], pattern: /^@test\s+((?:"|').*)$/ },
];

/** Lines that mark the function below them as a test, and the line of that function. */
const MARKED: Readonly<Partial<Record<LanguageFamily, { readonly mark: RegExp; readonly name: RegExp }>>> = {
  rust: { mark: /^#\[\s?(?:\w+::)*(?:test|rstest|test_case)\b/, name: /^(?:pub(?:\([^)]{0,40}\))?\s+)?(?:async\s+)?fn\s+(\w+)/ },
  jvm: {
    mark: /^@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)\b/,
    name: /^(?!@).*?\b(\w{1,200}|`[^`]{1,200}`)\s?\(/,
  },
  dotnet: { mark: /^\[\s?(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b/, name: /^(?!\[).*?\b(\w{1,200})\s?\(/ },
  php: { mark: /^#\[\s?(?:\w*\\)*Test\b/, name: /\bfunction\s+(\w+)/ },
};

/** True if a file may declare tests, by its path. Rust has them beside the code. */
export function mayHoldTests(path: string): boolean {
  const family = languageFamily(path);
  return family !== undefined && (family === "rust" || isTestPath(path) || isTestFile(path));
}

/**
 * The names of the tests that a file declares, by its text alone: one for each declaration, so a name may come twice. A declaration that is
 * commented out is none. Tests that code makes in a loop count once.
 */
export function testCasesIn(path: string, text: string): readonly string[] {
  const family = languageFamily(path);
  if (family === undefined) return [];
  const patterns = NAMED.filter(({ families }) => families.includes(family)).map(({ pattern }) => pattern);
  const marked = MARKED[family];
  const cases: string[] = [];
  let awaits: RegExp | "title" | undefined;
  for (const line of codeLines(text)) {
    const name = awaits === "title" ? line : awaits?.exec(line)?.[1];
    if (awaits !== undefined && name !== undefined) {
      cases.push(titleIn(name));
      awaits = undefined;
      continue;
    }
    if (marked?.mark.test(line) === true) awaits = marked.name;
    const found = patterns.map((pattern) => pattern.exec(line)?.[1]).find((each) => each !== undefined);
    if (found === "") awaits = "title";
    // The title of a table that begins here stands below it.
    else if (found !== undefined && found !== "[") cases.push(titleIn(found));
  }
  return cases;
}

/** The names that come more often before than after, each once. */
export function casesGone(before: readonly string[], after: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const name of after) left.set(name, (left.get(name) ?? 0) + 1);
  const gone = new Set<string>();
  for (const name of before) {
    const count = left.get(name) ?? 0;
    if (count === 0) gone.add(name);
    left.set(name, count - 1);
  }
  return [...gone];
}

/** The trimmed lines of a text without empty ones and block comments that begin a line. */
function codeLines(text: string): readonly string[] {
  const lines: string[] = [];
  let isComment = false;
  for (const whole of text.split(/\r?\n|\r/)) {
    const line = whole.slice(0, LINE_CHARS).trim();
    if (isComment || line.startsWith("/*")) isComment = !line.includes("*/");
    else if (line !== "") lines.push(line);
  }
  return lines;
}

/** The title between quotes at the beginning of a declaration's arguments, or behind its table; else all that is left of the line. */
function titleIn(rest: string): string {
  const quoted = /^(?:[^"'`]{0,200}\)\s?\(\s?)?(["'`])((?:\\.|(?!\1)[^\\]){1,300})\1/.exec(rest)?.[2];
  return (quoted ?? rest).slice(0, NAME_CHARS);
}
