const SLASH = Buffer.from("/");
/** The first of the low surrogates, which no text in UTF-8 has alone. */
const LOW_SURROGATES = 0xdc00;

/** A path as file operations take it. On Linux, names are bytes and need not be UTF-8. */
export type BytePath = string | Buffer;

/** The path of a name in a folder. */
export function pathIn(folder: Buffer, name: Buffer): Buffer;
export function pathIn(folder: BytePath, name: BytePath): BytePath;
export function pathIn(folder: BytePath, name: BytePath): BytePath {
  if (folder.length === 0) return name;
  if (typeof folder === "string" && typeof name === "string") return `${folder}/${name}`;
  return Buffer.concat([Buffer.from(folder as Buffer), SLASH, Buffer.from(name as Buffer)]);
}

/** A name in a folder: as text, and as file operations take it. */
export interface Name {
  /** If the name is not UTF-8, its bytes beyond ASCII are lone surrogates: not well-formed, and different for different names. */
  readonly text: string;
  readonly raw: BytePath;
}

/** The names that reading a folder gave. `asBytes` reads the folder again, and is called if they may not be UTF-8. */
export function namesFrom(names: readonly string[], asBytes: () => readonly Buffer[]): readonly Name[] {
  if (!names.some((name) => name.includes("\uFFFD"))) return names.map((name) => ({ text: name, raw: name }));
  return asBytes().map((bytes) => ({ text: decodePath(bytes), raw: bytes }));
}

function decodePath(bytes: Buffer): string {
  const text = bytes.toString();
  if (Buffer.from(text).equals(bytes)) return text;
  return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : LOW_SURROGATES + byte)).join("");
}
