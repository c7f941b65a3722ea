/** The longest line in characters (UTF-16 units), with its mark. */
export const LINE_MAX_CHARS = 4_096;
/** The mark at the end of a line that was cut. */
export const LINE_CUT_MARK = " […]";

const LINE_END = /\r\n|[\r\n]/g;

/** Bytes in, lines out. */
export interface OutputLines {
  push(chunk: Uint8Array): void;
  /** Emits the rest as a last line. */
  end(): void;
}

/**
 * Splits a byte stream into lines: UTF-8 and line ends may be split anywhere; bytes that are not UTF-8 become U+FFFD. `\n`,
 * `\r\n` and a bare `\r` (progress bars) end a line; a `\r` at the start of a line ends nothing. A line that grows too long
 * (`maxChars`, with its mark) is emitted at once, cut and marked; the rest of it is dropped.
 */
export function createOutputLines(onLine: (line: string) => void, maxChars = LINE_MAX_CHARS): OutputLines {
  const decoder = new TextDecoder();
  let line = "";
  let cut = false;
  let afterCr = false;

  const add = (text: string) => {
    if (cut || text === "") return;
    line += text.slice(0, maxChars + 1 - line.length);
    if (line.length <= maxChars) return;
    cut = true;
    onLine(`${withoutHalfPair(line.slice(0, maxChars - LINE_CUT_MARK.length))}${LINE_CUT_MARK}`);
  };
  /** Returns true if there was a line to end. */
  const endLine = (byNewline: boolean): boolean => {
    const ended = cut || line !== "" || byNewline;
    if (ended && !cut) onLine(line);
    line = "";
    cut = false;
    return ended;
  };
  const take = (text: string) => {
    const body = afterCr && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") afterCr = false;
    let from = 0;
    for (const { 0: mark, index } of body.matchAll(LINE_END)) {
      add(body.slice(from, index));
      from = index + mark.length;
      afterCr = endLine(mark !== "\r") && mark === "\r" && from === body.length;
    }
    add(body.slice(from));
  };
  return {
    push: (chunk) => take(decoder.decode(chunk, { stream: true })),
    end() {
      take(decoder.decode());
      endLine(false);
    },
  };
}

/** A cut must not leave the first half of a surrogate pair. */
function withoutHalfPair(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
