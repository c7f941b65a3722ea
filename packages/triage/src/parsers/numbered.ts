import { type Draft, isForeign, type ParsedReport, relativeFile } from "../draft.ts";
import { MAX_BLOCKS, withoutIndent } from "./blocks.ts";

/** `  1) Cart totals what is known`, and `1) CartTest::testTotal`. */
const HEAD = /^ {0,4}\d{1,4}\) (\S.*)$/;
/** A runner's own sum or heading, without which a numbered list is only a list. */
const FAILURES =
  /^(?:Failures:|There (?:was|were) \d{1,6} (?:failure|error)|.{0,60}\b[1-9]\d{0,5} (?:failures?|errors?|failed)\b)/;
/** The heading of another list: of risky tests, of warnings, of what is pending. */
const NO_FAILURES = /^(?:There (?:was|were) \d{1,6} (?!failure|error)|Pending:|Skipped:)/;
/** The first line after the list. */
const END = /^(?:Finished |Failed examples:|FAILURES!|ERRORS!|\d{1,6} (?:runs|tests|examples)\b|There (?:was|were) )/;
/** The frames of a failure, in which its message ends. */
const STACK = /^\s{0,12}(?:# |stacktrace:|code: .*:in |[^\s:]{1,300}\.\w{1,5}:\d{1,7}(?::in .*)?$)/;
const PLACE = /^\s{0,12}(?:# )?([^\s:]{1,300}\.\w{1,5}):(\d{1,7})(?!\d)/;
const IN_BRACKETS = /\[([^\s:[\]]{1,300}):(\d{1,7})\]:?$/;
const MOST_LINES = 60;

/** Reads the numbered failures of runners whose stacks are not V8's: rspec, minitest, ExUnit, PHPUnit. */
export function parseNumbered(lines: readonly string[], roots: readonly string[]): ParsedReport {
  if (!lines.some((line) => FAILURES.test(line))) return { drafts: [] };
  const drafts: Draft[] = [];
  let isOther = false;
  for (let at = 0; at < lines.length && drafts.length < MAX_BLOCKS; at += 1) {
    const line = lines[at] ?? "";
    const name = HEAD.exec(line)?.[1];
    isOther = NO_FAILURES.test(line) || (isOther && !FAILURES.test(line));
    if (name === undefined || isOther) continue;
    const rest = lines.slice(at + 1, at + MOST_LINES);
    const end = rest.findIndex((line) => HEAD.test(line) || END.test(line));
    drafts.push({ ...numberedDraft(name, end < 0 ? rest : rest.slice(0, end), roots), at });
    at += Math.max(end, 0);
  }
  return { drafts };
}

function numberedDraft(name: string, body: readonly string[], roots: readonly string[]): Draft {
  // minitest numbers the kind of failure, and names the test below it.
  const isKind = /^(?:Failure|Error):$/.test(name);
  const test = isKind ? (body[0] ?? "").trim().replace(/ \[.*|:$/, "") : name;
  const said = body.slice(isKind ? 1 : 0).filter((line) => line.trim() !== "");
  // ExUnit begins with the test's place.
  const start = STACK.test(said[0] ?? "") ? 1 : 0;
  const stop = said.findIndex((line, i) => i >= start && STACK.test(line));
  const [, path = "", line] = body.flatMap((each) => PLACE.exec(each) ?? IN_BRACKETS.exec(each) ?? []);
  const place = path === "" || isForeign(path) ? {} : { file: relativeFile(path, roots), line: Number(line) };
  const message = withoutIndent(said.slice(start, stop < 0 ? undefined : stop));
  return { tool: "tests", severity: "high", category: "test", test, ...place, message };
}
