import type { FilePatch } from "./diff.ts";
import type { Review } from "./review.ts";

/** A defect planted into a change, to test that its reviewer reads. Outside text, raw. */
export interface Plant {
  readonly path: string;
  /** In the new file, from 1. */
  readonly line: number;
  readonly was: string;
  readonly is: string;
}

/** The distance from its place at which a finding still counts, in lines. */
const NEAR = 5;
const CODE = /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|c|cc|cpp|h|hpp|cs|php|scala|sh|bash|pl|lua)$/i;
const TEST = /(?:^|\/)(?:tests?|spec|__tests__)\/|[._-](?:test|spec)\.|(?:^|\/)test_/i;
const COMMENT = /^\s*(?:\/\/|#|\*|\/\*|--)/;
const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Each turns a right line into a wrong one that still reads as code. The first that fits is taken. */
const SWAPS: readonly (readonly [from: RegExp, to: string])[] = [
  [/ !== /, " === "],
  [/ === /, " !== "],
  [/ != /, " == "],
  [/ == /, " != "],
  [/ <= /, " > "],
  [/ >= /, " < "],
  [/ && /, " || "],
  [/ \|\| /, " && "],
  [/\bif not /, "if "],
  [/\breturn true\b/, "return false"],
  [/\breturn false\b/, "return true"],
  [/\breturn True\b/, "return False"],
  [/\breturn False\b/, "return True"],
  [/ \+ (?!["'`])/, " - "],
  [/ - (?!["'`])/, " + "],
  [/ \* /, " / "],
];

/** The questions of a run so far. */
interface Asked {
  readonly asked: number;
  readonly canaries: { readonly seen: number; readonly missed: number };
}

/** True if a question with a planted defect must follow: one per so many ordinary questions. */
export function canaryDue({ asked, canaries }: Asked, every: number): boolean {
  if (every === 0) return false;
  const planted = canaries.seen + canaries.missed;
  return Math.floor((asked - planted + 1) / every) > planted;
}

/**
 * Plants a defect into the first suitable added line of code, outside of tests if possible. The same change always gets the same
 * defect. Undefined if no line is suitable.
 */
export function plantDefect(
  files: readonly FilePatch[],
): { readonly plant: Plant; readonly files: readonly FilePatch[] } | undefined {
  const isCode = files.flatMap(({ path }, i) => (path !== undefined && CODE.test(path) ? [i] : []));
  const isTest = (i: number): boolean => TEST.test(files[i]?.path ?? "");
  for (const i of isCode.toSorted((a, b) => Number(isTest(a)) - Number(isTest(b)))) {
    const file = files[i];
    const found = file?.path === undefined ? undefined : firstDefect(file.lines);
    if (file?.path === undefined || found === undefined) continue;
    const { at, ...plant } = found;
    const planted = { ...file, lines: file.lines.with(at, `+${plant.is}`) };
    return { plant: { path: file.path, ...plant }, files: files.with(i, planted) };
  }
  return undefined;
}

function firstDefect(lines: readonly string[]): (Omit<Plant, "path"> & { readonly at: number }) | undefined {
  let line: number | undefined;
  for (const [at, text] of lines.entries()) {
    const start = HUNK.exec(text)?.[1];
    if (start !== undefined) {
      line = Number(start);
      continue;
    }
    if (line === undefined || text.startsWith("-") || text.startsWith("\\")) continue;
    const was = text.slice(1);
    const is = text.startsWith("+") && !COMMENT.test(was) ? defectiveLine(was) : undefined;
    if (is !== undefined) return { at, line, was, is };
    line += 1;
  }
  return undefined;
}

function defectiveLine(was: string): string | undefined {
  const [from, to] = SWAPS.find(([pattern]) => pattern.test(was)) ?? [];
  return from === undefined || to === undefined ? inverted(was) : was.replace(from, to);
}

/** The line with its condition inverted; undefined if it has none that ends on it. */
function inverted(was: string): string | undefined {
  const at = was.search(/\bif \(/) + "if (".length;
  if (at < "if (".length) return undefined;
  const end = closing(was, at);
  return end === undefined ? undefined : `${was.slice(0, at)}!(${was.slice(at, end)})${was.slice(end)}`;
}

/** The place at which the bracket that is open at `from` closes. */
function closing(text: string, from: number): number | undefined {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "(") depth += 1;
    if (text[i] === ")") depth -= 1;
    if (depth === 0) return i;
  }
  return undefined;
}

/** The file's text with the defect in it; undefined if its line has another text. */
export function withPlant(text: string, { line, was, is }: Plant): string | undefined {
  const lines = text.split("\n");
  return lines[line - 1] === was ? lines.with(line - 1, is).join("\n") : undefined;
}

/** True if a review saw the defect: a finding points at its place, or quotes it. */
export function sawPlant({ findings }: Pick<Review, "findings">, plant: Plant): boolean {
  const quote = plant.is.trim();
  return findings.some(({ file, line, title, scenario, fix }) => {
    const name = file.trim().replace(/^(?:\.\/|[ab]\/)/, "");
    if (name !== plant.path && file.trim() !== plant.path) return false;
    return Math.abs(line - plant.line) <= NEAR || [title, scenario, fix ?? ""].some((text) => text.includes(quote));
  });
}
