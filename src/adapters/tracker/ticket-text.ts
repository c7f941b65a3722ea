/** The parts of a Markdown ticket in its text, as offsets. */
export interface TicketParts {
  /** 1 if the text begins with a byte order mark, else 0. */
  readonly start: number;
  readonly eol: "\n" | "\r\n";
  /** The lines between the two `---`; absent if the text does not begin with `---`. */
  readonly front?: { readonly from: number; readonly to: number };
  readonly body: number;
}

const FENCE = /^---[ \t]*$/;

/** Finds the parts. Undefined if front matter is opened and never closed. */
export function ticketParts(text: string): TicketParts | undefined {
  const start = text.startsWith("\ufeff") ? 1 : 0;
  const opening = lineAt(text, start);
  const eol = text[opening.next - 2] === "\r" ? "\r\n" : "\n";
  if (!FENCE.test(opening.text)) return { start, eol, body: start };
  for (let at = opening.next; at < text.length; ) {
    const line = lineAt(text, at);
    if (FENCE.test(line.text)) return { start, eol, front: { from: opening.next, to: at }, body: line.next };
    at = line.next;
  }
  return undefined;
}

/** The text of the first `# heading` line; undefined if there is none. */
export function firstHeading(body: string): string | undefined {
  return /^# +(\S.*)$/m.exec(body)?.[1]?.trimEnd();
}

/** The line that starts at `from`, without its line end, and the start of the next one. */
function lineAt(text: string, from: number): { readonly text: string; readonly next: number } {
  const feed = text.indexOf("\n", from);
  if (feed === -1) return { text: text.slice(from).replace(/\r$/, ""), next: text.length };
  return { text: text.slice(from, text[feed - 1] === "\r" && feed > from ? feed - 1 : feed), next: feed + 1 };
}
