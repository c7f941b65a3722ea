/** What a command prints on stdout, line by line, up to a size. */
export class Stdout {
  readonly #most: number;
  readonly #lines: string[] = [];
  #size = 0;

  /** `most` characters are kept, line ends included. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a line; those of stderr are left out. */
  readonly onLine = (line: string, stream: "stdout" | "stderr"): void => {
    if (stream !== "stdout") return;
    this.#size += line.length + 1;
    if (this.#size <= this.#most) this.#lines.push(line);
  };

  /** All of it, each line with its end; undefined where it was more than is kept. */
  text(): string | undefined {
    return this.#size > this.#most ? undefined : this.#lines.map((line) => `${line}\n`).join("");
  }
}
