import { BadResults } from "./parsed-results.ts";

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
