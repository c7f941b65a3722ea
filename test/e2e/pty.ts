import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import stringWidth from "string-width";
import { afterEach, expect } from "vitest";
import { useModernWidths } from "../components/modern-widths.ts";
import { linksOn } from "../components/screen/cell-link.ts";
import type { Stage } from "./stage.ts";

/** How long anything may take before it counts as "never". Milliseconds; machines that run tests are busy. */
const NEVER_MS = 90_000;

export interface PtySize {
  readonly columns: number;
  readonly rows: number;
}

interface PtyExit {
  readonly code: number;
  /** Number of the signal that ended it; 0 where none did. */
  readonly signal: number;
}

/** What a terminal has to show to be waited for. */
export type Sight = string | RegExp | ((screen: string) => boolean);

/**
 * The real program on a real terminal of its own: what it writes goes through the kernel's pty into a screen model. Every
 * write is watched: on the alternate screen nothing may scroll or run over the right edge.
 */
export class Pty {
  readonly #pty: IPty;
  readonly #screen: InstanceType<typeof xterm.Terminal>;
  readonly #waiters = new Set<() => void>();
  /** What was done to the terminal that a dashboard must never do, in order. */
  readonly faults: string[] = [];
  /** Whether the alternate screen was ever entered. */
  alternateSeen = false;
  /** Everything that the program wrote. */
  raw = "";
  /** Between a resize and the first whole frame of the new size: what is under way was drawn for the old one. */
  #resizing = false;
  /** Whether anything was written since the last resize. Until then the screen shows the old frame, cut to the new size. */
  #written = true;
  #exit: PtyExit | undefined;
  readonly ended: Promise<PtyExit>;

  constructor(options: {
    argv: readonly [string, ...string[]];
    cwd: string;
    env: Readonly<Record<string, string>>;
    size: PtySize;
  }) {
    const { columns: cols, rows } = options.size;
    const [file, ...args] = options.argv;
    this.#screen = new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 1_000 });
    useModernWidths(this.#screen);
    // Going to the other screen counts as a scroll to xterm; it tells of the change only afterwards.
    let shown: string = this.#screen.buffer.active.type;
    this.#screen.buffer.onBufferChange((buffer) => {
      shown = buffer.type;
      if (this.isAlternate) this.alternateSeen = true;
    });
    this.#screen.onScroll(() => {
      if (shown === "alternate" && this.isAlternate && !this.#resizing)
        this.faults.push(`the alternate screen scrolled:\n${this.text()}`);
    });
    this.#pty = spawn(file, args, { cols, rows, cwd: options.cwd, env: { ...options.env } });
    this.#pty.onData((data) => {
      this.raw += data;
      this.#screen.write(data, () => this.#parsed());
    });
    this.ended = new Promise((settle) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        // What was written last is parsed first.
        this.#screen.write("", () => {
          this.#exit = { code: exitCode, signal: signal ?? 0 };
          settle(this.#exit);
          this.#parsed();
        });
      });
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  get exited(): boolean {
    return this.#exit !== undefined;
  }

  get isAlternate(): boolean {
    return this.#screen.buffer.active.type === "alternate";
  }

  /** The lines that the screen shows, without trailing blanks. */
  lines(): string[] {
    const { active } = this.#screen.buffer;
    return Array.from(
      { length: this.#screen.rows },
      (_, y) => active.getLine(active.baseY + y)?.translateToString(true, 0, this.#screen.cols) ?? "",
    );
  }

  text(): string {
    return this.lines().join("\n");
  }

  /** The texts on the screen that lead somewhere, with their addresses, from the top. */
  links(): readonly (readonly [text: string, url: string])[] {
    return linksOn(this.#screen);
  }

  /** What stands in one cell; the second half of a wide character is empty. */
  cell(column: number, row: number): string {
    const { active } = this.#screen.buffer;
    return (
      active
        .getLine(active.baseY + row)
        ?.getCell(column)
        ?.getChars() ?? ""
    );
  }

  /** Everything on the main screen, also what has scrolled out of it; lines broken by its width are whole. */
  main(): string {
    const { normal } = this.#screen.buffer;
    const lines = Array.from({ length: normal.length }, (_, y) => normal.getLine(y));
    return lines
      .map((line) => (line?.isWrapped === true ? "" : "\n") + (line?.translateToString(true) ?? ""))
      .join("")
      .trim();
  }

  /** Sends keys as one burst. */
  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Sends bytes as they are, which may be a part of a character. */
  typeBytes(bytes: Buffer): void {
    // Its types know text alone.
    this.#pty.write(bytes as unknown as string);
  }

  /** Sends keys, and waits for what follows. */
  async press(keys: string, sight: Sight): Promise<string> {
    this.type(keys);
    return this.waitFor(sight);
  }

  /** Gives the terminal another size, as a window that is dragged does. Faults count again after `settled`. */
  resize({ columns, rows }: PtySize): void {
    this.#resizing = true;
    this.#written = false;
    this.#screen.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Waits for the first whole frame of the size that the terminal has now; from there on it is watched again. */
  async settled(): Promise<void> {
    await this.waitFor(() => this.isWhole());
    this.#resizing = false;
    this.#lookForOverruns();
  }

  /**
   * Whether the screen shows one whole frame of its size: state and oracle on top, a rule from edge to edge, keys at the
   * bottom, and no line that runs over the edge. A resize is heard of late: a frame of the old size may still arrive.
   */
  isWhole(): boolean {
    if (!this.#written || this.#overruns().length > 0) return false;
    const lines = this.lines();
    const [state = "", oracle = ""] = lines;
    const rule = lines.some((line) => /^─ [A-Z\d]/.test(line) && stringWidth(line) === this.#screen.cols);
    return (
      this.isAlternate && /^ \S [A-Z]{3,}/.test(state) && oracle.includes("◆ ORACLE") && rule && /\S/.test(lines.at(-1) ?? "")
    );
  }

  /** Closes the terminal as a window that is closed does: the program is hung up on, and its terminal is gone. */
  hangUp(): void {
    this.#pty.kill("SIGHUP");
    (this.#pty as IPty & { destroy(): void }).destroy();
  }

  /** Settles with the screen once it shows what is looked for; fails with the screen where it never does. */
  waitFor(sight: Sight, ms = NEVER_MS): Promise<string> {
    const shows = matcher(sight);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const fail = (why: string): void => reject(new Error(`${why} ${String(sight)}\n${this.#picture()}`));
    const look = (): void => {
      const screen = this.text();
      if (shows(screen)) resolve(screen);
      else if (this.exited) fail(`ended with ${JSON.stringify(this.#exit)} without showing`);
    };
    const timer = setTimeout(() => fail(`not shown within ${ms} ms:`), ms);
    this.#waiters.add(look);
    if (!this.#screen.modes.synchronizedOutputMode) look();
    return promise.finally(() => {
      this.#waiters.delete(look);
      clearTimeout(timer);
    });
  }

  /** The exit code; fails with the screen where the program does not end, or a signal ends it. */
  async exitCode(ms = NEVER_MS): Promise<number> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`did not end within ${ms} ms\n${this.#picture()}`)), ms);
    const { code, signal } = await Promise.race([this.ended, promise]).finally(() => clearTimeout(timer));
    if (signal !== 0) throw new Error(`ended by signal ${signal}\n${this.#picture()}`);
    return code;
  }

  close(): void {
    if (!this.exited) this.#pty.kill("SIGKILL");
  }

  /** A frame between the marks of a synchronised update is under way: nobody sees it, so nobody looks at it. */
  #parsed(): void {
    if (this.#screen.modes.synchronizedOutputMode && !this.exited) return;
    this.#written = true;
    this.#lookForOverruns();
    for (const look of [...this.#waiters]) look();
  }

  #lookForOverruns(): void {
    if (!this.isAlternate || this.#resizing) return;
    const { active } = this.#screen.buffer;
    if (active.baseY !== 0) this.faults.push(`the alternate screen has ${active.baseY} lines above its top`);
    this.faults.push(...this.#overruns());
  }

  #overruns(): string[] {
    const { active } = this.#screen.buffer;
    return Array.from({ length: active.length }, (_, y) => y).flatMap((y) => {
      const line = active.getLine(y);
      return line?.isWrapped ? [`a line ran over the right edge into line ${y}: ${line.translateToString(true)}`] : [];
    });
  }

  #picture(): string {
    const frame = this.lines().map((line, y) => `${String(y).padStart(2)}│${line}`);
    return `${this.isAlternate ? "alternate" : "main"} screen, ${this.#screen.cols}×${this.#screen.rows}:\n${frame.join("\n")}`;
  }
}

function matcher(sight: Sight): (screen: string) => boolean {
  if (typeof sight === "function") return sight;
  return typeof sight === "string" ? (screen) => screen.includes(sight) : (screen) => sight.test(screen);
}

/** How a terminal is opened: 80×24 unless said otherwise, and the program itself unless `argv` names another. */
interface Opening extends Partial<PtySize> {
  readonly env?: Readonly<Record<string, string>>;
  readonly argv?: readonly [string, ...string[]];
}

/** Opens terminals for the tests of a file; after each test it asserts that none of them was mistreated, and closes all. */
export function terminals(): (stage: Stage, args: readonly string[], opening?: Opening) => Pty {
  const open: Pty[] = [];
  afterEach(() => {
    const faults = open.flatMap((pty) => pty.faults);
    for (const pty of open.splice(0)) pty.close();
    expect(faults).toEqual([]);
  });
  return (stage, args, { columns = 80, rows = 24, env = {}, argv } = {}) => {
    const pty = new Pty({
      argv: argv ?? [process.execPath, stage.program, ...args],
      cwd: stage.root,
      env: { ...stage.env, TERM: "xterm-256color", ...env },
      size: { columns, rows },
    });
    open.push(pty);
    return pty;
  };
}
