import type { ShownChange } from "../../domain/review/shown-change.ts";
import type { AgentTokens, EventLineReader } from "../../domain/run/agent-event.ts";
import { visibleText } from "../../domain/values/visible-text.ts";
import { displayLine } from "../format.ts";
import type { Tone } from "../labels/tone.ts";
import { EventReader } from "./event-reader.ts";
import { LineRing, type LogLine } from "./line-ring.ts";

/** Characters of one line that are shown: the rest is counted. */
export const LINE_CHARS = 8_192;
/** Characters of one line that are read to parse it as an event. */
const EVENT_CHARS = 1_000_000;

/** Lines to show: the i-th of `count` is the (`first` + i)-th of all lines ever. */
export interface TextSource {
  /** Differs for every other text, also for the same file started again. */
  readonly key: string;
  readonly first: number;
  readonly count: number;
  line(i: number): LogLine;
}

/** The kind of a text: an agent's log, the output of a command or the reviewer, a diff, or none of these. */
export type TextKind = "log" | "output" | "diff" | "plain";

const NOTHING: LogLine = { text: "", tone: "plain" };

/**
 * A growing text, as lines: the newest are kept, both raw and as people read them. It lives outside of React and of the store,
 * which has only a count of its changes.
 */
export class LogText {
  readonly #kind: TextKind;
  readonly #shown = new LineRing();
  readonly #raw = new LineRing();
  readonly #createReader: () => EventLineReader;
  #events: EventReader;
  #pending = "";
  /** Characters of the current line that are not kept. */
  #over = 0;
  #carriage = false;
  #begun = 0;
  /** Bytes of the file before the first one read. */
  skipped = 0;

  /** `createReader` parses the events of a log or an output; without it no line is an event. */
  constructor(kind: TextKind, createReader: () => EventLineReader = () => () => undefined) {
    this.#kind = kind;
    this.#createReader = createReader;
    this.#events = new EventReader(createReader());
  }

  /** True if any line differs from its raw text. */
  get hasEvents(): boolean {
    return this.#events.seen;
  }

  get tokens(): AgentTokens | undefined {
    return this.#events.tokens;
  }

  /** Starts again without the earlier text; `skipped` bytes precede the next. */
  begin({ skipped }: { readonly skipped: number }): void {
    this.#shown.clear();
    this.#raw.clear();
    this.#events = new EventReader(this.#createReader());
    this.#pending = skipped > 0 ? "…" : "";
    this.#over = 0;
    this.#carriage = false;
    this.skipped = skipped;
    this.#begun += 1;
  }

  /** Appends text. Text that a carriage return overwrites becomes a line of its own. */
  push(text: string): void {
    const whole = this.#carriage ? `\r${text}` : text;
    this.#carriage = whole.endsWith("\r");
    const parts = (this.#carriage ? whole.slice(0, -1) : whole).split(/\r\n|[\n\r]/);
    parts.forEach((part, i) => {
      if (i > 0) this.#endLine();
      const room = Math.max(0, EVENT_CHARS - this.#pending.length);
      this.#pending += part.slice(0, room);
      this.#over += Math.max(0, part.length - room);
    });
  }

  /** Its lines, unchanged if `raw`; the last one may be incomplete. */
  lines(raw: boolean): TextSource {
    const ring = raw || !this.hasEvents ? this.#raw : this.#shown;
    const last = this.#pending === "" ? undefined : this.#plain();
    return {
      key: `${this.#begun} ${ring === this.#raw ? "raw" : "read"}`,
      first: ring.first,
      count: ring.count + (last === undefined ? 0 : 1),
      line: (i) => (i === ring.count ? (last ?? NOTHING) : (ring.at(i) ?? NOTHING)),
    };
  }

  #endLine(): void {
    const plain = this.#plain();
    this.#raw.push(plain);
    const mayTell = this.#kind === "log" || this.#kind === "output";
    const read = mayTell && this.#over === 0 ? this.#events.line(this.#pending) : undefined;
    this.#pending = "";
    this.#over = 0;
    if (!mayTell) return;
    for (const line of read ?? [{ ...plain, joins: false }]) this.#show(line, line.joins);
  }

  #show(line: LogLine, joins: boolean): void {
    const before = joins ? this.#shown.at(this.#shown.count - 1) : undefined;
    if (before !== undefined && before.text.length < LINE_CHARS)
      this.#shown.replaceLast({ text: before.text + line.text, tone: line.tone });
    else this.#shown.push({ text: line.text, tone: line.tone });
  }

  #plain(): LogLine {
    const over = Math.max(0, this.#pending.length - LINE_CHARS) + this.#over;
    const kept = this.#pending.slice(0, LINE_CHARS);
    const text = displayLine(this.#kind === "diff" ? visibleText(kept) : kept) + (over === 0 ? "" : ` … +${over} characters`);
    return { text, tone: TONES[this.#kind](text) };
  }
}

const TONES: Readonly<Record<TextKind, (line: string) => Tone>> = {
  log: () => "claim",
  output: () => "plain",
  plain: () => "plain",
  diff: diffTone,
};

/** A line of a patch by its first characters. */
function diffTone(line: string): Tone {
  if (/^(?:diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename |# cut here)/.test(line)) return "waiting";
  if (line.startsWith("@@")) return "running";
  if (line.startsWith("+")) return "good";
  return line.startsWith("-") ? "bad" : "plain";
}

/** The state of the shown file. `reading` until the reader has looked for it. */
export type FileLabel = "reading" | "there" | "absent" | { readonly refused: string };

/** A change with its long lines in pieces, so that none of them is cut. A piece begins with a sign that no line of a patch begins with. */
export function foldLongLines(patch: string): string {
  return patch.replaceAll(PIECE, (piece, at: number) => (at === 0 || patch[at - 1] === "\n" ? piece : `\n> ${piece}`));
}

/** A line, or a piece of one that is at most half as long as a line that is shown. */
const PIECE = /[^\n]{1,4096}/gu;

/** The reader's result for a file: the text itself lies outside of the store. */
export interface OpenFile {
  /** The key of its target. */
  readonly key: string;
  readonly text: LogText;
  readonly file: FileLabel;
  /** Number of changes of the text. */
  readonly version: number;
  /** The change that it is, and if all of it is shown; absent for a file. */
  readonly change?: Pick<ShownChange, "commit" | "whole">;
}
