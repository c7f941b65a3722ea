import { PassThrough, Writable } from "node:stream";
import { WriteStream } from "node:tty";
import xterm from "@xterm/headless";
import { useModernWidths } from "./modern-widths.ts";

/** A terminal for Ink to draw on: its output goes into a screen model, as it would on a real one. */
export class Terminal extends Writable {
  readonly isTTY = true;
  columns: number;
  rows: number;
  /** Everything that was ever written. */
  raw = "";
  /** How often the alternate screen was moved up, which a dashboard must never do. */
  scrolls = 0;
  readonly #screen: InstanceType<typeof xterm.Terminal>;

  constructor(columns: number, rows: number) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.rows = rows;
    this.#screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1000, convertEol: true });
    useModernWidths(this.#screen);
    // Going to the other screen counts as a scroll to xterm; it tells of the change only afterwards.
    let shown: string = this.#screen.buffer.active.type;
    this.#screen.buffer.onBufferChange((buffer) => {
      shown = buffer.type;
    });
    this.#screen.onScroll(() => {
      if (shown === "alternate" && this.#screen.buffer.active.type === "alternate") this.scrolls += 1;
    });
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    this.raw += chunk;
    this.#screen.write(chunk, done);
  }

  /** What a terminal of Node says of its colours in this environment. */
  getColorDepth(): number {
    return WriteStream.prototype.getColorDepth.call(this, process.env);
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.#screen.resize(columns, rows);
    this.emit("resize");
  }

  /** What the screen shows, line by line, without trailing spaces. */
  async lines(): Promise<readonly string[]> {
    await new Promise<void>((resolve) => this.#screen.write("", resolve));
    const buffer = this.#screen.buffer.active;
    return Array.from(
      { length: this.rows },
      (_, y) => buffer.getLine(buffer.baseY + y)?.translateToString(true, 0, this.columns) ?? "",
    );
  }

  /** Lines of the screen that go on from the one above, because that ran over the right edge. */
  async overruns(): Promise<readonly string[]> {
    await this.lines();
    const { active } = this.#screen.buffer;
    const lines = Array.from({ length: active.length }, (_, y) => active.getLine(y));
    return lines.flatMap((line) => (line?.isWrapped === true ? [line.translateToString(true)] : []));
  }

  /** The screen itself, for pictures of it. Whatever was written is on it. */
  async screen(): Promise<InstanceType<typeof xterm.Terminal>> {
    await this.lines();
    return this.#screen;
  }

  async text(): Promise<string> {
    return (await this.lines()).join("\n");
  }

  /** Whether any cell has a colour of its own, and whether any is bold, dim or inverted. */
  async styles(): Promise<{ readonly colours: number; readonly other: number }> {
    await this.lines();
    const buffer = this.#screen.buffer.active;
    let [colours, other] = [0, 0];
    for (let y = 0; y < this.rows; y++) {
      for (let x = 0; x < this.columns; x++) {
        const cell = buffer.getLine(buffer.baseY + y)?.getCell(x);
        if (cell === undefined) continue;
        if (!cell.isFgDefault() || !cell.isBgDefault()) colours += 1;
        if (cell.isBold() !== 0 || cell.isDim() !== 0 || cell.isInverse() !== 0) other += 1;
      }
    }
    return { colours, other };
  }

  /** Which buffer is shown, and how many lines have scrolled out of it. */
  buffer(): { readonly type: string; readonly scrolled: number } {
    const buffer = this.#screen.buffer.active;
    return { type: buffer.type, scrolled: buffer.baseY };
  }
}

/** A keyboard for Ink to read. */
export class Keyboard extends PassThrough {
  readonly isTTY = true;
  rawMode = false;

  /** Types: all of it arrives at once, as one chunk. */
  press(data: string): void {
    this.write(data);
  }

  setRawMode(on: boolean): this {
    this.rawMode = on;
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
