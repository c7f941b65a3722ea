import { chmodSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Gateway, GatewayLimits, GatewayOptions, GatewayTotals, SocketLocation } from "../gateway.ts";
import { isHeaderHost } from "../host-spec.ts";
import { CredentialProxy } from "./credentials/credential-proxy.ts";
import { readAuthority } from "./hosts/authority.ts";
import { Blocked, BlockedConnections } from "./hosts/blocked.ts";
import type { Dialler } from "./hosts/dial.ts";
import { type HostConnections, Traffic } from "./hosts/host-connections.ts";
import { HostRules } from "./hosts/host-rules.ts";
import { passPlain } from "./hosts/plain-proxy.ts";
import { meansModel, readTarget } from "./hosts/target.ts";
import { openTunnel } from "./hosts/tunnel.ts";
import { UpstreamProxy } from "./hosts/upstream-proxy.ts";
import { gatewayLimits } from "./limits.ts";
import { ModelProxy } from "./models/model-proxy.ts";
import { OpenConnections } from "./open-connections.ts";
import { answerRefusal, hasBody, Refusal, Refusals } from "./refusals.ts";

/** The longest interval between checks of incoming requests' time limits, in milliseconds. */
const LOOK_EVERY_MS = 1_000;
/** The time that a connection from inside may wait for its next request: longer than any program keeps one. */
const KEEP_ALIVE_MS = 120_000;
/** Buffer of one request or answer that the other side has not read yet: most pass without a pause. Bytes. */
const AT_A_TIME = 256 * 1024;

/**
 * Opens the way out of one sandbox: `model` reaches a model's API, `hosts` opens hosts; everything else is refused and counted.
 * Throws a UserError: exit 2 if a host or the base URL is invalid, exit 4 if the socket cannot be made.
 */
export async function openGatewayAt(options: GatewayOptions): Promise<Gateway> {
  const gateway = new SocketGateway(options);
  await gateway.listen();
  return gateway;
}

/** Without credentials, nobody adds the headers of a host: then it is not reached, rather than without them. */
function openHosts({ hosts = [], credentials }: GatewayOptions): GatewayOptions["hosts"] & object {
  return credentials === undefined ? hosts.filter((spec) => !isHeaderHost(spec)) : hosts;
}

class SocketGateway implements Gateway {
  readonly #options: GatewayOptions;
  readonly #limits: GatewayLimits;
  readonly #dialler: Dialler;
  readonly #model: ModelProxy | undefined;
  readonly #credentialed: CredentialProxy | undefined;
  readonly #server: Server;
  readonly #place: SocketLocation;
  readonly #connections = new OpenConnections();
  readonly #traffic = new Traffic();
  readonly #refusals = new Refusals();
  readonly #acceptedSecrets = new Set<string>();
  readonly #blocked: BlockedConnections;
  #requests = 0;
  #cutReason: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#limits = gatewayLimits(options.limits);
    this.#blocked = new BlockedConnections({ who: options.hostsFor, onBlocked: options.onBlocked });
    const proxy = options.proxyEnv === undefined ? undefined : new UpstreamProxy(options.proxyEnv);
    this.#dialler = {
      rules: new HostRules(openHosts(options)),
      resolve: options.resolve,
      proxy,
      connectMs: this.#limits.connectMs,
    };
    const control = {
      cut: (reason: string) => this.cut(reason),
      assertNotCut: () => this.#assertNotCut(),
      open: this.#connections,
    };
    this.#model = options.model === undefined ? undefined : new ModelProxy(options.model, this.#limits, control, proxy);
    this.#credentialed = this.#credentialProxy();
    this.#server = createServer({
      maxHeaderSize: this.#limits.headBytes,
      headersTimeout: Math.min(this.#limits.headMs, this.#limits.requestMs),
      requestTimeout: this.#limits.requestMs,
      connectionsCheckingInterval: Math.min(LOOK_EVERY_MS, this.#limits.headMs, this.#limits.requestMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      highWaterMark: AT_A_TIME,
      // The user may have loosened Node's parser for everything else.
      insecureHTTPParser: false,
      requireHostHeader: true,
    });
    this.#server.maxConnections = this.#limits.connections;
    this.#server.on("request", (req, res) => void this.#request(req, res));
    this.#server.on("connect", (req, socket, head) => void this.#connect(req, socket, head));
    this.#server.on("clientError", (error, socket) => this.#malformed(error, socket));
    this.#place = options.place();
  }

  get socketPath(): string {
    return this.#place.socketPath;
  }

  /** Node binds within the call to `listen`, so the mode is set before anybody can connect. */
  async listen(): Promise<void> {
    await new Promise<void>((settle, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.socketPath, () => {
        this.#server.off("error", reject);
        // A failed accept (no descriptor left, for example) concerns only that client.
        this.#server.on("error", (error) => this.#refusals.count(`a connection failed: ${error.message}`));
        settle();
      });
    });
    chmodSync(this.socketPath, 0o600);
  }

  totals(): GatewayTotals {
    return {
      spentUsd: this.#model?.meter.spentUsd ?? 0,
      reservedUsd: this.#model?.meter.reservedUsd ?? 0,
      requests: this.#requests,
      tunnels: this.#traffic.tunnels,
      open: this.#traffic.open,
      bytesOut: this.#traffic.bytesOut,
      bytesIn: this.#traffic.bytesIn,
      refused: this.#refusals.total,
      refusals: new Map(this.#refusals.byReason),
      acceptedSecrets: new Set(this.#acceptedSecrets),
      blocked: this.#blocked.all,
      blockedOthers: this.#blocked.others,
    };
  }

  cutReason(): string | undefined {
    return this.#cutReason;
  }

  cut(reason: string): void {
    if (this.#cutReason !== undefined) return;
    this.#cutReason = reason;
    this.#connections.endAll();
    this.#options.model?.onCut?.(reason);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#cutReason ??= "the gateway is closed";
    const closed = new Promise<void>((settle) => this.#server.close(() => settle()));
    this.#connections.endAll();
    this.#server.closeAllConnections();
    await closed;
    this.#model?.close();
    this.#credentialed?.close();
    await this.#place.remove();
  }

  async #request(req: IncomingMessage, res: ServerResponse): Promise<void> {
    this.#requests += 1;
    // An error without a listener is the client's own affair; `close` notifies the listeners.
    req.on("error", () => undefined);
    res.on("error", () => undefined);
    try {
      await this.#serve(req, res);
    } catch (error) {
      this.#refuse(res, error);
    }
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    this.#assertNotCut();
    const target = readTarget(req.url ?? "");
    if (target === undefined) throw new Refusal(403, "the request's target is neither a path nor a plain http URL");
    const model = this.#model;
    if (model !== undefined && (target.form === "origin" || meansModel(target.to, model.base))) {
      return await model.serve(req, res, target.path);
    }
    if (target.form === "origin") throw new Refusal(403, "this step has no model API");
    if (req.headers.upgrade !== undefined && hasBody(req)) throw new Refusal(400, "an upgrade with a body is not passed on");
    const entry = this.#credentialed?.headerEntry(target.to);
    if (entry !== undefined) return await this.#credentialed?.servePlain(req, res, target.to, entry, target.path);
    await passPlain({ req, res, to: target.to, path: target.path }, this.#hostConnections());
  }

  async #connect(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#requests += 1;
    socket.on("error", () => socket.destroy());
    try {
      this.#assertNotCut();
      const to = readAuthority(req.url ?? "");
      const entry = to === undefined ? undefined : this.#credentialed?.headerEntry(to);
      if (to !== undefined && entry !== undefined) await this.#credentialed?.terminate(socket, head, to, entry);
      else await openTunnel(req, socket, head, this.#hostConnections());
    } catch (error) {
      const { status, message } = this.#count(error);
      if (socket.destroyed) return;
      const text = `${message}\n`;
      const begin = `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
      socket.end(`${begin}connection: close\r\n\r\n${text}`, () => socket.destroy());
    }
  }

  #credentialProxy(): CredentialProxy | undefined {
    const { credentials, hosts = [] } = this.#options;
    const entries = hosts.filter(isHeaderHost);
    if (credentials === undefined || entries.length === 0) return undefined;
    return new CredentialProxy({
      ...{ credentials, entries },
      hostConnections: () => this.#hostConnections(),
      count: (error) => this.#count(error),
      note: (why) => this.#refusals.count(why),
      accepted: (secrets) => void this.#acceptedSecrets.add(secrets),
      assertNotCut: () => this.#assertNotCut(),
    });
  }

  #hostConnections(): HostConnections {
    return { dialler: this.#dialler, limits: this.#limits, connections: this.#connections, traffic: this.#traffic };
  }

  #assertNotCut(): void {
    if (this.#cutReason !== undefined) throw new Refusal(402, `loopdash closed the connection: ${this.#cutReason}`);
  }

  #refuse(res: ServerResponse, error: unknown): void {
    answerRefusal(res, this.#count(error), this.#options.model?.api);
  }

  /** Any error but a Refusal is a defect of loopdash: the request is refused as well, and the message stays outside. */
  #count(error: unknown): Refusal {
    const refusal = error instanceof Refusal ? error : new Refusal(500, "the gateway failed");
    if (refusal instanceof Blocked) {
      this.#refusals.countBlocked();
      this.#blocked.add(refusal);
    } else this.#refusals.count(error instanceof Refusal ? refusal.message : `a defect: ${String(error)}`);
    return refusal;
  }

  /** Requests that Node's parser refused, or that took too long: two lengths, a broken chunk, a head that never ends. */
  #malformed(error: Error & { code?: string }, socket: Duplex & { bytesWritten?: number }): void {
    if (error.code !== "ECONNRESET" && error.code !== "EPIPE") this.#refusals.count(`malformed: ${error.code ?? error.message}`);
    // In the middle of an answer, a second one would be taken for a part of it.
    if (!socket.writable || (socket.bytesWritten ?? 0) > 0) return void socket.destroy();
    const status =
      error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "408 Request Timeout"
        : error.code === "HPE_HEADER_OVERFLOW"
          ? "431 Too Large"
          : "400 Bad Request";
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
  }
}
