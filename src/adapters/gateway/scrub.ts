import { Transform, type TransformCallback } from "node:stream";

const STAR = 0x2a;

/**
 * Stars over every place where the secret stands in what passes, of the same length. Bytes are held back only where they
 * may be the beginning of the secret, so a stream is not slowed.
 */
export class Scrubber extends Transform {
  readonly #secret: Buffer;
  #tail: Buffer = Buffer.alloc(0);

  constructor(secret: string) {
    super();
    this.#secret = Buffer.from(secret);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const bytes = this.#starred(this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]));
    const held = this.#beginning(bytes);
    this.#tail = bytes.subarray(bytes.length - held);
    if (held < bytes.length) this.push(bytes.subarray(0, bytes.length - held));
    done();
  }

  override _flush(done: TransformCallback): void {
    if (this.#tail.length > 0) this.push(this.#tail);
    done();
  }

  #starred(bytes: Buffer): Buffer {
    if (this.#secret.length === 0) return bytes;
    let at = bytes.indexOf(this.#secret);
    if (at < 0) return bytes;
    const copy = Buffer.from(bytes);
    for (; at >= 0; at = copy.indexOf(this.#secret, at)) copy.fill(STAR, at, at + this.#secret.length);
    return copy;
  }

  /** How many of the last bytes are a beginning of the secret. */
  #beginning(bytes: Buffer): number {
    for (let size = Math.min(this.#secret.length - 1, bytes.length); size > 0; size -= 1) {
      if (bytes.subarray(bytes.length - size).equals(this.#secret.subarray(0, size))) return size;
    }
    return 0;
  }
}

/** The same for a text. */
export function scrubbed(text: string, secret: string): string {
  return secret === "" ? text : text.replaceAll(secret, "*".repeat(secret.length));
}
