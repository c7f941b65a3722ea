import { AnsiWriter } from "./ansi-writer.ts";
import type { LinePlaceholders } from "./line-placeholders.ts";
import type { ResizeGate } from "./resize-gate.ts";
import { type RowAt, type StyledRow, styledRow } from "./styled-row.ts";

const BEGIN = "\u001B[?2026h";
const END = "\u001B[?2026l";
/** What Ink writes before a frame to take the last one away: erase a line, go up, go to column 1 or to the corner, erase below. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const TAKING_AWAY = /^(?:\u001B\[(?:2K|\d*A|G|1G|1;1H|H|J|0J))+/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CURSOR = /\u001B\[\?25[hl]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const BEYOND_SGR = /[\u0000\u0002-\u0009\u000B-\u001A\u001C-\u001F]|\u001B(?!\[[\d;]*m)/;

/** What a stream has to be for Ink to draw on. */
type Output = NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };

/**
 * The terminal as Ink is to see it: of each whole frame that comes, only the cells that changed go out. Ink itself rewrites a
 * changed line up to the right edge, which costs ten times what has changed where two lists stand side by side. Frames have
 * to begin in the corner of the screen, as on the alternate screen. Whatever is no frame goes out as it is, and the next
 * frame is then drawn whole. `laidOut` tells what size is laid out for: on a resize Ink draws the old frame
 * once more, which waits, and is drawn only where no other comes after it. `prepared` knows the lines of which Ink has signs only.
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
  /** A frame that came before the views were laid out for the size of the terminal. */
  #waiting: string | undefined;
  /** What is collected of a frame that is under way. */
  #frame: string | undefined;
  /** What the screen shows; undefined where that is not known. */
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
    // An erased frame is overdrawn by the next one.
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
    if (BEYOND_SGR.test(text) || lines.length > rows + 1) {
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
    const pen = new AnsiWriter(columns);
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
      if (row === undefined || old === undefined) pen.replace(y, this.#written(line));
      else pen.update(y, old, row);
    }
    this.#drawn = { columns, rows, lines: Array.from({ length: rows }, (_, y) => lines[y] ?? ""), cells };
    return pen.take();
  }
}
