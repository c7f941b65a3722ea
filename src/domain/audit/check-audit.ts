import { type AuditHead, type AuditRow, type AuditTip, auditOrigin, readAuditRow, segmentPath, sha256 } from "./audit-row.ts";

/** How far the lines of a segment follow the rows before. */
export interface SegmentRead {
  /** The last row that follows. */
  readonly tip: AuditTip;
  readonly rows: readonly AuditRow[];
  /** The hash after each of them. */
  readonly hashes: readonly string[];
  /** The text behind the last row that follows; empty if all do. */
  readonly rest: string;
  /** Why the first line of the rest does not follow. */
  readonly problem?: string;
}

/** Reads a segment's rows after `tip`, as far as they follow each other. */
export function readSegment(text: string, tip: AuditTip): SegmentRead {
  const rows: AuditRow[] = [];
  const hashes: string[] = [];
  let [now, at] = [tip, 0];
  while (at < text.length) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end === -1 ? text.length : end);
    const row = end === -1 ? undefined : readAuditRow(line);
    const problem = end === -1 ? "the last line is torn" : whyNotAfter(now, row);
    if (problem !== undefined || row === undefined)
      return { tip: now, rows, hashes, rest: text.slice(at), problem: problem || undefined };
    now = { n: row.n, hash: sha256(line) };
    rows.push(row);
    hashes.push(now.hash);
    at = end + 1;
  }
  return { tip: now, rows, hashes, rest: "" };
}

function whyNotAfter(tip: AuditTip, row: AuditRow | undefined): string | undefined {
  const place = tip.n + 1;
  if (row === undefined) return `row ${place}: it is no row`;
  if (row.n > place) return `row ${place}: it is missing (the next one is row ${row.n})`;
  if (row.n < place) return `row ${row.n} stands after row ${tip.n}`;
  if (row.prev === tip.hash) return undefined;
  return tip.n === 0
    ? "row 1: it does not begin this log"
    : `row ${tip.n}: it was changed after it was written, or row ${place} was`;
}

/** A place at which the log does not hold. */
export interface AuditProblem {
  readonly kind: "missing" | "changed" | "malformed";
  readonly path: string;
  readonly why: string;
}

export interface AuditFindings {
  /** Rows that hold. */
  readonly rows: number;
  readonly problems: readonly AuditProblem[];
  readonly notes: readonly string[];
}

/**
 * Checks the log of a run against the heads that the journal names, in their order. `textOf` gives a segment's text, or undefined if there
 * is none. What follows the last head is not proven, but must follow on.
 */
export async function checkAudit(
  run: string,
  heads: readonly AuditHead[],
  textOf: (segment: number) => Promise<string | undefined>,
): Promise<AuditFindings> {
  const check = new AuditCheck(run, heads);
  let text = await textOf(1);
  for (let segment = 1; ; segment++) {
    const next = text === undefined ? undefined : await textOf(segment + 1);
    if (!check.segment(segment, text, next)) return check.findings();
    text = next;
  }
}

class AuditCheck {
  readonly #problems: AuditProblem[] = [];
  readonly #notes: string[] = [];
  readonly #last: AuditHead | undefined;
  readonly #wanted: ReadonlyMap<number, AuditHead>;
  #tip: AuditTip;
  /** What an earlier segment left behind its last row. */
  #torn = "";

  constructor(run: string, heads: readonly AuditHead[]) {
    this.#tip = auditOrigin(run);
    this.#last = heads.at(-1);
    this.#wanted = new Map(heads.map((head) => [head.n, head]));
  }

  /** Takes a segment. False if the check ends with it. */
  segment(segment: number, text: string | undefined, next: string | undefined): boolean {
    const path = segmentPath(segment);
    if (text === undefined) {
      const isNamed = segment <= (this.#last?.segment ?? 0);
      if (isNamed) this.#problems.push({ kind: "missing", path, why: "the journal names rows of it, and it is not there" });
      return false;
    }
    const read = readSegment(text, this.#tip);
    const problem = tornProblem(this.#torn, read) ?? headProblem(read, segment, this.#wanted);
    this.#tip = read.tip;
    this.#torn = read.rest;
    if (problem !== undefined) this.#problems.push({ path, ...problem });
    else if (read.problem !== undefined) return this.#broken(path, read, next);
    return problem === undefined;
  }

  findings(): AuditFindings {
    const [tip, last] = [this.#tip, this.#last];
    const holds = this.#problems.length === 0;
    if (holds && last !== undefined && tip.n < last.n) {
      const why = `row ${last.n} was written last, and the log ends with row ${tip.n}`;
      this.#problems.push({ kind: "changed", path: segmentPath(last.segment), why });
    }
    const unproven = tip.n - (last?.n ?? 0);
    if (holds && unproven > 0) {
      const which = unproven === 1 ? "the last row is" : `the last ${unproven} rows are`;
      this.#notes.push(`audit: ${which} not proven yet: no row of the journal names them`);
    }
    return { rows: tip.n, problems: this.#problems, notes: this.#notes };
  }

  /** A segment that ends with text that does not follow. An engine that goes on accounts for that in the next segment. */
  #broken(path: string, read: SegmentRead, next: string | undefined): boolean {
    if (next !== undefined && isAccountedFor(read, next)) return true;
    const { n } = this.#tip;
    const isTorn = n >= (this.#last?.n ?? 0) && next === undefined && !read.rest.includes("\n");
    if (isTorn) this.#notes.push(`${path}: the last line is torn: the engine was lost while it wrote it, or writes it now`);
    else this.#problems.push({ kind: "changed", path, why: `${read.problem}. Nothing behind row ${n} is proven` });
    return false;
  }
}

function isAccountedFor({ tip, rest }: SegmentRead, next: string): boolean {
  const [row] = readSegment(next.slice(0, next.indexOf("\n") + 1), tip).rows;
  return row?.kind === "torn" && row.sha256 === sha256(rest);
}

/** A row that accounts for torn text must have some, and torn text such a row. */
function tornProblem(torn: string, { rows }: SegmentRead): Omit<AuditProblem, "path"> | undefined {
  const odd = rows.find((row, i) => row.kind === "torn" && (i > 0 || torn === ""));
  return odd && { kind: "changed", why: `row ${odd.n}: the torn text that it accounts for is not there` };
}

/** The first row that is not the one that the journal names. */
function headProblem(
  { rows, hashes }: SegmentRead,
  segment: number,
  wanted: ReadonlyMap<number, AuditHead>,
): Omit<AuditProblem, "path"> | undefined {
  for (const [i, { n }] of rows.entries()) {
    const head = wanted.get(n);
    if (head === undefined) continue;
    if (head.hash !== hashes[i]) return { kind: "changed", why: `row ${n}: it is not the one that the journal names` };
    if (head.segment !== segment) return { kind: "changed", why: `row ${n}: it was written to ${segmentPath(head.segment)}` };
  }
  return undefined;
}
