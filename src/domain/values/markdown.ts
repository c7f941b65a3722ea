import { plainText } from "./text.ts";

/** Escapes outside text for Markdown: no markup, no HTML, no control characters. */
export function escapeMarkdown(text: string): string {
  return plainText(text).replace(/[\\`*_[\]<>#|~&]/g, "\\$&");
}
