/** Bytes of the shortest form. A shorter text would be found in harmless output. */
const SHORTEST = 8;
/** Widths at which base64 is wrapped: MIME and coreutils (RFC 2045, 6.8), PEM (RFC 7468). */
const WRAPPED_AT = [76, 64];

/**
 * The texts by which a value is recognized: itself, base64 and base64url at each of the three alignments, percent-encoded,
 * escaped for JSON (also JSON within JSON) and HTML, hexadecimal, and in lower case. Of a value with several lines, each line counts as well.
 * Each form once.
 */
export function formsOf(value: string): readonly Buffer[] {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= SHORTEST && !line.startsWith("-----"));
  const texts = new Set([value, ...lines]);
  const forms = [...texts].flatMap((text) => [...encoded(text), ...inBase64(Buffer.from(text))]);
  const long = forms.filter((form) => Buffer.byteLength(form) >= SHORTEST);
  return [...new Set(long)].map((form) => Buffer.from(form));
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

/**
 * The characters of base64 that the bytes alone decide, for each number of bytes in front of them modulo 3. Also a wrapped one
 * that begins with them.
 */
function inBase64(bytes: Buffer): readonly string[] {
  const aligned = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const [first = ""] = aligned;
  const wrapped = WRAPPED_AT.flatMap((width) =>
    first.length > width ? [(first.match(new RegExp(`.{1,${width}}`, "g")) ?? []).join("\n")] : [],
  );
  const plain = [...aligned, ...wrapped];
  return [...plain, ...plain.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
}
