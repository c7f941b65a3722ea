import { crc32 } from "node:zlib";

/** Bytes of the two lengths and their checksum, before the headers. */
const PRELUDE = 12;
/** Bytes of a checksum. */
const CRC = 4;
/** Bytes of the largest message: more than AWS sends (24 MiB, with 128 KiB of headers). */
const LARGEST = 25 * 1024 * 1024;

/** Bytes of a header's value by its type; -1 for a length in front of it. */
const VALUE_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 6: -1, 7: -1, 8: 8, 9: 16 };
const TEXT = 7;

/** One message of a stream. */
export interface AwsEvent {
  /** Headers whose value is a text. */
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Buffer;
}

/**
 * Reads AWS's event stream (`application/vnd.amazon.eventstream`, Amazon's "Event stream encoding"): messages with a length, typed
 * headers, a payload and two checksums. `onEvent` is called for each whole message whose checksums are right.
 */
export class AwsEventStream {
  readonly #onEvent: (event: AwsEvent) => void;
  readonly #chunks: Buffer[] = [];
  #held = 0;
  #needed = PRELUDE;
  #isBroken = false;

  constructor(onEvent: (event: AwsEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** False once a checksum, a length or a header was wrong: nothing after it can be read. */
  get isSound(): boolean {
    return !this.#isBroken;
  }

  /** True if nothing of an unfinished message is held. */
  get isBetweenMessages(): boolean {
    return this.#held === 0;
  }

  push(chunk: Buffer): void {
    if (this.#isBroken || chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    // Put together only when a whole message is there: a large one arrives in many pieces.
    if (this.#held < this.#needed) return;
    let bytes = Buffer.concat(this.#chunks.splice(0));
    while (bytes.length >= PRELUDE && !this.#isBroken) {
      const size = messageLength(bytes);
      if (size === undefined) this.#isBroken = true;
      else if (bytes.length < size) {
        this.#needed = size;
        break;
      } else {
        this.#message(bytes.subarray(0, size));
        bytes = bytes.subarray(size);
        this.#needed = PRELUDE;
      }
    }
    this.#held = this.#isBroken ? 0 : bytes.length;
    if (this.#held > 0) this.#chunks.push(bytes);
  }

  #message(bytes: Buffer): void {
    const end = bytes.length - CRC;
    const headersEnd = PRELUDE + bytes.readUInt32BE(4);
    const headers =
      crc32(bytes.subarray(0, end)) === bytes.readUInt32BE(end) ? headersIn(bytes.subarray(PRELUDE, headersEnd)) : undefined;
    if (headers === undefined) this.#isBroken = true;
    else this.#onEvent({ headers, payload: bytes.subarray(headersEnd, end) });
  }
}

/** The length of the message that begins here; undefined if it is none. */
function messageLength(bytes: Buffer): number | undefined {
  const [size, headers] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)];
  if (crc32(bytes.subarray(0, PRELUDE - CRC)) !== bytes.readUInt32BE(PRELUDE - CRC)) return undefined;
  return size > LARGEST || size < PRELUDE + headers + CRC ? undefined : size;
}

/** The headers, of which those with a text are kept; undefined if they are malformed or if a name occurs twice. */
function headersIn(bytes: Buffer): ReadonlyMap<string, string> | undefined {
  const texts = new Map<string, string>();
  const names = new Set<string>();
  for (let at = 0; at < bytes.length; ) {
    const header = headerAt(bytes, at);
    if (header === undefined || names.has(header.name)) return undefined;
    names.add(header.name);
    if (header.text !== undefined) texts.set(header.name, header.text);
    at = header.end;
  }
  return texts;
}

/** The header that begins at `at`; undefined if it is malformed. */
function headerAt(
  bytes: Buffer,
  at: number,
): { readonly name: string; readonly text?: string; readonly end: number } | undefined {
  const nameEnd = at + 1 + (bytes[at] ?? 0);
  const type = bytes[nameEnd] ?? Number.NaN;
  const fixed = VALUE_BYTES[type];
  if (fixed === undefined) return undefined;
  const begin = nameEnd + 1 + (fixed < 0 ? 2 : 0);
  if (begin > bytes.length) return undefined;
  const end = begin + (fixed < 0 ? bytes.readUInt16BE(nameEnd + 1) : fixed);
  if (end > bytes.length) return undefined;
  const name = bytes.toString("utf8", at + 1, nameEnd);
  return type === TEXT ? { name, text: bytes.toString("utf8", begin, end), end } : { name, end };
}
