import type { Draft } from "./draft.ts";
import { isLabelled, isRemark, isSignal, isTrouble } from "./parsers/labels.ts";

/** Lines at the end of a log that are looked at, those of one finding, and the most findings. */
const LAST_LINES = 60;
const SHOWN_LINES = 8;
const MOST_CAUSES = 5;

/** Lines that only pass on what another program said, or sum up: the script that failed, the log, the exit code, a table. */
const NOISE =
  /^npm (?:error|ERR!)(?: (?:code|path|errno|location|workspace|command|Lifecycle|A complete log)\b.*)?$|^(?:g?make|ninja)(?:\[\d{1,3}\])?: \*\*\* (?:\[.*|Waiting for .*)$|^exit status \d{1,3}$|^FAIL(?: \S{1,300} (?:[\d.]{1,12}s|\[.*))?$|^ERROR: InvocationError|\|\s*$|^(?:==\d{1,9}==)?[-=|\s]*$|^##\[|^\[loopdash: |^\W{0,4}X?(?:TOTAL|PASS|SKIP|FAIL|ERROR): {1,12}\d{1,7}$|^\W{0,4}(?:Total|Passed|Skipped|Failed|Failures|Errors): {1,12}\d{1,7}$/;

/** The header that npm, yarn and pnpm print before a script's command. */
const SCRIPT = /^> (?:\S{1,200} )?\S{1,200}$/;

/** A line that only says where: `ERROR in ./src/a.ts`, `./src/a.ts 2:57-62`. Of several in a row, the last is shown. */
const PLACE = /^ {0,4}(?:\[\w{1,20}\] )?(?:ERROR in )?[\w@./-]{1,300}\.\w{1,5}(?:[ (:]\d{1,7}[:,]\d{1,7}(?:-\d{1,7})?\)?)?$/;

/** The last line of a warning that is shown with its code. */
const FRAME_END = /^ {0,8}(?:`-{3}|╰─{3})/;

/**
 * How a log ends, if no tool was recognised: the lines that a program itself calls an error, among the last ones of the last script;
 * else the last lines. The first is what the command stopped at. `known` are words that need not be told again.
 */
export function parseEnding(lines: readonly string[], known: readonly string[]): readonly Draft[] {
  const script = lines.findLastIndex((line, at) => SCRIPT.test(line) && (lines[at + 1] ?? "").startsWith("> "));
  const said = lines.flatMap((line, at) =>
    at <= script + 1 && script >= 0 ? [] : NOISE.test(line) && !isSignal(line) ? [] : [{ line, at }],
  );
  const isKnown = ({ line }: { line: string }) => known.some((words) => FRAME_END.test(line) || line.includes(words));
  if (said.slice(-SHOWN_LINES).some(isKnown)) return [];
  // A group of errors has no more than two other lines between two of them.
  const groups: { lines: { line: string; at: number }[]; end: number }[] = [];
  for (const [i, each] of said.entries()) {
    const open = groups.at(-1);
    const isError = isLabelled(each.line);
    if (isError && (open === undefined || i - open.end > 3)) groups.push({ lines: [...linesBefore(said, i), each], end: i });
    else if (open !== undefined) {
      if (isError) open.end = i;
      if (open.lines.length < SHOWN_LINES) open.lines.push(each);
    }
  }
  const late = groups.filter(({ end }) => end >= said.length - LAST_LINES).map(({ lines: cause }) => cause);
  const found = late.length > 0 ? late.slice(0, MOST_CAUSES) : [lastWords(said)].filter((cause) => cause.length > 0);
  return found.map((cause) => ({
    ...{ tool: "log", severity: cause.some(({ line }) => isSignal(line)) ? "blocker" : "high", category: "unknown" },
    at: cause[0]?.at ?? 0,
    message: cause
      .map(({ line }) => line)
      .filter((line, i, all) => !PLACE.test(line) || !PLACE.test(all[i + 1] ?? ""))
      .join("\n"),
  }));
}

/** The last lines: from the first of them that tells of a failure, if one does. */
function lastWords<T extends { readonly line: string }>(said: readonly T[]): readonly T[] {
  const last = said.slice(-SHOWN_LINES);
  const at = last.findIndex(({ line }) => isTrouble(line));
  return at < 0 ? last.slice(-SHOWN_LINES / 2) : last.slice(at);
}

const PROGRAM = /^[\w./-]{1,60}: /;

/** The lines before one that the same program wrote, a place, or one that it started: `gzip: stdin: not in gzip format`, `tar: Error is not recoverable`. */
function linesBefore<T extends { readonly line: string }>(lines: readonly T[], at: number): T[] {
  const program = PROGRAM.exec(lines[at]?.line ?? "")?.[0];
  let start = at;
  while (program !== undefined && lines[start - 1]?.line.startsWith(program)) start -= 1;
  const before = lines[start - 1]?.line ?? "";
  if ((program !== undefined && PROGRAM.test(before) && !isRemark(before)) || PLACE.test(before)) start -= 1;
  return lines.slice(start, at);
}
