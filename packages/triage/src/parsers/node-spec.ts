import { type Draft, type ParsedReport, placeInStack, relativeFile, runNodeTest } from "../draft.ts";
import { MAX_BLOCKS, withoutIndent } from "./blocks.ts";
import { countsOfNode } from "./tap.ts";

/** Lines of one failure that are read. */
const MOST_LINES = 120;

/** `test at sum.test.mjs:4:3` before each failure that Node's reporter "spec" repeats at its end. */
const SPEC_HEAD = /^test at (\S{1,300}):(\d{1,7}):\d{1,7}$/;

/** Reads the output of Node's reporter "spec". Its list of failures names files; the tree before it names suites. */
export function parseNodeSpec(lines: readonly string[], roots: readonly string[]): ParsedReport {
  const drafts: Draft[] = [];
  const suites = failedTestSuites(lines);
  for (const [i, line] of lines.entries()) {
    const [, path, number] = SPEC_HEAD.exec(line) ?? [];
    const name = /^✖ (\S.*)$/.exec(lines[i + 1] ?? "")?.[1]?.replace(/ \([\d.]{1,20}ms\)$/, "");
    if (path === undefined || name === undefined) continue;
    const rest = lines.slice(i + 2, i + 2 + MOST_LINES);
    const end = rest.findIndex((each) => /^\S/.test(each));
    const body = end < 0 ? rest : rest.slice(0, end);
    const file = relativeFile(path, roots);
    const reproduce = runNodeTest(file, name);
    const message = withoutIndent(
      body.slice(
        0,
        Math.max(
          0,
          body.findIndex((each) => each.trimStart().startsWith("at ")),
        ),
      ),
    );
    drafts.push({
      ...{
        tool: "node --test",
        severity: "high",
        category: "test",
        test: [file, ...(suites.get(name)?.shift() ?? []), name].join(" > "),
        at: i,
      },
      ...(placeInStack(body) ?? { file, line: Number(number) }),
      // The reporter puts the error's name before its words.
      message: message.replace(/^AssertionError \[ERR_ASSERTION\]: /, ""),
      ...(reproduce && { reproduce }),
    });
  }
  const counts = drafts.length === 0 ? undefined : countsOfNode(lines);
  return { drafts, counts };
}

/** The suites of each failed test by its name, in the order of the tree: `▶ suite`, below it `  ✖ test (1.2ms)`. */
function failedTestSuites(lines: readonly string[]): ReadonlyMap<string, string[][]> {
  const suites = new Map<string, string[][]>();
  const open: string[] = [];
  for (const line of lines) {
    const [, indent = "", sign, name = ""] = /^( {0,60})([▶✖]) (\S.*?)(?: \([\d.]{1,20}ms\))?$/.exec(line) ?? [];
    const level = indent.length / 2;
    if (sign === "▶") open.splice(level, open.length, name);
    if (sign !== "✖" || level === 0) continue;
    const found = suites.get(name) ?? [];
    if (found.length < MAX_BLOCKS) found.push(open.slice(0, level));
    suites.set(name, found);
  }
  return suites;
}
