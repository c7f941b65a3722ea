const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** A start or end tag of XML with the text before it. An empty element has both in one. */
export interface Tag {
  readonly name: string;
  readonly kind: "start" | "end" | "empty";
  /** By name, with references resolved. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Character data since the tag before, with references resolved and CDATA as it stands. */
  readonly text: string;
}

/** Characters of the text before a tag, and of an attribute, that are kept. */
const MOST_TEXT = 20_000;
const MOST_VALUE = 4_000;
const MOST_ATTRIBUTES = 40;

const NAME = /[\w:.-]{1,100}/y;
const ATTRIBUTE = /\s*([\w:.-]{1,100})\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
const TAG_END = /\s*(\/?)>/y;

/**
 * The tags of XML in order. Tolerant, because a report may be cut off, and because nothing is decided by what it says: what is no
 * tag is text, and no document type is read, so that entities cannot grow. Each character is read a bounded number of times.
 */
export function* parseTags(xml: string): Iterable<Tag> {
  let text = "";
  let from = 0;
  for (let at = xml.indexOf("<"); at >= 0; at = xml.indexOf("<", from)) {
    text = added(text, xmlText(xml.slice(from, Math.min(at, from + MOST_TEXT))));
    const end = skipped(xml, at);
    if (end === undefined) {
      const tag = tagAt(xml, at, text);
      from = tag?.end ?? at + 1;
      if (tag === undefined) continue;
      text = "";
      yield tag;
    } else {
      if (xml.startsWith(CDATA, at)) text = added(text, xml.slice(at + CDATA.length, Math.min(end - 3, at + MOST_TEXT)));
      if (end === xml.length) return;
      from = end;
    }
  }
}

const CDATA = "<![CDATA[";

/** The end of a comment, an instruction, CDATA or a declaration that begins here; undefined for a tag. */
function skipped(xml: string, at: number): number | undefined {
  const closers = [
    ["<!--", "-->"],
    [CDATA, "]]>"],
    ["<?", "?>"],
    ["<!", ">"],
  ] as const;
  const [open, close] = closers.find(([start]) => xml.startsWith(start, at)) ?? [];
  if (open === undefined) return undefined;
  const found = xml.indexOf(close, at + open.length);
  return found < 0 ? xml.length : found + close.length;
}

function tagAt(xml: string, at: number, text: string): (Tag & { readonly end: number }) | undefined {
  const isEnd = xml[at + 1] === "/";
  NAME.lastIndex = at + (isEnd ? 2 : 1);
  const name = NAME.exec(xml)?.[0];
  if (name === undefined) return undefined;
  const attributes = new Map<string, string>();
  let end = NAME.lastIndex;
  while (attributes.size < MOST_ATTRIBUTES) {
    ATTRIBUTE.lastIndex = end;
    const [, key, double, single] = ATTRIBUTE.exec(xml) ?? [];
    if (key === undefined) break;
    end = ATTRIBUTE.lastIndex;
    if (attributes.has(key)) break;
    attributes.set(key, xmlText((double ?? single ?? "").slice(0, MOST_VALUE)));
  }
  TAG_END.lastIndex = end;
  const closed = TAG_END.exec(xml);
  if (closed === null) return undefined;
  return { name, kind: isEnd ? "end" : closed[1] === "/" ? "empty" : "start", attributes, text, end: TAG_END.lastIndex };
}

function added(text: string, more: string): string {
  return text.length >= MOST_TEXT ? text : text + more.slice(0, MOST_TEXT - text.length);
}

/** Text with the five entities of XML and character references resolved, once (XML 1.0, 4.1 and 4.6). Any other entity stays. */
export function xmlText(raw: string): string {
  if (!raw.includes("&")) return raw;
  return raw.replace(/&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g, (whole, name, decimal, hex) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal !== undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
