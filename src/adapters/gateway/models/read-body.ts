import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, type ZlibOptions, zstdDecompress } from "node:zlib";
import { hasErrorCode } from "../../../domain/values/error-text.ts";
import type { GatewayLimits } from "../../../ports/gateway.ts";
import { Refusal } from "../refusals.ts";

type Decode = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;

/** Codings in which agents' programs compress their requests; Codex uses zstd. */
const CODINGS: Readonly<Record<string, Decode>> = {
  gzip: promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<Buffer, ZlibOptions, Buffer>(inflate),
  br: promisify<Buffer, object, Buffer>(brotliDecompress),
  zstd: promisify<Buffer, object, Buffer>(zstdDecompress),
};

/** Reads whole request bodies, within the gateway's bound on bytes in memory. */
export class BodyReader {
  readonly #limits: GatewayLimits;
  #held = 0;

  constructor(limits: GatewayLimits) {
    this.#limits = limits;
  }

  /** Gives the decoded body to `use`; its bytes count as held until that settles. Throws a Refusal (4xx). */
  async read<T>(req: IncomingMessage, use: (body: Buffer) => Promise<T>): Promise<T> {
    let mine = 0;
    const hold = (bytes: number): void => {
      mine += bytes;
      this.#held += bytes;
      if (mine > 2 * this.#limits.bodyBytes) throw this.#tooLarge();
      if (this.#held > this.#limits.heldBytes) throw new Refusal(429, "too much is being sent at a time", true);
    };
    try {
      const raw = await this.#raw(req, hold);
      const body = await this.#decoded(req, raw, hold);
      return await use(body);
    } finally {
      this.#held -= mine;
    }
  }

  #raw(req: IncomingMessage, hold: (bytes: number) => void): Promise<Buffer> {
    return new Promise((settle, reject) => {
      if (Number(req.headers["content-length"] ?? 0) > this.#limits.bodyBytes) return reject(this.#tooLarge());
      const chunks: Buffer[] = [];
      let size = 0;
      const take = (chunk: Buffer): void => {
        size += chunk.length;
        try {
          if (size > this.#limits.bodyBytes) throw this.#tooLarge();
          hold(chunk.length);
          chunks.push(chunk);
        } catch (refusal) {
          // Not destroyed: the refusal must still be sent.
          req.off("data", take).pause();
          reject(refusal);
        }
      };
      req.on("data", take);
      req.once("end", () => settle(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size)));
      // After its end, or a refusal, this has no effect.
      req.once("close", () => reject(new Refusal(400, "the request broke off")));
    });
  }

  async #decoded(req: IncomingMessage, raw: Buffer, hold: (bytes: number) => void): Promise<Buffer> {
    const coding = (req.headers["content-encoding"] ?? "identity").trim().toLowerCase();
    if (coding === "identity" || coding === "") return raw;
    const decode = Object.hasOwn(CODINGS, coding) ? CODINGS[coding] : undefined;
    if (decode === undefined) throw new Refusal(415, "the request is compressed in a way that the gateway does not read");
    // The output is held while it grows: its maximum counts.
    hold(this.#limits.bodyBytes);
    try {
      return await decode(raw, { maxOutputLength: this.#limits.bodyBytes });
    } catch (error) {
      const large = hasErrorCode(error, "ERR_BUFFER_TOO_LARGE");
      throw large ? this.#tooLarge() : new Refusal(400, "the request cannot be decompressed");
    }
  }

  #tooLarge(): Refusal {
    return new Refusal(413, `a request may have ${this.#limits.bodyBytes} bytes at most`);
  }
}
