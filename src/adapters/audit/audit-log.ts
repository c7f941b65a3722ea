import {
  closeSync,
  constants,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import {
  type AuditEntry,
  type AuditHead,
  type AuditTip,
  auditLine,
  auditOrigin,
  SEGMENT_BYTES,
  segmentName,
  tornLine,
} from "../../domain/audit/audit-row.ts";
import { readSegment } from "../../domain/audit/check-audit.ts";
import { hasErrorCode, plural } from "../../domain/values/text.ts";
import type { AuditLog } from "../../ports/audit-log.ts";
import type { Clock } from "../../ports/clock.ts";

/** Rows that wait while the disk refuses them; later ones are counted. */
const MOST_WAITING = 2_000;

export interface AuditLogOptions {
  /** The log's folder: `runs/<run>/audit`. Made with the first row. */
  readonly folder: string;
  readonly run: string;
  /** The end of the log by the journal, if it names one: no row takes the place of one that has been there. */
  readonly head: () => AuditHead | undefined;
  readonly clock: Pick<Clock, "now">;
}

interface Waiting {
  readonly at: number;
  readonly entry: AuditEntry;
}

/** The part of a row that is not in the file yet. */
interface Unwritten {
  readonly bytes: Buffer;
  from: number;
  readonly tip: AuditTip;
}

/** Opens the log of a run for writing. Touches no file before the first row, or `flush`. */
export function openAuditLog(options: AuditLogOptions): AuditLog & Disposable {
  return new SegmentedLog(options);
}

class SegmentedLog implements AuditLog, Disposable {
  readonly #options: AuditLogOptions;
  readonly #waiting: Waiting[] = [];
  /** The last entry that was left out, and how many were. */
  #leftOut: { readonly entry: AuditEntry; rows: number } | undefined;
  #unwritten: Unwritten | undefined;
  #tip: AuditTip;
  #segment = 0;
  #bytes = 0;
  #file: number | undefined;
  #isFound = false;
  /** The bytes that an earlier engine has left behind the last whole row, for which no row accounts yet. */
  #torn = "";
  #isSynced = true;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#tip = auditOrigin(options.run);
  }

  get #unsaid(): number {
    return this.#waiting.length + (this.#leftOut?.rows ?? 0) + (this.#unwritten === undefined ? 0 : 1);
  }

  append(entry: AuditEntry): void {
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push({ at: this.#options.clock.now(), entry });
    else this.#leftOut = { entry, rows: (this.#leftOut?.rows ?? 0) + 1 };
    try {
      this.#write();
    } catch (error) {
      // `flush` meets it again, and its caller waits it out.
      if (!isOfSystem(error)) throw error;
    }
  }

  flush(): AuditHead | undefined {
    this.#write();
    if (!this.#isSynced && this.#file !== undefined) fdatasyncSync(this.#file);
    this.#isSynced = true;
    return this.#segment === 0 ? undefined : { segment: this.#segment, ...this.#tip };
  }

  [Symbol.dispose](): void {
    try {
      if (this.#unsaid > 0) this.flush();
    } catch (error) {
      if (!isOfSystem(error)) throw error;
      process.emitWarning(
        `the disk refused the last ${plural(this.#unsaid, "row")} of the audit log of run ${this.#options.run}`,
      );
    }
    this.#close();
  }

  #write(): void {
    if (!this.#isFound) this.#find();
    this.#rest();
    if (this.#torn !== "") {
      this.#line(tornLine(this.#tip, this.#options.clock.now(), this.#torn));
      this.#torn = "";
      this.#rest();
    }
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      this.#line(auditLine(this.#tip, next.at, next.entry));
      this.#waiting.shift();
      this.#rest();
    }
    if (this.#leftOut === undefined) return;
    const { entry, rows } = this.#leftOut;
    const { ticket, attempt, vendor } = entry;
    const told: AuditEntry = { ticket, attempt, vendor, kind: "left-out", exit: "unknown", command: "", rows };
    this.#line(auditLine(this.#tip, this.#options.clock.now(), told));
    this.#leftOut = undefined;
    this.#rest();
  }

  /** Makes room for a line: from here on it is the next one, whatever the disk says. */
  #line({ line, tip }: { readonly line: string; readonly tip: AuditTip }): void {
    const bytes = Buffer.from(line);
    if (this.#segment === 0 || this.#bytes + bytes.length > SEGMENT_BYTES) this.#begin(this.#segment + 1);
    else if (this.#file === undefined) this.#file = openSync(this.#path(this.#segment), APPEND);
    this.#unwritten = { bytes, from: 0, tip };
  }

  /** Writes what is left of a line. A full disk may have taken a part of it: the rest follows that part. */
  #rest(): void {
    const unwritten = this.#unwritten;
    if (unwritten === undefined || this.#file === undefined) return;
    while (unwritten.from < unwritten.bytes.length) {
      this.#isSynced = false;
      const written = writeSync(this.#file, unwritten.bytes, unwritten.from);
      unwritten.from += written;
      this.#bytes += written;
    }
    this.#tip = unwritten.tip;
    this.#unwritten = undefined;
  }

  /** Begins a segment. What is in the one before is on the disk then. */
  #begin(segment: number): void {
    const { folder } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!this.#isSynced && this.#file !== undefined) fdatasyncSync(this.#file);
    this.#close();
    this.#file = openSync(this.#path(segment), APPEND | constants.O_CREAT | constants.O_EXCL, 0o600);
    this.#segment = segment;
    this.#bytes = 0;
    const names = openSync(folder, constants.O_RDONLY);
    try {
      fsyncSync(names);
    } finally {
      closeSync(names);
    }
  }

  /** Finds the end of the log that an earlier engine has written. What does not follow stays as it is, and a row accounts for it. */
  #find(): void {
    const { folder, head: named } = this.#options;
    const last = lastSegment(folder);
    let [tip, torn, bytes] = [this.#tip, "", 0];
    for (let segment = 1; segment <= last; segment++) {
      const text = readSegmentText(this.#path(segment));
      const read = readSegment(text, tip);
      if (read.rows[0]?.kind === "torn") torn = "";
      if (read.rest !== "") torn = read.rest;
      tip = read.tip;
      bytes = text.length;
    }
    const head = named();
    const isBehind = head !== undefined && (tip.n < head.n || last < head.segment);
    // Rows that the journal names are gone: the next one does not take their place.
    this.#tip = isBehind && tip.n < head.n ? head : tip;
    this.#segment = Math.max(last, isBehind ? head.segment : 0);
    this.#bytes = isBehind || torn !== "" ? SEGMENT_BYTES : bytes;
    this.#torn = torn;
    this.#isFound = true;
  }

  #path(segment: number): string {
    return join(this.#options.folder, segmentName(segment));
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;

/** The number of the last segment; 0 if there is none. */
function lastSegment(folder: string): number {
  try {
    const numbers = readdirSync(folder).flatMap((name) => (/^\d{6}\.jsonl$/.test(name) ? [Number.parseInt(name, 10)] : []));
    return Math.max(0, ...numbers);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return 0;
    throw error;
  }
}

/** The text of a segment; empty if it is not there. */
function readSegmentText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return "";
    throw error;
  }
}

function isOfSystem(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
