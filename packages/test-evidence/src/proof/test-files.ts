import picomatch from "picomatch";
import type { FoundRunner } from "./find-runner.ts";

/** Words of runners that are no files. */
const NO_FILES: ReadonlySet<string> = new Set(["run", "test", "t", "watch", "nextest", "related", "node", "python"]);

/**
 * The test files among a repository's paths that the command runs: all, or those that its arguments name by a path, a folder, a
 * glob or a part of the path. Arguments that name none are values of options.
 */
export function commandTestFiles(found: FoundRunner, paths: readonly string[]): readonly string[] {
  const exact = namedTestFiles(found, paths);
  if (exact.length > 0) return exact;
  const all = paths.filter((path) => found.runner.isTestFile(path));
  const named = all.filter(namedBy(found.words, { byPart: true }));
  return named.length > 0 ? named : all;
}

/** The test files that its arguments name by a path, a folder or a glob. */
export function namedTestFiles({ runner, words }: FoundRunner, paths: readonly string[]): readonly string[] {
  const isNamed = namedBy(words, { byPart: false });
  const named = paths.filter((path) => isNamed(path) && runner.isTestFile(path));
  // Node's own runner takes any file that it is given.
  const given = withoutOptions(words).map(bare);
  return named.length > 0 ? named : paths.filter((path) => given.includes(path));
}

/** Options whose next word is a file that is no test. */
const TAKES_FILE = /^(?:-[crp]|--[\w-]*(?:config|setup|project|require|import|loader|reporter|preset|resolver|environment))$/;

function withoutOptions(words: readonly string[]): readonly string[] {
  return words.filter((word, i) => i > 0 && !word.startsWith("-") && !NO_FILES.has(word) && !TAKES_FILE.test(words[i - 1] ?? ""));
}

/** `byPart`: an argument may be any part of a path, as with vitest and jest. */
function namedBy(words: readonly string[], { byPart }: { readonly byPart: boolean }): (path: string) => boolean {
  const matchers = withoutOptions(words).map((word) => {
    const name = bare(word);
    if (name === "" || name === "." || name === "...") return () => true;
    if (/[*?{[]/.test(name)) return picomatch(name, { dot: true });
    return (path: string) => path === name || path.startsWith(`${name}/`) || (byPart && name.length > 2 && path.includes(name));
  });
  return (path) => matchers.some((matches) => matches(path));
}

/** A word as a path: without "./", pytest's part after "::", and Go's "/...". */
function bare(word: string): string {
  return word
    .replace(/::.*/s, "")
    .replace(/^(?:\.\/)+/, "")
    .replace(/\/(?:\.\.\.)?$/, "");
}
