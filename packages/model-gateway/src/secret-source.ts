/** Replaces secrets in everything that is written or shown. Knows a secret from the moment it was fetched. */
export interface Masker {
  /** The text, with a mark in the place of each secret. */
  text(text: string): string;
  /** The value, with the same done to each text in it. Gives back the same value if there is nothing to mask. */
  value<T>(value: T): T;
  /** A filter for one stream of bytes. `sameLength` puts stars in the place of a secret, so that lengths stay right. */
  stream(options?: { readonly sameLength?: boolean }): MaskingStream;
}

/** Masks a stream that comes in chunks of any size. It holds bytes back only if they may be the beginning of a secret. */
export interface MaskingStream {
  /** The bytes that may be passed on; may be empty. */
  push(chunk: Buffer): Buffer;
  /** The bytes that were held back, once the stream has ended. */
  end(): Buffer;
}

/** The reason why a secret has no value. The message contains nothing of the value. */
export class SecretUnavailable extends Error {
  override readonly name = "SecretUnavailable";
}

/** Gives the values of secrets by their names. */
export interface SecretSource {
  /** The value of a secret. Rejects with a SecretUnavailable. */
  get(name: string): Promise<string>;
  /** Fetches a secret again because `refused` was not accepted. Gives the current value at once if it is another one already. */
  renew(name: string, refused: string): Promise<string>;
}
