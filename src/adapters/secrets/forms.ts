/** Bytes of the shortest form. A shorter text would be found in harmless output. */
const SHORTEST = 8;
/** A text by which a value is recognized. */
export interface Form {
  readonly bytes: Buffer;
  /** True if white space may stand between any two of its characters: base64 is wrapped at any width, and indented. */
  readonly isBase64: boolean;
}

/**
 * The texts by which a value is recognized: itself, base64 and base64url at each of the three alignments, percent-encoded,
 * escaped for JSON (also JSON within JSON) and HTML, hexadecimal, and in lower case. Of a value with several lines, each line counts as well.
 * Each form once.
 */
export function secretForms(value: string): readonly Form[] {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= SHORTEST && !line.startsWith("-----"));
  const texts = [...new Set([value, ...lines])];
  return [
    ...formsFrom(texts.flatMap(encoded), { isBase64: false }),
    ...formsFrom(
      texts.flatMap((text) => inBase64(Buffer.from(text))),
      { isBase64: true },
    ),
  ];
}

function formsFrom(texts: readonly string[], { isBase64 }: Pick<Form, "isBase64">): readonly Form[] {
  const long = texts.filter((text) => Buffer.byteLength(text) >= SHORTEST);
  return [...new Set(long)].map((text) => ({ bytes: Buffer.from(text), isBase64 }));
}

function encoded(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString("hex");
  const percent = encodeURIComponent(text.toWellFormed());
  const strict = percent.replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const json = inJson(text);
  return [
    ...[text, hex, hex.toUpperCase()],
    ...[percent, strict, strict.replaceAll("%20", "+")].flatMap((form) => [form, lowerEscapes(form)]),
    ...[hex.toUpperCase(), hex].map((digits) => digits.replaceAll(/../g, (pair) => `%${pair}`)),
    ...[json, json.replaceAll("/", "\\/"), inJson(json), asAscii(json)],
    inHtml(text),
    // A host's name is told in lower case.
    text.toLowerCase(),
  ];
}

function lowerEscapes(percent: string): string {
  return percent.replaceAll(/%[0-9A-F]{2}/g, (pair) => pair.toLowerCase());
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As serializers write it that escape everything beyond ASCII (Python's json). */
function asAscii(json: string): string {
  return json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function inHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);
}

/** The characters of base64 that the bytes alone decide, for each number of bytes in front of them modulo 3. */
function inBase64(bytes: Buffer): readonly string[] {
  const aligned = [0, 1, 2].map((ahead) => {
    const text = Buffer.concat([Buffer.alloc(ahead), bytes]).toString("base64");
    return text.slice(Math.ceil((ahead * 8) / 6), Math.floor(((ahead + bytes.length) * 8) / 6));
  });
  return [...aligned, ...aligned.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
}
