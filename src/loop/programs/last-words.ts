import { plainText } from "../../domain/values/text.ts";

const LINES = 5;
const CHARS = 200;

/** Forms in which programs print a usage limit. They decide nothing: they only add a hint for people. */
const LIMIT = /\b(?:usage|rate|session|weekly|hour) limit|\blimit reached|too many requests|quota exceeded|RESOURCE_EXHAUSTED/i;

/** The last lines of an output, raw, without loopdash's own notes. */
function lastLines(tail: string): readonly string[] {
  const lines = tail.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("[loopdash: "));
  return lines.slice(-LINES);
}

/** What Node.js prints below an error that ends a program: where it was thrown, and its own version. It tells nothing of the reason. */
const BELOW_ERROR = /^\s+at |^Node\.js v\d/;

/** The last line that a program printed, safe for a terminal, for use behind its end; empty if there is none. */
export function lastWords(tail: string): string {
  const lines = tail.split("\n").filter((line) => !BELOW_ERROR.test(line));
  const line = plainText(lastLines(lines.join("\n")).at(-1)?.trim() ?? "", CHARS);
  return line === "" ? "" : `; it printed last: ${JSON.stringify(line)}`;
}

/** What to do if the end of an output looks like a usage limit. */
export function limitHint(tail: string): string | undefined {
  if (!lastLines(tail).some((line) => LIMIT.test(line.slice(0, 1_000)))) return undefined;
  return "its words look like a usage limit, and words decide nothing: let the agent write limit.json, or exit with code 75";
}
