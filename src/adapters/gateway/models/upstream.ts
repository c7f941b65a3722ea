import {
  type AgentOptions,
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type OutgoingHttpHeaders,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { EXIT, UserError } from "../../../domain/values/user-error.ts";
import type { GatewayLimits, ModelUpstream } from "../../../ports/gateway.ts";
import type { UpstreamProxy } from "../hosts/upstream-proxy.ts";
import { Refusal } from "../refusals.ts";
import { upstreamPath } from "./routes.ts";

/** Characters of a header's value (RFC 9110, 5.5), without spaces: a key has none. */
const KEY = /^[\x21-\x7e]+$/;

/** The connection to the vendor's API: one pool of sockets, and the credential. */
export class Upstream {
  readonly base: URL;
  readonly #options: ModelUpstream;
  readonly #limits: GatewayLimits;
  readonly #agent: HttpAgent | HttpsAgent;

  /** Throws a UserError (exit 2) if the base URL is invalid. */
  constructor(modelUpstream: ModelUpstream, limits: GatewayLimits, proxy?: UpstreamProxy) {
    this.base = readBase(modelUpstream.baseUrl);
    this.#options = modelUpstream;
    this.#limits = limits;
    const pool = { keepAlive: true, maxFreeSockets: 8, timeout: limits.idleMs, ...proxying(this.base, proxy) };
    this.#agent =
      this.base.protocol === "https:"
        ? new HttpsAgent({ ...pool, ...(modelUpstream.ca === undefined ? {} : { ca: modelUpstream.ca }) })
        : new HttpAgent(pool);
  }

  /** The credential, asked for again each time. Rejects with a Refusal (502) that reveals nothing of it. */
  async secret(): Promise<string> {
    if (this.#options.credential === undefined) return "";
    let value: string;
    try {
      value = await this.#options.credential.value();
    } catch {
      // The error's message may contain the credential.
      throw new Refusal(502, "the engine has no credential for the model's API");
    }
    if (!KEY.test(value)) throw new Refusal(502, "the engine's credential for the model's API cannot be used");
    return value;
  }

  /** Begins a request; nothing is sent before its `end`. */
  ask(options: {
    method: string;
    target: string;
    headers: OutgoingHttpHeaders;
    body: Buffer | undefined;
    secret: string;
  }): ClientRequest {
    const send = this.base.protocol === "https:" ? httpsRequest : httpRequest;
    return send({
      agent: this.#agent,
      protocol: this.base.protocol,
      hostname: this.base.hostname.replace(/^\[|\]$/g, ""),
      port: this.base.port,
      method: options.method,
      path: upstreamPath(this.#options.api, this.base, options.target),
      maxHeaderSize: this.#limits.headBytes,
      headers: {
        ...options.headers,
        ...(options.body === undefined ? {} : { "content-length": options.body.length }),
        ...this.#authorization(options.secret),
      },
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #authorization(secret: string): OutgoingHttpHeaders {
    const { credential } = this.#options;
    if (secret === "" || credential === undefined) return {};
    return credential.header === "bearer" ? { authorization: `Bearer ${secret}` } : { [credential.header]: secret };
  }
}

/** Node's own agent asks the machine's proxy, if there is one for the API. */
function proxying(base: URL, proxy: UpstreamProxy | undefined): AgentOptions {
  const kind = base.protocol === "https:" ? "https" : "http";
  const port = base.port === "" ? (kind === "https" ? 443 : 80) : Number(base.port);
  const server = proxy?.for({ host: base.hostname.replace(/^\[|\]$/g, ""), port }, kind);
  return server === undefined ? {} : { proxyEnv: { [`${kind}_proxy`]: server.url.href } };
}

function readBase(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url !== undefined && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (url !== undefined && plain && (url.protocol === "https:" || url.protocol === "http:")) return url;
  throw new UserError({
    what: "the base URL of the model's API cannot be used",
    why: "it is not a plain http or https address",
    todo: 'Write one like "https://api.anthropic.com", without a user, a query or a fragment.',
    exitCode: EXIT.usage,
  });
}
