import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, type ZlibOptions, zstdDecompress } from "node:zlib";
import { hasErrorCode, isObject, readJson } from "@loopdash/values";
import type { GatewayLimits, ModelUpstream } from "../../gateway.ts";
import type { UpstreamProxy } from "../hosts/upstream-proxy.ts";
import type { OpenConnections } from "../open-connections.ts";
import { Meter } from "../prices/meter.ts";
import { hasBody, Refusal } from "../refusals.ts";
import { headersToModel } from "./headers.ts";
import { type CallOptions, callModel } from "./model-call.ts";
import { decodeBody, type ModelRequest, readModelRequest } from "./model-request.ts";
import type { ApiRoute } from "./route.ts";
import { apiRoutes, matchRoute } from "./routes.ts";
import { type Credential, Upstream } from "./upstream.ts";

type Decode = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;

/** Codings in which agents' programs compress their requests; Codex uses zstd. */
const CODINGS: Readonly<Record<string, Decode>> = {
  gzip: promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<Buffer, ZlibOptions, Buffer>(inflate),
  br: promisify<Buffer, object, Buffer>(brotliDecompress),
  zstd: promisify<Buffer, object, Buffer>(zstdDecompress),
};

/** Reads whole request bodies, within the gateway's bound on bytes in memory. */
class BodyReader {
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

/** What the proxy of a model may do to its gateway: end all connections, and know whether they were ended. */
export interface GatewayControl {
  readonly cut: (reason: string) => void;
  /** Throws a Refusal (402) if it is cut. */
  readonly assertNotCut: () => void;
  readonly open: OpenConnections;
}

/** The part of a gateway that leads to a model's API. */
export class ModelProxy {
  readonly meter: Meter;
  readonly #options: ModelUpstream;
  readonly #limits: GatewayLimits;
  readonly #control: GatewayControl;
  readonly #bodies: BodyReader;
  readonly #routes: readonly ApiRoute[];
  readonly #upstream: Upstream;

  constructor(modelUpstream: ModelUpstream, limits: GatewayLimits, control: GatewayControl, proxy?: UpstreamProxy) {
    this.#options = modelUpstream;
    this.#limits = limits;
    this.#control = control;
    this.#bodies = new BodyReader(limits);
    this.#routes = apiRoutes(modelUpstream);
    this.#upstream = new Upstream(modelUpstream, limits, proxy);
    this.meter = new Meter(modelUpstream, control.cut);
  }

  get base(): URL {
    return this.#upstream.base;
  }

  close(): void {
    this.#upstream.close();
  }

  /** Answers one request; rejects with a Refusal if it is not allowed. */
  async serve(req: IncomingMessage, res: ServerResponse, target: string): Promise<void> {
    // Claude Code tests with this request if the server is reachable.
    if (req.method === "HEAD" && target === "/") return void res.writeHead(200).end();
    const route = matchRoute(this.#routes, req.method ?? "", target);
    if (route.method === "GET") return await this.#get(req, res, target);
    await this.#bodies.read(req, (body) =>
      route.own === "account" ? this.#account(res) : this.#post(req, res, { route, target, body }),
    );
  }

  /** Google's answer about an account, as far as the program inside needs it to begin. */
  async #account(res: ServerResponse): Promise<void> {
    const { project, tier } = await this.#upstream.codeAssist();
    const answer = { currentTier: { id: tier }, cloudaicompanionProject: project };
    res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  }

  async #read(body: Buffer, route: ApiRoute): Promise<ModelRequest> {
    const { vendorReach = false } = this.#options;
    if (route.isEnveloped !== true) return readModelRequest(body, { route, vendorReach });
    const { project } = await this.#upstream.codeAssist();
    return readCodeAssistRequest(body, { route, project, vendorReach });
  }

  async #get(req: IncomingMessage, res: ServerResponse, target: string): Promise<void> {
    if (hasBody(req)) throw new Refusal(400, "a GET has no body");
    const headers = headersToModel(req);
    const send = (credential: Credential) => this.#upstream.ask({ method: "GET", target, headers, body: undefined, credential });
    await this.#call({ send, credential: await this.#upstream.credential(), body: undefined, res });
  }

  async #post(
    req: IncomingMessage,
    res: ServerResponse,
    options: { route: ApiRoute; target: string; body: Buffer },
  ): Promise<void> {
    const { route, target } = options;
    const ask = await this.#read(options.body, route);
    const credential = await this.#upstream.credential();
    // It may have been cut since the request began; nothing is awaited from here to the call.
    this.#control.assertNotCut();
    const metered =
      route.meter === undefined
        ? undefined
        : { kind: route.meter, isEnveloped: route.isEnveloped === true, hold: this.meter.admit(ask) };
    const headers = { ...headersToModel(req), "content-type": "application/json" };
    try {
      const send = (each: Credential) =>
        this.#upstream.ask({ method: "POST", target, headers, body: ask.body, credential: each });
      await this.#call({ send, credential, body: ask.body, res, metered });
    } catch (error) {
      // For a call that never began; one that began has booked itself.
      metered?.hold.settle({ as: "free" });
      throw error;
    }
  }

  /** A call that a cut ends. */
  async #call(options: Omit<CallOptions, "limits" | "isRefusal" | "renew" | "onAnswer">): Promise<void> {
    const ended = this.#control.open.add(() => options.res.destroy());
    const { onAnswer, onUnreachable } = this.#options;
    let answered = false;
    let code: string | undefined;
    const send = (credential: Credential) => {
      const out = options.send(credential);
      out.on("error", (error: NodeJS.ErrnoException) => {
        code ??= error.code;
      });
      return out;
    };
    try {
      await callModel({
        ...options,
        ...{ send, limits: this.#limits },
        isRefusal: (status) => this.#upstream.isRefusal(status),
        renew: (refused) => this.#upstream.renewed(refused),
        onAnswer: ({ statusCode = 502, headers }) => {
          answered = true;
          onAnswer?.({ status: statusCode, ...retryAfter(headers["retry-after"]) });
        },
      });
    } catch (error) {
      if (!answered && error instanceof Refusal) onUnreachable?.(code ?? error.message);
      throw error;
    } finally {
      ended();
    }
  }
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
function retryAfter(value: string | undefined): { retryAfterMs?: number } {
  if (value === undefined) return {};
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? { retryAfterMs: ms } : {};
}

/** Characters of the program's own number of a prompt. */
const LONGEST_ID = 200;

/**
 * Reads and checks a request to Google's Code Assist: one to Gemini in an envelope that names the model and the project that is
 * billed. The envelope is written anew: the project is the engine's, and nothing that costs extra (`enabled_credit_types`) is in
 * it. Throws a Refusal (400 or 403).
 */
function readCodeAssistRequest(
  bytes: Buffer,
  { route, project, vendorReach }: { readonly route: ApiRoute; readonly project: string; readonly vendorReach: boolean },
): ModelRequest {
  const envelope = parsed(bytes);
  const inner = envelope["request"];
  if (!isObject(inner)) throw new Refusal(400, "request: an object is needed");
  const isTokenCount = route.meter === undefined;
  const model = isTokenCount ? {} : { model: requireModelName(envelope["model"]) };
  const ask = readModelRequest(Buffer.from(written(inner)), {
    route: { ...route, ...model, ...(isTokenCount ? { shape: "generate" } : { meter: "generate" }) },
    vendorReach,
  });
  const id = envelope["user_prompt_id"];
  const fields = isTokenCount ? {} : { ...model, project, user_prompt_id: isId(id) ? id : undefined };
  const head = Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`);
  return { ...ask, body: Buffer.concat([Buffer.from(`{${head.join("")}"request":`), ask.body, Buffer.from("}")]) };
}

function requireModelName(model: unknown): string {
  if (typeof model === "string") return model;
  throw new Refusal(400, "model: a name is needed");
}

function isId(id: unknown): boolean {
  return typeof id === "string" && id.length <= LONGEST_ID;
}

function written(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested so deeply that it can no longer be written.
    throw new Refusal(400, "the request is nested too deeply");
  }
}

function parsed(bytes: Buffer): Readonly<Record<string, unknown>> {
  let envelope: unknown;
  try {
    envelope = readJson(decodeBody(bytes));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, "the request is not JSON");
  }
  if (!isObject(envelope)) throw new Refusal(400, "the request is not a JSON object");
  return envelope;
}
