/** The most characters (UTF-16 units) one line has, its mark included. */
export const LINE_MAX_CHARS = 4_096;
/** Ends a line that was cut. */
export const LINE_CUT_MARK = " […]";

const KEPT = LINE_MAX_CHARS - LINE_CUT_MARK.length;

/** Bytes in, lines out. */
export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** Gives out what is left as a last line. */
  end(): void;
}

/**
 * Cuts a byte stream into lines: UTF-8 and line ends may be split anywhere; what is not UTF-8 becomes U+FFFD. `\n`,
 * `\r\n` and a bare `\r` (progress bars) end a line; a `\r` at the start of a line ends nothing. A line that grows too
 * long is given out, cut and marked, as soon as that is known; the rest of it is dropped.
 */
export function createLineSplitter(onLine: (line: string) => void): LineSplitter {
  const decoder = new TextDecoder();
  const lineEnd = /[\r\n]/g;
  let line = "";
  let cut = false;
  let afterCr = false;

  const add = (text: string) => {
    if (cut || text === "") return;
    line += text.slice(0, LINE_MAX_CHARS + 1 - line.length);
    if (line.length <= LINE_MAX_CHARS) return;
    cut = true;
    onLine(`${withoutHalfPair(line.slice(0, KEPT))}${LINE_CUT_MARK}`);
  };
  const endLine = (byNewline: boolean) => {
    if (!cut && (line !== "" || byNewline)) onLine(line);
    line = "";
    cut = false;
  };
  const take = (text: string) => {
    let from = 0;
    if (afterCr && text[0] === "\n") from = 1;
    if (text !== "") afterCr = false;
    lineEnd.lastIndex = from;
    for (let end = lineEnd.exec(text); end !== null; end = lineEnd.exec(text)) {
      add(text.slice(from, end.index));
      from = end.index + 1;
      const crlf = end[0] === "\r" && text[from] === "\n";
      if (end[0] === "\r" && from === text.length) afterCr = line !== "" || cut;
      if (crlf) from += 1;
      lineEnd.lastIndex = from;
      endLine(end[0] === "\n" || crlf);
    }
    add(text.slice(from));
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
