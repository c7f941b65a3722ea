import { BadResults } from "./parsed-results.ts";

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * Text of an attribute with the five entities of XML and character references resolved, once (XML 1.0, 4.1 and 4.6). Any other
 * entity stays unchanged: none can be defined, because document types are refused.
 */
export function xmlText(raw: string): string {
  if (!raw.includes("&")) return raw;
  return raw.replace(/&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g, (whole, name, decimal, hex) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal !== undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** Throws if the document has a document type: only with one could entities grow or reach outside. */
export function refuseDocumentType(xml: string): void {
  let at = xml.startsWith("\ufeff") ? 1 : 0;
  for (;;) {
    while (/\s/.test(xml[at] ?? "")) at += 1;
    const end = xml.startsWith("<!--", at) ? "-->" : xml.startsWith("<?", at) ? "?>" : undefined;
    if (end === undefined) break;
    const found = xml.indexOf(end, at + 2);
    if (found === -1) throw new BadResults("it is cut off before its first element");
    at = found + end.length;
  }
  if (xml.startsWith("<!", at)) throw new BadResults("it has a document type, which a test report does not need");
}
