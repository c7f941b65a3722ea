import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewayLimits, ModelUpstream } from "../../../ports/gateway.ts";
import type { UpstreamProxy } from "../hosts/upstream-proxy.ts";
import type { OpenConnections } from "../open-connections.ts";
import { Meter } from "../prices/meter.ts";
import { hasBody, Refusal } from "../refusals.ts";
import { readCodeAssistRequest } from "./code-assist-request.ts";
import { headersToModel } from "./headers.ts";
import { type CallOptions, callModel } from "./model-call.ts";
import { type ModelRequest, readModelRequest } from "./model-request.ts";
import { BodyReader } from "./read-body.ts";
import type { Route } from "./route.ts";
import { routeOf, routesOf } from "./routes.ts";
import { type Credential, Upstream } from "./upstream.ts";

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
  readonly #routes: readonly Route[];
  readonly #upstream: Upstream;

  constructor(modelUpstream: ModelUpstream, limits: GatewayLimits, control: GatewayControl, proxy?: UpstreamProxy) {
    this.#options = modelUpstream;
    this.#limits = limits;
    this.#control = control;
    this.#bodies = new BodyReader(limits);
    this.#routes = routesOf(modelUpstream);
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
    const route = routeOf(this.#routes, req.method ?? "", target);
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

  async #read(body: Buffer, route: Route): Promise<ModelRequest> {
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

  async #post(req: IncomingMessage, res: ServerResponse, options: { route: Route; target: string; body: Buffer }): Promise<void> {
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
      await this.#call({ send, credential, body: ask.body, res, ...(metered === undefined ? {} : { metered }) });
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
