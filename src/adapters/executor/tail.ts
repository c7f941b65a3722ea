/** The part of the output's end that is kept. */
export const TAIL_BYTES = 64 * 1024;

/** The last bytes of a stream, in one fixed buffer. */
export interface Tail {
  push(chunk: Uint8Array): void;
  /** The tail as text; a character without its beginning is left out, and bytes that are not UTF-8 become U+FFFD. */
  text(): string;
}

export function createTail(): Tail {
  let ring: Buffer | undefined;
  let total = 0;
  return {
    push(chunk) {
      if (chunk.length === 0) return;
      ring ??= Buffer.allocUnsafe(TAIL_BYTES);
      const kept = chunk.length > TAIL_BYTES ? chunk.subarray(chunk.length - TAIL_BYTES) : chunk;
      total += chunk.length;
      const from = (total - kept.length) % TAIL_BYTES;
      ring.set(kept.subarray(0, TAIL_BYTES - from), from);
      if (from + kept.length > TAIL_BYTES) ring.set(kept.subarray(TAIL_BYTES - from), 0);
    },
    text() {
      if (ring === undefined) return "";
      if (total <= TAIL_BYTES) return ring.toString("utf8", 0, total);
      const at = total % TAIL_BYTES;
      const bytes = Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
      let start = 0;
      while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
      return bytes.toString("utf8", start);
    },
  };
}
