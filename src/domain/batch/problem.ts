import { displayValue } from "@loopdash/values";
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
