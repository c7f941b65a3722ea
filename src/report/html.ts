import { plainText } from "../domain/values/text.ts";
import type { Style } from "../store/labels/tone.ts";

/** A complete piece of HTML that is safe in a page. Only `html` makes one. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The allowed parts of a template: text is escaped, whatever its source; lists are joined; undefined is empty. */
export type Part = Html | string | number | undefined | readonly Part[];

/** HTML with its parts escaped. Attributes are written in double quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, i) => text + renderPart(parts[i - 1]) + string));
}

function renderPart(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(renderPart).join("");
  return escapeText(String(part));
}

const NAMED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text without control and bidirectional characters and with its markup escaped: for an element or a quoted attribute. */
function escapeText(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (char) => NAMED[char] ?? "");
}

/** Schemes of addresses that a page may lead to. */
const SCHEMES: ReadonlySet<string> = new Set(["https:", "http:", "file:"]);

/** What leads to an address, or only the content if there is none or a page may not lead there. */
export function link(content: Html, url: string | undefined): Html {
  const parsed = url === undefined ? null : URL.parse(url);
  if (parsed === null || !SCHEMES.has(parsed.protocol)) return content;
  return html`<a href="${parsed.href}" rel="noopener noreferrer">${content}</a>`;
}

/** A glyph in its colour: the style sheet has a class for each tone. */
export function mark({ glyph, tone }: Style): Html {
  return html`<span class="t-${tone}">${glyph}</span>`;
}

/** Lines of outside text, to stand in a `pre`. */
export function lines(items: readonly string[]): Html {
  return new Html(items.map(escapeText).join("\n"));
}

/** A section of the page with its own heading. */
export interface PageSection {
  /** Unique in the page: the target of a link. */
  readonly id: string;
  readonly title: string;
  /** A few words behind the title. */
  readonly note?: string;
  readonly body: Html;
}
