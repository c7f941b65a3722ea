import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

/** Size of a terminal in cells. */
export interface Size {
  readonly cols: number;
  readonly rows: number;
}

const LONGEST_WAIT_MS = 60_000;

/** A program on a pseudo-terminal, with the times of its output. */
export class Screen {
  readonly #pty;
  readonly #model: xterm.Terminal;
  readonly #size: Size;
  readonly #gone: Promise<void>;
  readonly #startedAt = performance.now();
  #looks: ((at: number) => void)[] = [];
  /** The pieces written since `record` began, with their times. */
  #tape: string[] | undefined;

  constructor(options: { argv: readonly [string, ...string[]]; cwd: string; env: Readonly<Record<string, string>>; size: Size }) {
    const [program, ...args] = options.argv;
    this.#size = options.size;
    this.#pty = spawn(program, args, { ...options.size, cwd: options.cwd, env: options.env, name: "xterm-256color" });
    this.#model = new xterm.Terminal({ ...options.size, allowProposedApi: true });
    this.#gone = new Promise((done) => this.#pty.onExit(() => done()));
    this.#pty.onData((data) => {
      const at = performance.now();
      this.#tape?.push(data);
      this.#model.write(data, () => {
        for (const look of [...this.#looks]) look(at);
      });
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /**
   * Milliseconds from now to the first byte of the output after which `shows` is true. With `sinceStart`, from the start of the
   * program.
   */
  async until(shows: () => boolean, { sinceStart }: { readonly sinceStart?: boolean } = {}): Promise<number> {
    const from = sinceStart === true ? this.#startedAt : performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const timer = setTimeout(() => reject(new Error(`never shown:\n${this.text()}`)), LONGEST_WAIT_MS);
    const look = (at: number): void => {
      if (shows()) resolve(at - from);
    };
    this.#looks.push(look);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#looks = this.#looks.filter((other) => other !== look);
    });
  }

  press(keys: string): void {
    this.#pty.write(keys);
  }

  lines(): readonly string[] {
    const { active } = this.#model.buffer;
    return Array.from({ length: this.#size.rows }, (_, y) => active.getLine(active.viewportY + y)?.translateToString(true) ?? "");
  }

  text(): string {
    return this.lines().join("\n");
  }

  record(): void {
    this.#tape = [];
  }

  /** The output since `record`. */
  recorded(): string {
    return (this.#tape ?? []).join("");
  }

  async end(): Promise<void> {
    this.#pty.kill("SIGKILL");
    await this.#gone;
  }
}

const END_OF_FRAME = "\u001B[?2026l";

/** The cost of frames, and their changes on the screen. */
export interface FrameBytes {
  readonly frames: number;
  readonly bytes: number;
  /** Cells with a changed character or style. */
  readonly cells: number;
}

/**
 * Replays a program's output and counts, frame by frame, the changed cells. `before` is the earlier output, to start from the
 * same screen.
 */
export async function countChanges(options: { before: string; written: string; size: Size }): Promise<FrameBytes> {
  const model = new xterm.Terminal({ ...options.size, allowProposedApi: true });
  const write = (data: string) => new Promise<void>((done) => model.write(data, done));
  await write(options.before);
  let last = cellsOf(model, options.size);
  const total = { frames: 0, bytes: 0, cells: 0 };
  for (const frame of options.written.split(END_OF_FRAME)) {
    if (frame === "") continue;
    await write(frame + END_OF_FRAME);
    const next = cellsOf(model, options.size);
    total.frames += 1;
    total.bytes += Buffer.byteLength(frame + END_OF_FRAME);
    total.cells += next.filter((cell, i) => cell !== last[i]).length;
    last = next;
  }
  return total;
}

function cellsOf(model: xterm.Terminal, size: Size): readonly string[] {
  const { active } = model.buffer;
  const cells: string[] = [];
  for (let y = 0; y < size.rows; y += 1) {
    const line = active.getLine(active.baseY + y);
    for (let x = 0; x < size.cols; x += 1) {
      const cell = line?.getCell(x);
      if (cell === undefined) cells.push("");
      else {
        const look = [cell.isBold(), cell.isDim(), cell.isInverse(), cell.isItalic(), cell.isUnderline()].join("");
        cells.push(
          `${cell.getChars() || " "}|${cell.getFgColorMode()}${cell.getFgColor()}|${cell.getBgColorMode()}${cell.getBgColor()}|${look}`,
        );
      }
    }
  }
  return cells;
}
