/** The size of the layout, beside that of the terminal: on a resize the layout follows the terminal. */
export class ResizeGate {
  readonly #terminal: Partial<Pick<NodeJS.WriteStream, "columns" | "rows">>;
  #columns = 0;
  #rows = 0;
  #waiting: (() => void)[] = [];

  constructor(terminal: NodeJS.WritableStream) {
    this.#terminal = terminal as Partial<NodeJS.WriteStream>;
  }

  /** The size of the current layout. */
  set(columns: number, rows: number): void {
    this.#columns = columns;
    this.#rows = rows;
  }

  /** True if that is the terminal's size now, as far as it is known. */
  isCurrent(): boolean {
    const { columns = 0, rows = 0 } = this.#terminal;
    return columns === 0 || rows === 0 || (this.#columns === columns && this.#rows === rows);
  }

  /** Runs the task once the views are laid out and drawn at the terminal's size. */
  onSettled(task: () => void): void {
    this.#waiting.push(task);
  }

  /** The views have been laid out for this size and drawn. */
  settle(columns: number, rows: number): void {
    if (columns !== this.#columns || rows !== this.#rows || !this.isCurrent()) return;
    for (const task of this.#waiting.splice(0)) task();
  }
}
