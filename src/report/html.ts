import { plainText } from "../domain/values/text.ts";
import type { Style } from "../store/labels/tone.ts";

/** A piece of HTML that is complete and safe for a page. Only `html` makes one. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The values of a template: text is escaped, whoever wrote it; lists are concatenated; undefined is nothing. */
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

/** Text without control and direction-turning characters, in which nothing is markup: within an element or a quoted attribute. */
function escapeText(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (char) => NAMED[char] ?? "");
}

/** A glyph in its colour: the style sheet has a class for each tone. */
export function mark({ glyph, tone }: Style): Html {
  return html`<span class="t-${tone}">${glyph}</span>`;
}

/** Lines of outside text, for a `pre`. */
export function lines(items: readonly string[]): Html {
  return new Html(items.map(escapeText).join("\n"));
}

/** A part of the page under a heading of its own. */
export interface PageSection {
  /** Unique in the page: a link leads there. */
  readonly id: string;
  readonly title: string;
  /** A few words behind the title. */
  readonly note?: string;
  readonly body: Html;
}
