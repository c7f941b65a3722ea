import { distance } from "fastest-levenshtein";
import { isLoopFile } from "../ci/loop-file.ts";
import { firstFew, plainText } from "../values/text.ts";

/** Keys and indices from the top of a batch file down to a value. */
export type Path = readonly (string | number)[];

/** A place in the batch file (line and column from 1, columns in UTF-16 units), or in a ticket's or a contract's file. */
export type Spot =
  | { readonly line: number; readonly column: number }
  | { readonly file: string; readonly path: string; readonly line?: number; readonly column?: number };

/** The place of a value; undefined if it has none. */
export type Locate = (path: Path) => Spot | undefined;

/** A problem that keeps a batch from running, in words for its author. */
export interface BatchProblem {
  /** Place in the file, from 1; absent in a ticket's file. */
  readonly line?: number;
  readonly column?: number;
  /** The file of a ticket or of a contract with the problem, if it is not in the batch file. */
  readonly file?: string;
  /** `tickets[2].dependsOn[0]`; empty for the file as a whole. Relative to `file` if that is given. */
  readonly path: string;
  /** The problem, as a predicate of the path: "must be …", "is missing", or a sentence of its own. */
  readonly message: string;
  /** The remedy. */
  readonly hint?: string;
  /** True for a warning that every start repeats, because nothing shows it later in time. */
  readonly atStart?: true;
}

/** Records a problem. */
export type NoteProblem = (path: Path, message: string, hint?: string) => void;

const MAX_SHOWN = 20;
const MAX_LINE = 500;

/** A path in the notation that people use. */
export function pathText(path: Path): string {
  return path.map((key, i) => segment(key, i === 0)).join("");
}

function segment(key: string | number, first: boolean): string {
  if (typeof key === "number") return `[${key}]`;
  if (!/^[A-Za-z_$][\w$-]{0,63}$/.test(key)) return `[${displayValue(key)}]`;
  return first ? key : `.${key}`;
}

/** A problem at the value, or at the innermost enclosing value that is in the file. */
export function problemAt(locate: Locate, path: Path, message: string, hint?: string): BatchProblem {
  const rest = { message, ...(hint !== undefined && { hint }) };
  for (let length = path.length; length >= 0; length--) {
    const spot = locate(path.slice(0, length));
    if (spot === undefined) continue;
    return "file" in spot ? { ...spot, ...rest } : { ...spot, path: pathText(path), ...rest };
  }
  return { line: 1, column: 1, path: pathText(path), ...rest };
}

/** By place: the batch file from top to bottom, then ticket files by name. */
export function sortProblems(problems: readonly BatchProblem[]): readonly BatchProblem[] {
  return problems.toSorted((a, b) => {
    if (a.file !== b.file) return (a.file ?? "") < (b.file ?? "") ? -1 : 1;
    return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
  });
}

/**
 * Problems for people, one per line: `batch.json:12:5 tickets[2].dependsOn[0]: unknown ticket "T-9"; did you mean "T-8"?`. The
 * first 20, then the number of further ones. Safe for a terminal. `file` is the batch file's name as the person gave it.
 */
export function formatProblems(file: string, problems: readonly BatchProblem[]): string {
  const lines = problems.map((problem) => plainText(formatProblem(file, problem), MAX_LINE));
  return firstFew(lines, MAX_SHOWN).join("\n");
}

function formatProblem(file: string, problem: BatchProblem): string {
  const { path, message, hint } = problem;
  const place = placeIn(file, problem);
  const said = path === "" ? message : `${path}${/^(must|is|has) /.test(message) ? " " : ": "}${message}`;
  return `${place}  ${said}${hint === undefined ? "" : `; ${hint}`}`;
}

function placeIn(batch: string, { file = batch, line, column }: BatchProblem): string {
  if (isLoopFile(file)) return "the batch of this loop";
  return line === undefined ? file : `${file}:${line}:${column}`;
}

/** A value from the file for a message: short, on one line, without control characters. */
export function displayValue(value: unknown): string {
  if (typeof value === "string")
    return plainText(JSON.stringify([...value.slice(0, 84)].slice(0, 40).join("") + (value.length > 40 ? "…" : "")));
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

/** Longer names are not compared: nobody mistypes those, and the cost grows with the square of the length. */
const MAX_COMPARED = 64;
/** Number of names that a message lists. */
const MAX_LISTED = 8;

/**
 * The candidate that `name` was probably meant to be: at most a third of it differs, case aside. Among equals, the one with the
 * closest number, then the first.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_COMPARED) return undefined;
  const wanted = name.toLowerCase();
  const limit = Math.max(1, Math.floor(name.length / 3));
  let best: { candidate: string; far: number; gap: number } | undefined;
  for (const candidate of candidates) {
    if (candidate.length > MAX_COMPARED || Math.abs(candidate.length - name.length) > limit) continue;
    const far = isSwapped(wanted, candidate.toLowerCase()) ? 1 : distance(wanted, candidate.toLowerCase());
    if (far > (best?.far ?? limit) || far >= name.length) continue;
    const gap = Math.abs(lastNumber(candidate) - lastNumber(name));
    if (best === undefined || far < best.far || gap < best.gap) best = { candidate, far, gap };
  }
  return best?.candidate;
}

/** True if two letters side by side have changed places, which counts as one mistake. */
function isSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const at = [...a].findIndex((letter, i) => letter !== b[i]);
  return at >= 0 && a.slice(at, at + 2) === `${b[at + 1]}${b[at]}` && a.slice(at + 2) === b.slice(at + 2);
}

/** `did you mean "x"?` if something is near, or else the possible names. */
export function hintFor(name: string, candidates: readonly string[], label: string): string | undefined {
  const near = nearest(name, candidates);
  if (near !== undefined) return `did you mean ${displayValue(near)}?`;
  return candidates.length === 0 ? undefined : `${label}: ${listed(candidates)}`;
}

/** The first few names, with commas between. */
export function listed(names: readonly string[]): string {
  const more = names.length > MAX_LISTED + 2 ? ` and ${names.length - MAX_LISTED} more` : "";
  return (more === "" ? names : names.slice(0, MAX_LISTED)).join(", ") + more;
}

function lastNumber(name: string): number {
  return Number(/(\d{1,15})\D*$/.exec(name)?.[1] ?? 0);
}
