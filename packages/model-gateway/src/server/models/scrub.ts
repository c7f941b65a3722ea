const STAR = 0x2a;

/**
 * Replaces every occurrence of the secret in a stream by stars of the same length. Holds bytes back only if they may be the
 * beginning of the secret, so a stream is not slowed.
 */
export class Scrubber {
  readonly #secret: Buffer;
  #tail: Buffer = Buffer.alloc(0);

  /** An empty secret occurs nowhere. */
  constructor(secret: string) {
    this.#secret = Buffer.from(secret);
  }

  /** The bytes so far that may be passed on; may be empty. */
  push(chunk: Buffer): Buffer {
    if (this.#secret.length === 0) return chunk;
    const bytes = this.#starred(this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]));
    const free = bytes.length - this.#beginning(bytes);
    this.#tail = bytes.subarray(free);
    return bytes.subarray(0, free);
  }

  /** The bytes held back, once the stream has ended. */
  end(): Buffer {
    return this.#tail;
  }

  #starred(bytes: Buffer): Buffer {
    let at = bytes.indexOf(this.#secret);
    if (at < 0) return bytes;
    const copy = Buffer.from(bytes);
    for (; at >= 0; at = copy.indexOf(this.#secret, at)) copy.fill(STAR, at, at + this.#secret.length);
    return copy;
  }

  /** The number of last bytes that are a beginning of the secret. */
  #beginning(bytes: Buffer): number {
    const first = this.#secret[0] ?? 0;
    let at = bytes.indexOf(first, Math.max(0, bytes.length - this.#secret.length + 1));
    for (; at >= 0; at = bytes.indexOf(first, at + 1)) {
      const size = bytes.length - at;
      if (bytes.compare(this.#secret, 0, size, at) === 0) return size;
    }
    return 0;
  }
}

/** The same for a text. */
export function scrubbed(text: string, secret: string): string {
  return secret === "" ? text : text.replaceAll(secret, "*".repeat(secret.length));
}

/** Scrubs a stream whose content is in base64, as Bedrock's is: the secret may begin at any of three places in a group. */
export class Base64Scrubber {
  readonly #scrubbers: readonly Scrubber[];

  constructor(secret: string) {
    const forms = [0, 1, 2].map((before) => {
      const text = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]).toString("base64");
      // Only these characters depend on nothing around the secret.
      return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + Buffer.byteLength(secret)) * 8) / 6));
    });
    this.#scrubbers = [secret, ...forms].map((form) => new Scrubber(form));
  }

  push(chunk: Buffer): Buffer {
    return this.#scrubbers.reduce((bytes, scrubber) => (bytes.length === 0 ? bytes : scrubber.push(bytes)), chunk);
  }

  end(): Buffer {
    return this.#scrubbers.reduce<Buffer>(
      (bytes, scrubber) => Buffer.concat([bytes.length === 0 ? bytes : scrubber.push(bytes), scrubber.end()]),
      Buffer.alloc(0),
    );
  }
}
