import { type Draft, isFrame, type ParsedReport, placeInStack, relativeFile } from "../draft.ts";
import { isCodeFrame, MAX_BLOCKS, withoutIndent } from "./blocks.ts";
import { isErrorHead, isLabelled } from "./labels.ts";

/** Lines before a stack that are looked at. */
const MOST_LINES = 120;

/**
 * Reads errors by their stacks, for what no parser knows: the lines before a stack, from the error's name if there is one. A runner's
 * number before it begins the name of a test.
 */
export function parseStacks(lines: readonly string[], roots: readonly string[]): ParsedReport {
  const drafts: Draft[] = [];
  for (let at = 0; at < lines.length && drafts.length < MAX_BLOCKS; at += 1) {
    if (!isFrame(lines[at] ?? "")) continue;
    const start = stackStart(lines, at);
    const rest = lines.slice(at, at + MOST_LINES);
    const length = rest.findIndex((line) => !isFrame(line));
    const stack = length < 0 ? rest : rest.slice(0, length);
    const draft = stackDraft(lines.slice(start, at), stack, roots);
    if (draft !== undefined) drafts.push({ ...draft, at: start });
    at += stack.length - 1;
  }
  return { drafts };
}

/** The first line of what belongs to a stack: after another stack, a rule, or two blank lines. */
function stackStart(lines: readonly string[], at: number): number {
  let start = at;
  while (start > 0 && at - start < MOST_LINES) {
    const [line = "", before] = [lines[start - 1], lines[start - 2]];
    if (isFrame(line) || /[─━═⎯=_-]{3}$/.test(line) || (line === "" && before === "")) break;
    start -= 1;
  }
  return start;
}

function stackDraft(before: readonly string[], stack: readonly string[], roots: readonly string[]): Draft | undefined {
  const words = before.filter((line) => line !== "" && !isCodeFrame(line) && !/^\s*(?:Stack|stack): ?\|?$/.test(line));
  const head = words.findLastIndex(isErrorHead);
  const numbered = words.findLastIndex((line) => /^ {0,8}\d{1,4}\) \S/.test(line));
  const first = Math.max(head, numbered + 1, head < 0 && numbered < 0 ? words.findLastIndex(isLabelled) : 0);
  const message = withoutIndent(words.slice(first));
  if (message === "") return undefined;
  const name = words.slice(numbered, head < 0 ? numbered + 1 : head).map((line) => line.trim());
  const test =
    numbered < 0 || head < numbered
      ? undefined
      : name
          .join(" > ")
          .replace(/^\d{1,4}\) /, "")
          .replace(/:$/, "");
  const place = placeInStack(stack);
  return {
    ...{ tool: "stack", severity: "high", category: test === undefined ? "crash" : "test" },
    ...(place !== undefined && { ...place, file: relativeFile(place.file, roots) }),
    ...(test !== undefined && { test }),
    message,
  };
}
