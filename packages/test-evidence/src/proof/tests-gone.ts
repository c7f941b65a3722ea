import { languageFamily } from "../compare/languages.ts";
import { isTestPath } from "../compare/sealed-paths.ts";
import { casesGone, testCasesIn } from "../compare/test-cases.ts";

/** A file's tests beside its code (doc.rust-lang.org/book, 11.3). */
const MODULE_OF_TESTS = /#\[cfg\((?:all\()?test\b[^\]\n]{0,200}\]\s{1,100}mod\s\w{1,100}\s?\{/;

/**
 * The files whose tests a change takes away: files of tests of which most lines are in no changed file of tests any more (one that is renamed
 * is not gone), and files of code that have tests beside it. No test of the base can run in the place of those, so each one counts.
 */
export function filesWithTestsGone(
  changed: readonly { readonly path: string; readonly text?: string | undefined }[],
  base: ReadonlyMap<string, string>,
  { isTest, maxChars }: { readonly isTest: (path: string) => boolean; readonly maxChars: number },
): readonly string[] {
  const testText = (path: string, text = ""): string => {
    if (isTest(path) || languageFamily(path) !== "rust") return isTest(path) ? text : "";
    const at = text.search(MODULE_OF_TESTS);
    return at < 0 ? "" : text.slice(at);
  };
  const linesIn = (text: string) =>
    text
      .slice(0, maxChars)
      .split("\n")
      .flatMap((line) => line.trim() || []);
  const after = new Set(changed.flatMap(({ path, text = "" }) => linesIn(isTestPath(path) ? text : testText(path, text))));
  const cases = changed.flatMap(({ path, text = "" }) => testCasesIn(path, text.slice(0, maxChars)));
  return changed.flatMap(({ path }) => {
    const tests = testText(path, base.get(path));
    const lines = linesIn(tests);
    const isFewer = !isTest(path) && casesGone(testCasesIn(path, tests), cases).length > 0;
    return isFewer || lines.filter((line) => after.has(line)).length < lines.length / 2 ? [path] : [];
  });
}
