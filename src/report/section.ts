import type { Html } from "./html.ts";

/** A part of the page under a heading of its own. */
export interface PageSection {
  /** Unique in the page: a link leads there. */
  readonly id: string;
  readonly title: string;
  /** A few words behind the title. */
  readonly note?: string;
  readonly body: Html;
}
