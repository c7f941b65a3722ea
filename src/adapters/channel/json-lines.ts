const NEWLINE = 10;

/** A message as its line on a socket: one JSON value and a newline. */
export function jsonLine(message: unknown): string {
  return `${JSON.stringify(message)}\n`;
}

/** Reads a stream of bytes as lines of one JSON value each. The work is linear in the bytes, however they are cut into chunks. */
export class JsonLinesReader {
  readonly #longest: number;
  #parts: Buffer[] = [];
  #held = 0;

  /** `longest` bounds one line, in bytes without its newline. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /**
   * The values of the lines that `chunk` completes, in order, each parsed when the caller asks for it. Throws a SyntaxError at a
   * line that is no JSON, and LineTooLong at a line over the bound, complete or not.
   */
  *push(chunk: Buffer): Generator<unknown, undefined> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end));
      from = end + 1;
      yield JSON.parse(this.#take());
    }
    this.#keep(chunk.subarray(from));
  }

  #keep(part: Buffer): void {
    this.#held += part.length;
    if (this.#held > this.#longest) throw new LineTooLong(`a line is longer than ${this.#longest} bytes`);
    if (part.length > 0) this.#parts.push(part);
  }

  #take(): string {
    const [only, ...more] = this.#parts;
    const line = only !== undefined && more.length === 0 ? only : Buffer.concat(this.#parts, this.#held);
    this.#parts = [];
    this.#held = 0;
    return line.toString("utf8");
  }
}

/** The peer sent a line over the bound. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}
