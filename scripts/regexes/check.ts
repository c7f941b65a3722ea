/** Refuses regular expressions whose time grows faster than their input: `node scripts/regexes/check.ts [folder]`. */
import { resolve } from "node:path";
import { analyse } from "scslre";
import { collectRegexes, type FoundRegex } from "./collect.ts";
import { EXCEPTIONS } from "./exceptions.ts";

export const ROOTS = ["src", "packages/*/src", "components", "oracle"];

/** The number of checked expressions, and every complaint, one line each. */
export interface RegexReport {
  readonly regexes: number;
  readonly problems: readonly string[];
}

/** Checks the tree under `base`. An exception is a file, or a folder with a slash at its end, with its reason. */
export function checkRegexes(base: string, exceptions: Readonly<Record<string, string>> = EXCEPTIONS): RegexReport {
  const found = collectRegexes(base, ROOTS);
  const used = new Set<string>();
  const problems: string[] = [];
  for (const regex of found) {
    const problem = objection(regex);
    if (problem === undefined) continue;
    const exception = Object.keys(exceptions).find((of) => regex.path === of || (of.endsWith("/") && regex.path.startsWith(of)));
    if (exception === undefined) problems.push(`${regex.path}:${regex.line} ${problem}`);
    else used.add(exception);
  }
  const needless = Object.keys(exceptions).filter((of) => !used.has(of));
  return {
    regexes: found.length,
    problems: [
      // A check that found nothing must not pass.
      ...(found.length === 0 ? [`no regular expression seen under ${base}`] : []),
      ...problems,
      ...needless.map((of) => `${of}: needs no exception; remove it from scripts/regexes/exceptions.ts`),
    ],
  };
}

function objection({ source, flags }: FoundRegex): string | undefined {
  if (source === undefined) return "cannot be checked: its text is made of more than constants of this file";
  const [report] = analyse({ source, flags }).reports;
  if (report === undefined) return undefined;
  const growth = report.exponential ? "exponential" : "polynomial";
  return `takes ${growth} time for text such as ${JSON.stringify(report.character.pick)} repeated: /${source}/${flags}`;
}

if (import.meta.main) {
  const report = checkRegexes(resolve(process.argv[2] ?? "."));
  for (const problem of report.problems) console.error(problem);
  console.log(`regexes: ${report.regexes} regular expressions, ${report.problems.length} problems`);
  process.exitCode = report.problems.length === 0 ? 0 : 1;
}
