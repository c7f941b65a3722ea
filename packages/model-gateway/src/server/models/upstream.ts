import {
  type AgentOptions,
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type OutgoingHttpHeaders,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { EXIT, UserError } from "@loopdash/values";
import type { CodeAssistAccount, GatewayLimits, ModelUpstream } from "../../gateway.ts";
import type { UpstreamProxy } from "../hosts/upstream-proxy.ts";
import { Refusal } from "../refusals.ts";
import { upstreamPath } from "./routes.ts";

/** Characters of a header's value (RFC 9110, 5.5), without spaces: a key has none. */
const KEY = /^[\x21-\x7e]+$/;

const NO_CREDENTIAL = "the engine has no credential for the model's API";

/** The engine's part of one request. An empty secret is none. */
export interface Credential {
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The connection to the vendor's API: one pool of sockets, and the credential. */
export class Upstream {
  readonly base: URL;
  readonly #options: ModelUpstream;
  readonly #limits: GatewayLimits;
  readonly #agent: HttpAgent | HttpsAgent;
  /** Renewals under way, by the value that was refused. */
  readonly #renewals = new Map<string, Promise<string>>();

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
  async credential(): Promise<Credential> {
    const { credential } = this.#options;
    if (credential === undefined) return { secret: "", headers: {} };
    return await this.#checked(async () => ({ secret: await credential.value(), headers: (await credential.headers?.()) ?? {} }));
  }

  /**
   * Another credential, because the API refused this one. Requests that were refused together share one renewal. Undefined if
   * there is no other, or if it cannot be renewed: then the refusal stands.
   */
  async renewed({ secret: refused }: Credential): Promise<Credential | undefined> {
    const { credential } = this.#options;
    if (credential?.renew === undefined) return undefined;
    const renew = credential.renew;
    const renewal = this.#renewals.get(refused) ?? renew(refused).finally(() => this.#renewals.delete(refused));
    this.#renewals.set(refused, renewal);
    try {
      const next = await this.#checked(async () => ({ secret: await renewal, headers: (await credential.headers?.()) ?? {} }));
      return next.secret === refused ? undefined : next;
    } catch (error) {
      // Its owner has been told the reason; the program inside gets the API's own refusal.
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }

  /** True for the status with which the API refuses a credential: Bedrock answers 403 to a key that has expired. */
  isRefusal(status: number): boolean {
    return status === 401 || (status === 403 && this.#options.platform?.kind === "bedrock");
  }

  /** The answer to a question about a login's account. Rejects with a Refusal (502) that reveals nothing of the credential. */
  async codeAssist(): Promise<CodeAssistAccount> {
    const { codeAssist } = this.#options;
    if (codeAssist === undefined) throw new Refusal(403, "no login for Code Assist is open to agents");
    try {
      return await codeAssist();
    } catch {
      // The error's message may contain the credential.
      throw new Refusal(502, NO_CREDENTIAL);
    }
  }

  async #checked(ask: () => Promise<Credential>): Promise<Credential> {
    let credential: Credential;
    try {
      credential = await ask();
    } catch {
      // The error's message may contain the credential.
      throw new Refusal(502, NO_CREDENTIAL);
    }
    const fits = KEY.test(credential.secret) && Object.values(credential.headers).every((value) => KEY.test(value));
    if (!fits) throw new Refusal(502, "the engine's credential for the model's API cannot be used");
    return credential;
  }

  /** Begins a request; nothing is sent before its `end`. */
  ask(options: {
    method: string;
    target: string;
    headers: OutgoingHttpHeaders;
    body: Buffer | undefined;
    credential: Credential;
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
        ...options.credential.headers,
        ...this.#authorization(options.credential.secret),
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
