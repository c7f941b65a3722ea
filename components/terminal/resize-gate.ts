/** The size that the views are laid out for, beside the one that the terminal has: on a resize the one comes after the other. */
export class ResizeGate {
  readonly #terminal: Partial<Pick<NodeJS.WriteStream, "columns" | "rows">>;
  #columns = 0;
  #rows = 0;
  #waiting: (() => void)[] = [];

  constructor(terminal: NodeJS.WritableStream) {
    this.#terminal = terminal as Partial<NodeJS.WriteStream>;
  }

  /** What the views are being laid out for. */
  set(columns: number, rows: number): void {
    this.#columns = columns;
    this.#rows = rows;
  }

  /** Whether that is the terminal's size now, as far as it tells one. */
  isCurrent(): boolean {
    const { columns = 0, rows = 0 } = this.#terminal;
    return columns === 0 || rows === 0 || (this.#columns === columns && this.#rows === rows);
  }

  /** Does it when the views next stand as the terminal is, and have been drawn so. */
  onSettled(task: () => void): void {
    this.#waiting.push(task);
  }

  /** The views have been laid out for this size and drawn. */
  settle(columns: number, rows: number): void {
    if (columns !== this.#columns || rows !== this.#rows || !this.isCurrent()) return;
    for (const task of this.#waiting.splice(0)) task();
  }
}
