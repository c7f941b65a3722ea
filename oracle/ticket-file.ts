import type { SnapshotTicket } from "./definition.ts";
import { parseTicketHead } from "./front-matter.ts";
import { CannotJudge, stepOf, ticketIdOf } from "./shape.ts";

const FENCE = /^---[ \t]*$/;
const HEADING = /^# +\S/m;

/** True if a name in the tickets folder is a ticket file: `*.md`, but neither hidden nor a README. */
export function isTicketFileName(name: string): boolean {
  return name.endsWith(".md") && !name.startsWith(".") && name.toLowerCase() !== "readme.md";
}

/**
 * Reads one Markdown ticket. Without front matter, it is an open ticket named like its file if it has a `# heading`; otherwise it
 * is no ticket (undefined).
 */
export function parseTicketText(name: string, text: string): SnapshotTicket | undefined {
  const stem = name.slice(0, -".md".length);
  const lines = frontMatterLines(text.startsWith("\ufeff") ? text.slice(1) : text);
  if (lines === undefined)
    return HEADING.test(text.replace(/^\ufeff/, "")) ? { id: ticketIdOf(stem, "its file name"), state: "open" } : undefined;
  const found = parseTicketHead(lines);
  const id = ticketIdOf(found.id ?? stem, found.id === undefined ? "its file name" : "its id");
  const step = stepOf(found.humanStep ?? "", "its humanStep");
  return { id, state: found.state ?? "open", ...(step !== "" && { step }) };
}

/** The lines between the first line, which must be `---`, and the next `---`; undefined if the first line is another one. */
function frontMatterLines(text: string): readonly string[] | undefined {
  const opening = lineAt(text, 0);
  if (!FENCE.test(opening.line)) return undefined;
  const lines: string[] = [];
  for (let at = opening.next; at !== undefined; ) {
    const { line, next } = lineAt(text, at);
    if (FENCE.test(line)) return lines;
    lines.push(line);
    at = next;
  }
  throw new CannotJudge("its front matter is not closed by a `---` line");
}

/** The line that starts at `from`, without its line end, and the start of the next one, if there is one. */
function lineAt(text: string, from: number): { readonly line: string; readonly next: number | undefined } {
  const feed = text.indexOf("\n", from);
  const line = text.slice(from, feed === -1 ? text.length : feed);
  return { line: line.endsWith("\r") ? line.slice(0, -1) : line, next: feed === -1 ? undefined : feed + 1 };
}
