import { createInterface } from "node:readline/promises";

/** Ctrl-C, or the end of the input: the person wants no batch file. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** The lines that a person types. */
export interface TypedLines {
  /** Shows a prompt and gives the next line. Rejects with Interrupted after Ctrl-C or at the end of the input. */
  readonly ask: (prompt: string) => Promise<string>;
  readonly close: () => void;
}

/** Reads lines from the terminal; prompts go to stderr. A line that is typed before its prompt is shown is kept. */
export function openTypedLines(): TypedLines {
  const reader = createInterface({ input: process.stdin, output: process.stderr, historySize: 0 });
  const lines: string[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  const end = (): void => {
    isOver = true;
    wake();
  };
  reader.on("line", (line) => {
    lines.push(line);
    wake();
  });
  reader.on("SIGINT", end);
  reader.on("close", end);
  const next = async (): Promise<string> => {
    while (lines.length === 0 && !isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
    const line = isOver ? undefined : lines.shift();
    if (line === undefined) throw new Interrupted();
    return line;
  };
  return {
    ask: (prompt) => {
      if (lines.length > 0) process.stderr.write(`${prompt}${lines[0]}\n`);
      else if (!isOver) {
        reader.setPrompt(prompt);
        reader.prompt();
      }
      return next();
    },
    close: () => reader.close(),
  };
}
