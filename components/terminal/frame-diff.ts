import { LINK } from "../../src/store/hyperlink.ts";
import { AnsiWriter } from "./ansi-writer.ts";
import type { LinePlaceholders } from "./line-placeholders.ts";
import type { ResizeGate } from "./resize-gate.ts";
import { type RowAt, type StyledRow, styledRow } from "./styled-row.ts";

const BEGIN = "\u001B[?2026h";
const END = "\u001B[?2026l";
/** Sequences by which Ink erases the last frame: erase a line, go up, go to column 1 or to the corner, erase below. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const TAKING_AWAY = /^(?:\u001B\[(?:2K|\d*A|G|1G|1;1H|H|J|0J))+/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CURSOR = /\u001B\[\?25[hl]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const BEYOND_SGR = /[\u0000\u0002-\u0009\u000B-\u001A\u001C-\u001F]|\u001B(?!\[[\d;]*m)/;

const LINKS = new RegExp(LINK.source, "g");

/** A stream that Ink can draw on. */
type Output = NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };

/**
 * The terminal for Ink: of each whole frame, only the changed cells go out. Ink itself rewrites a changed line up to the right
 * edge, which costs ten times the change if two lists stand side by side. Frames must begin in the corner of the screen, as on
 * the alternate screen. Other output goes out unchanged, and the next frame is then drawn whole. `laidOut` gives the size of the
 * layout: on a resize Ink draws the old frame once more, which waits, and is drawn only if no other follows. `prepared` has the
 * lines that Ink knows only by placeholders.
 */
export function frameDiffStdout<T extends Output>(
  stdout: T,
  { laidOut, prepared }: { readonly laidOut?: ResizeGate; readonly prepared?: LinePlaceholders } = {},
): T {
  const painter = new Painter(stdout, laidOut, prepared);
  const write = (chunk: unknown, ...rest: unknown[]): boolean => painter.write(chunk, rest);
  return new Proxy(stdout, {
    get(target, key) {
      if (key === "write") return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

interface Drawn {
  readonly columns: number;
  readonly rows: number;
  readonly lines: readonly string[];
  readonly cells: readonly (StyledRow | undefined)[];
}

class Painter {
  readonly #stdout: Output;
  readonly #laidOut: ResizeGate | undefined;
  readonly #prepared: LinePlaceholders | undefined;
  /** A frame that came before the layout had the terminal's size. */
  #waiting: string | undefined;
  /** The parts of an unfinished frame. */
  #frame: string | undefined;
  /** The content of the screen; undefined if it is unknown. */
  #drawn: Drawn | undefined;

  constructor(stdout: Output, laidOut: ResizeGate | undefined, prepared: LinePlaceholders | undefined) {
    this.#stdout = stdout;
    this.#laidOut = laidOut;
    this.#prepared = prepared;
  }

  write(chunk: unknown, rest: unknown[]): boolean {
    if (chunk === BEGIN) {
      this.#frame = "";
      return true;
    }
    if (this.#frame === undefined || typeof chunk !== "string") return this.#passOn(chunk, rest);
    if (chunk !== END) {
      this.#frame += chunk;
      return true;
    }
    const frame = this.#frame;
    this.#frame = undefined;
    return this.#draw(frame);
  }

  #passOn(chunk: unknown, rest: unknown[]): boolean {
    if (chunk !== "") this.#drawn = undefined;
    // The next frame draws over an erased one.
    if (typeof chunk === "string" && chunk.replace(TAKING_AWAY, "") === "" && rest.length === 0) return true;
    return Reflect.apply(this.#stdout.write, this.#stdout, [typeof chunk === "string" ? this.#written(chunk) : chunk, ...rest]);
  }

  #written(text: string): string {
    return this.#prepared?.written(text) ?? text;
  }

  #draw(frame: string): boolean {
    this.#waiting = undefined;
    if (this.#laidOut?.isCurrent() === false) {
      this.#waiting = frame;
      this.#laidOut.onSettled(() => this.#waiting !== undefined && this.#draw(this.#waiting));
      return true;
    }
    const cursor = (frame.match(CURSOR) ?? []).join("");
    const text = frame.replaceAll(CURSOR, "").replace(TAKING_AWAY, "");
    const { columns = 80, rows = 24 } = this.#stdout;
    const lines = text.split("\n");
    if (BEYOND_SGR.test(text.replaceAll(LINKS, "")) || lines.length > rows + 1) {
      this.#drawn = undefined;
      // Ink counts lines upwards from the last one.
      return this.#stdout.write(`${BEGIN}\u001B[${rows};1H${this.#written(frame)}${END}`);
    }
    const bytes = cursor + this.#difference(lines.slice(0, rows), columns, rows);
    return bytes === "" ? true : this.#stdout.write(`${BEGIN}${bytes}${END}`);
  }

  /** The bytes that make the screen show these lines; rows without a line are blank. */
  #difference(lines: readonly string[], columns: number, rows: number): string {
    const before = this.#drawn?.columns === columns && this.#drawn.rows === rows ? this.#drawn : undefined;
    const writer = new AnsiWriter(columns);
    const cells: (StyledRow | undefined)[] = [];
    const rowAt: RowAt = (line, from) => this.#prepared?.at(line, from);
    for (let y = 0; y < rows; y += 1) {
      const line = lines[y] ?? "";
      if (before !== undefined && before.lines[y] === line) {
        cells.push(before.cells[y]);
        continue;
      }
      const row = styledRow(line, columns, rowAt);
      const old = before?.cells[y];
      cells.push(row);
      if (row === undefined || old === undefined) writer.replace(y, this.#written(line));
      else writer.update(y, old, row);
    }
    this.#drawn = { columns, rows, lines: Array.from({ length: rows }, (_, y) => lines[y] ?? ""), cells };
    return writer.take();
  }
}
