import { commandWords } from "../batch/command-words.ts";
import { BOUND_FILE, type Bound, type IronLaw, lawName, MOST_RULES, type Prohibition, type Zone } from "./bound.ts";
import { hasControl, isPlaceholder, unfitForZone } from "./zone-path.ts";

/** A problem of a BOUND.md: its line from 1, and what to do. */
export interface BoundProblem {
  readonly line: number;
  readonly message: string;
  readonly hint: string;
}

export type ParsedBound =
  | { readonly ok: true; readonly bound: Bound }
  | { readonly ok: false; readonly problems: readonly BoundProblem[] };

/** Characters of a file at most. */
const MOST_FILE_CHARS = 256_000;

/** Characters of one rule at most. */
const MOST_RULE_CHARS = 1_000;

const SECTIONS = { "DANGER ZONES": "zones", "NEVER DO": "neverDo", "IRON LAWS": "ironLaws" } as const;
type Section = (typeof SECTIONS)[keyof typeof SECTIONS];
const NAMES = Object.keys(SECTIONS).map((name) => `"## ${name}"`);
const SECTION_HINT = `the sections are ${NAMES.join(", ")}`;

const RULE_HINT = "write each rule as one list item that begins with -";

/** A rule as it is written: a list item with the lines that continue it. */
interface Item {
  readonly line: number;
  readonly text: string;
}

/**
 * Parses a BOUND.md. What cannot be read as a rule is a problem, and never skipped: a rule that is silently lost protects nothing. Prose
 * may only stand before the first section.
 */
export function parseBound(text: string): ParsedBound {
  if (text.length > MOST_FILE_CHARS)
    return refused(1, `the file has more than ${MOST_FILE_CHARS} characters`, "keep the rules short: people have to know them");
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const problems: BoundProblem[] = [];
  const note = (line: number, message: string, hint: string): void => void problems.push({ line, message, hint });
  const sections = readSections(withoutComments(lines, note), note);
  const bound: Bound = {
    zones: (sections.get("zones") ?? []).flatMap((item) => parseZone(item, note) ?? []),
    neverDo: (sections.get("neverDo") ?? []).flatMap((item) => parseProhibition(item, note) ?? []),
    ironLaws: (sections.get("ironLaws") ?? []).flatMap((item, i) => parseIronLaw(item, i, note) ?? []),
  };
  if (sections.size === 0 && problems.length === 0) note(1, "the file has no section", SECTION_HINT);
  const rules = [...sections.values()].flat().length;
  if (rules > MOST_RULES) note(1, `the file has ${rules} rules, and ${MOST_RULES} are the most`, "keep those that matter");
  if (problems.length > 0) return { ok: false, problems: problems.toSorted((a, b) => a.line - b.line) };
  return { ok: true, bound };
}

type Note = (line: number, message: string, hint: string) => void;

/** The lines with comments blanked out, which keep their line breaks. */
function withoutComments(lines: readonly string[], note: Note): readonly string[] {
  const [start = "", ...pieces] = lines.join("\n").split("<!--");
  let kept = start;
  for (const [i, piece] of pieces.entries()) {
    const end = piece.indexOf("-->");
    const isLast = i === pieces.length - 1;
    if (end === -1 && isLast) note(kept.split("\n").length, "the comment is not closed", "close it with -->");
    const comment = end === -1 ? piece : piece.slice(0, end);
    kept += comment.replaceAll(/[^\n]/g, "") + (end === -1 ? "" : piece.slice(end + 3));
  }
  return kept.split("\n");
}

/** The state of a reading, line by line. */
interface Reading {
  /** The section of the present line; `unknown` below a heading that is a problem already. */
  section: Section | "unknown" | undefined;
  hasTitle: boolean;
  readonly found: Map<Section, { readonly line: number; readonly items: Item[] }>;
  readonly note: Note;
}

/** The items by section. */
function readSections(lines: readonly string[], note: Note): ReadonlyMap<Section, readonly Item[]> {
  const reading: Reading = { section: undefined, hasTitle: false, found: new Map(), note };
  for (const [i, raw] of lines.entries()) {
    const line = i + 1;
    const [, marks, rest = ""] = /^ {0,3}(#{1,6})(.*)$/s.exec(raw) ?? [];
    const name = rest
      .trim()
      .replace(/(?<!#)#+$/, "")
      .trimEnd();
    if (marks !== undefined) openSection(reading, { line, name, level: marks.length });
    else if (raw.trim() !== "") takeLine(reading, { line, raw });
  }
  for (const { line, items } of reading.found.values())
    if (items.length === 0) note(line, "the section is empty", "add a rule, or remove the heading");
  return new Map([...reading.found].map(([section, { items }]) => [section, items]));
}

function openSection(
  reading: Reading,
  { line, name, level }: { readonly line: number; readonly name: string; readonly level: number },
): void {
  if (level === 1 && !reading.hasTitle && reading.section === undefined) {
    reading.hasTitle = true;
    return;
  }
  const title = name.toUpperCase().replaceAll(/\s+/g, " ");
  const section = Object.hasOwn(SECTIONS, title) ? SECTIONS[title as keyof typeof SECTIONS] : undefined;
  const before = section === undefined ? undefined : reading.found.get(section);
  reading.section = section === undefined || level !== 2 || before !== undefined ? "unknown" : section;
  if (section === undefined || level !== 2)
    reading.note(line, `the heading "${name.slice(0, 80)}" is none of the sections`, `${SECTION_HINT}, on that level`);
  else if (before !== undefined)
    reading.note(line, `the section "${title}" is there twice`, `put its rules below line ${before.line}`);
  else reading.found.set(section, { line, items: [] });
}

function takeLine({ section, found, note }: Reading, { line, raw }: { readonly line: number; readonly raw: string }): void {
  const [, text] = /^ {0,3}[-*+]\s(.*)$/.exec(raw) ?? [];
  if (section === "unknown") return;
  if (section === undefined) {
    if (text !== undefined || /^ {0,3}(?:={2,}|-{2,})\s*$/.test(raw))
      note(line, "a rule or a heading stands before the first section", SECTION_HINT);
    return;
  }
  const items = found.get(section)?.items ?? [];
  const last = items.at(-1);
  const continues = /^\s{2,}\S/.test(raw) && !/^\s*(?:[-*+]\s|```|~~~)/.test(raw);
  if (text !== undefined) items.push({ line, text: text.trim() });
  else if (continues && last !== undefined) items[items.length - 1] = { ...last, text: `${last.text} ${raw.trim()}` };
  else note(line, `"${raw.trim().slice(0, 60)}" is no rule`, RULE_HINT);
}

function checkText({ line, text }: Item, note: Note): boolean {
  if (text === "") note(line, "the rule is empty", "say what it forbids, or remove the line");
  else if (text.length > MOST_RULE_CHARS) note(line, `the rule has more than ${MOST_RULE_CHARS} characters`, "say it shorter");
  else if (hasControl(text)) note(line, "the rule holds a control character", "remove it");
  else return true;
  return false;
}

/** A code span at the beginning, and what follows it. */
function codeFirst(text: string): { readonly code: string; readonly rest: string } | undefined {
  const [, , code, rest = ""] = /^(`+)(.+?)\1(?!`)(.*)$/s.exec(text) ?? [];
  return code === undefined ? undefined : { code, rest: rest.replace(/^\s*(?:[:–—-]+\s*)?/, "").trim() };
}

function parseZone(item: Item, note: Note): Zone | undefined {
  if (!checkText(item, note)) return undefined;
  const code = codeFirst(item.text);
  if (code === undefined) {
    note(item.line, "the rule does not begin with a path in backticks", "write - `src/payments/`: money moves here");
    return undefined;
  }
  const unfit = unfitForZone(code.code);
  if (unfit !== undefined) {
    note(item.line, unfit.message, unfit.hint);
    return undefined;
  }
  if (code.rest.startsWith("`") || /^(?:,|and\b|or\b)/.test(code.rest)) {
    note(item.line, "the rule names more than one path", "give each path a list item of its own");
    return undefined;
  }
  const origin = { file: BOUND_FILE, line: item.line } as const;
  return { path: code.code, why: code.rest || undefined, origin };
}

function parseProhibition(item: Item, note: Note): Prohibition | undefined {
  if (!checkText(item, note) || !isFilledIn(item, note)) return undefined;
  return { text: item.text, origin: { file: BOUND_FILE, line: item.line } };
}

function isFilledIn({ line, text }: Item, note: Note): boolean {
  // Code may hold anything that looks like a placeholder: `go vet ./...`, `<div>`.
  if (!isPlaceholder(text.replaceAll(/`[^`]*`/g, ""))) return true;
  note(line, "the rule is a placeholder", "write what holds in this repository, or remove the line");
  return false;
}

function parseIronLaw(item: Item, index: number, note: Note): IronLaw | undefined {
  if (!checkText(item, note) || !isFilledIn(item, note)) return undefined;
  const origin = { file: BOUND_FILE, line: item.line } as const;
  const name = lawName(index);
  const code = codeFirst(item.text);
  if (code === undefined) return { name, text: item.text, origin };
  if (/<[^<>]*>|\b(?:TODO|TBD|FIXME)\b/.test(code.code)) {
    note(item.line, "the command is a placeholder", "write a command that exits 0 while the law holds");
    return undefined;
  }
  const words = commandWords(code.code);
  if ("problem" in words) {
    note(item.line, words.problem, "write a program and its arguments, such as `npm run typecheck`");
    return undefined;
  }
  return { name, text: code.rest === "" ? code.code : code.rest, command: words.value, origin };
}

function refused(line: number, message: string, hint: string): ParsedBound {
  return { ok: false, problems: [{ line, message, hint }] };
}

/** Problems for people, one a line, with the file and the line of each. */
export function formatBoundProblems(problems: readonly BoundProblem[]): string {
  return problems.map(({ line, message, hint }) => `${BOUND_FILE}:${line}  ${message}; ${hint}`).join("\n");
}
