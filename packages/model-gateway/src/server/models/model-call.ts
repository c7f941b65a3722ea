import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress, constants as zlib } from "node:zlib";
import type { GatewayLimits } from "../../gateway.ts";
import { type AnswerReader, answerReader, isAwsEventStream } from "../prices/answer-reader.ts";
import type { CallOutcome, Hold } from "../prices/meter.ts";
import { NOTHING_READ } from "../prices/usage.ts";
import { Refusal } from "../refusals.ts";
import { headersFromModel } from "./headers.ts";
import type { AnswerKind } from "./route.ts";
import { Base64Scrubber, Scrubber, scrubbed } from "./scrub.ts";
import type { Credential } from "./upstream.ts";

/** A request to a model that was admitted. */
export interface CallOptions {
  /** Begins the request; nothing is sent before its end. */
  readonly send: (credential: Credential) => ClientRequest;
  readonly credential: Credential;
  /** True for the status by which the API refuses a credential. */
  readonly isRefusal: (status: number) => boolean;
  /** Another credential, if the API refused this one; undefined if there is none. */
  readonly renew: (refused: Credential) => Promise<Credential | undefined>;
  /** Called when the answer that counts begins. */
  readonly onAnswer: (answer: IncomingMessage) => void;
  readonly body: Buffer | undefined;
  readonly res: ServerResponse;
  readonly limits: GatewayLimits;
  /** Absent if it costs nothing. */
  readonly metered?: { readonly kind: AnswerKind; readonly isEnveloped?: boolean; readonly hold: Hold };
}

/**
 * Sends the request and streams the answer back; settles once it is over, with its cost booked. Rejects with a Refusal if the
 * vendor did not answer. If either side disconnects, the other side is disconnected too.
 */
export function callModel(options: CallOptions): Promise<void> {
  return new Promise((settle, reject) => new Call(options, settle, reject).begin());
}

class Call {
  readonly #options: CallOptions;
  readonly #settle: () => void;
  readonly #reject: (refusal: Refusal) => void;
  #credential: Credential;
  #out: ClientRequest | undefined;
  #renewed = false;
  /** True if the vendor may have received the request. */
  #sent = false;
  #reader: AnswerReader | undefined;
  #answered = false;
  #over = false;
  #timer: NodeJS.Timeout | undefined;
  #total: NodeJS.Timeout | undefined;

  constructor(options: CallOptions, settle: () => void, reject: (refusal: Refusal) => void) {
    this.#options = options;
    this.#settle = settle;
    this.#reject = reject;
    this.#credential = options.credential;
  }

  begin(): void {
    const { res, limits } = this.#options;
    if (res.destroyed) return this.#end("unsent");
    this.#timer = setTimeout(() => this.#breakOff(504), limits.answerMs);
    this.#total = setTimeout(() => this.#breakOff(504), limits.totalMs);
    // A complete answer is closed too: then `pipeline` reports.
    res.once("close", () => res.writableFinished || this.#breakOff(502));
    this.#ask();
  }

  #ask(): void {
    const out = this.#options.send(this.#credential);
    this.#out = out;
    this.#answered = false;
    // Errors of an earlier request, whose credential was refused, are ignored.
    out.on("error", () => this.#out !== out || this.#breakOff(502));
    // If the vendor requires another protocol, Node drops the connection without an error.
    out.once("close", () => this.#out !== out || this.#answered || this.#breakOff(502));
    out.once("socket", (socket) => {
      const sent = (): void => {
        this.#sent = true;
      };
      // Data on a pooled socket is sent at once.
      if (out.reusedSocket) sent();
      else socket.once(out.protocol === "https:" ? "secureConnect" : "connect", sent);
    });
    out.once("response", (answer) => this.#received(answer));
    out.end(this.#options.body);
  }

  /** Renews a refused credential, once, and repeats the request. */
  #received(answer: IncomingMessage): void {
    this.#answered = true;
    if (this.#renewed || !this.#options.isRefusal(answer.statusCode ?? 502)) return this.#answer(answer);
    this.#renewed = true;
    // A request that was refused costs nothing.
    this.#sent = false;
    // It may break off during the renewal. Its reader then sees the error.
    answer.on("error", () => undefined);
    this.#options.renew(this.#credential).then(
      (next) => {
        if (this.#over || this.#options.res.destroyed) return;
        if (next === undefined) return this.#answer(answer);
        this.#out = undefined;
        answer.destroy();
        this.#credential = next;
        this.#ask();
      },
      () => this.#breakOff(502),
    );
  }

  #answer(answer: IncomingMessage): void {
    const status = answer.statusCode ?? 502;
    this.#options.onAnswer(answer);
    // The client may be gone without our knowing it yet.
    if (this.#over || this.#options.res.destroyed) return this.#breakOff(502);
    // The gateway follows no redirect, and the program inside must not be sent elsewhere.
    if (status >= 300 && status < 400 && status !== 304) {
      this.#options.metered?.hold.settle({ as: "free" });
      return this.#breakOff(502);
    }
    const decoder = createDecoder(answer.headers["content-encoding"]);
    if (decoder === undefined) return this.#breakOff(502);
    this.#writeHead(answer, decoder !== "none", status);
    // If the answer breaks off before decoding, the decoded stream breaks off too.
    if (!this.#over) this.#pass(decoder === "none" ? answer : pipeline(answer, decoder, () => undefined), answer);
  }

  #writeHead(answer: IncomingMessage, decoded: boolean, status: number): void {
    const { res, limits } = this.#options;
    const { secret } = this.#credential;
    const headers = Object.entries(headersFromModel(answer, decoded)).map(([name, value]) => [
      name,
      typeof value === "string" ? scrubbed(value, secret) : value,
    ]);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#breakOff(504), limits.idleMs);
    try {
      res.writeHead(status, Object.fromEntries(headers));
    } catch {
      // A status or a header that Node refuses to write would be ambiguous.
      this.#breakOff(502);
    }
  }

  /** By hand rather than by a chain of streams, each of which would take its turns over every piece. */
  #pass(source: Readable, { statusCode: status = 502, headers }: IncomingMessage): void {
    const { res, limits, metered } = this.#options;
    const ok = status >= 200 && status < 300;
    this.#reader = ok && metered !== undefined ? answerReader(metered, headers["content-type"]) : undefined;
    const { secret } = this.#credential;
    const scrubber = isAwsEventStream(headers["content-type"]) ? new Base64Scrubber(secret) : new Scrubber(secret);
    let size = 0;
    let ended = false;
    source.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limits.answerBytes) return this.#breakOff(502);
      this.#chunk(chunk);
      // The answer's cost may have cut the line.
      if (this.#over) return;
      const bytes = scrubber.push(chunk);
      if (bytes.length > 0 && !res.write(bytes)) source.pause();
    });
    res.on("drain", () => source.resume());
    source.once("error", () => this.#breakOff(502));
    source.once("end", () => {
      ended = true;
      res.end(scrubber.end());
    });
    source.once("close", () => ended || this.#breakOff(502));
    res.once("finish", () => {
      metered?.hold.settle(ok ? this.#outcome() : { as: "free" });
      this.#end("answered");
    });
    // Sends the headers with the first piece if there is one already; otherwise now, to show that a slow stream has begun.
    setImmediate(() => size > 0 || res.destroyed || res.writableEnded || res.flushHeaders());
  }

  #chunk(chunk: Buffer): void {
    this.#timer?.refresh();
    if (this.#reader === undefined) return;
    const before = this.#reader.sofar();
    this.#reader.push(chunk);
    const reading = this.#reader.sofar();
    if (reading !== before) this.#options.metered?.hold.observe(reading);
  }

  /** If an answer gave its complete cost, it does not matter who stopped listening before its end. */
  #outcome(): CallOutcome {
    const reading = this.#reader?.end();
    if (reading !== undefined) return { as: "read", reading };
    return { as: "unread", reading: this.#reader?.sofar() ?? NOTHING_READ };
  }

  /** Ends both sides. A request that may have reached the vendor counts as its maximum, unless it is booked already. */
  #breakOff(status: 502 | 504): void {
    if (this.#over) return;
    const { res, metered } = this.#options;
    this.#out?.destroy();
    metered?.hold.settle(this.#sent ? this.#outcome() : { as: "free" });
    if (res.headersSent || res.destroyed) {
      if (!res.destroyed) handOver(res);
      res.destroy();
      return this.#end("answered");
    }
    this.#end(status);
  }

  #end(how: "answered" | "unsent" | 502 | 504): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#total);
    if (how === "unsent") {
      this.#options.metered?.hold.settle({ as: "free" });
    }
    if (how === 502) return this.#reject(new Refusal(502, "the model's API cannot be reached, or broke off", true));
    if (how === 504) return this.#reject(new Refusal(504, "the model's API did not answer in time", true));
    this.#settle();
  }
}

/** Delivers the pieces before an end, so that the client sees that the answer was cut off. */
function handOver(res: ServerResponse): void {
  res.flushHeaders();
  // Node holds back the pieces of one turn until its end.
  while (res.socket !== null && res.socket.writableCorked > 0) res.socket.uncork();
}

/** The decoder of an answer that is compressed although it was requested uncompressed; undefined if there is none. */
function createDecoder(coding: string | undefined): Transform | "none" | undefined {
  // Each piece is passed on as soon as it can be read.
  const flush = { flush: zlib.Z_SYNC_FLUSH };
  switch (coding?.trim().toLowerCase() ?? "") {
    case "":
    case "identity":
      return "none";
    case "gzip":
    case "x-gzip":
      return createGunzip(flush);
    case "deflate":
      return createInflate(flush);
    case "br":
      return createBrotliDecompress({ flush: zlib.BROTLI_OPERATION_FLUSH });
    case "zstd":
      return createZstdDecompress();
    default:
      return undefined;
  }
}
