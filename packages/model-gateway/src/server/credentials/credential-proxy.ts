import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import type { GatewayCredentials } from "../../gateway.ts";
import type { HeaderHost } from "../../host-spec.ts";
import { arePrivateRanges } from "../../open-hosts.ts";
import type { Authority } from "../hosts/authority.ts";
import type { HostConnections } from "../hosts/host-connections.ts";
import { readTarget } from "../hosts/target.ts";
import { answerRefusal, Refusal } from "../refusals.ts";
import { HeaderHosts } from "./header-hosts.ts";
import { passWithHeaders } from "./pass-with-headers.ts";
import { type HostUpstream, hostUpstream } from "./upstream.ts";

/** The first byte of a TLS connection: a handshake record (RFC 8446, 5.1). */
const HANDSHAKE = 0x16;
/** The port at which no server speaks plain HTTP. */
const HTTPS = 443;
/** The time that a connection from inside may wait for its next request. Milliseconds. */
const KEEP_ALIVE_MS = 120_000;

/** A tunnel to a host with headers, which ends in this process. */
interface Tunnel {
  readonly entry: HeaderHost;
  readonly to: Authority;
  readonly isSecure: boolean;
}

interface CredentialSideOptions {
  readonly credentials: GatewayCredentials;
  readonly entries: readonly HeaderHost[];
  readonly hostConnections: () => HostConnections;
  /** Counts a refusal, or a defect, and gives what the client may know of it. */
  readonly count: (error: unknown) => Refusal;
  /** Counts what the step's log must explain, although nothing was refused here. */
  readonly note: (why: string) => void;
  /** Takes names of secrets that a host has accepted. */
  readonly accepted: (secrets: string) => void;
  readonly assertNotCut: () => void;
}

/**
 * The part of a gateway that adds headers with secrets. TLS to such a host ends here, with a certificate of the run's own
 * authority, and begins again towards the host. Every request is checked by itself: a tunnel gives no right to anything else.
 */
export class CredentialProxy {
  readonly #options: CredentialSideOptions;
  readonly #hosts: HeaderHosts;
  readonly #server: Server;
  readonly #tunnels = new WeakMap<object, Tunnel>();
  readonly #upstreams = new Map<string, HostUpstream>();
  readonly #contexts = new Map<string, SecureContext>();

  constructor(options: CredentialSideOptions) {
    this.#options = options;
    this.#hosts = new HeaderHosts(options.entries, options.credentials.secrets);
    const { limits } = options.hostConnections();
    this.#server = createServer({
      maxHeaderSize: limits.headBytes,
      headersTimeout: Math.min(limits.headMs, limits.requestMs),
      requestTimeout: limits.requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      insecureHTTPParser: false,
      requireHostHeader: true,
    });
    this.#server.on("request", (req, res) => void this.#inTunnel(req, res));
    // Neither a second tunnel nor another protocol goes through this one.
    this.#server.on("connect", (_, socket) => this.#drop(socket, "a tunnel in a tunnel is not passed on"));
    this.#server.on("upgrade", (_, socket) => this.#drop(socket, "a change of protocol (WebSocket) is not passed on"));
    this.#server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
      const isGone = error.code === "ECONNRESET" || error.code === "EPIPE";
      this.#drop(socket, isGone ? undefined : `malformed: ${error.code ?? error.message}`);
    });
  }

  /** Closes a connection inside a tunnel, and counts the reason if there is one. */
  #drop(socket: Duplex, reason: string | undefined): void {
    const to = this.#tunnels.get(socket)?.to;
    if (reason !== undefined) this.#options.note(to === undefined ? reason : `${to.host}:${to.port}: ${reason}`);
    socket.destroy();
  }

  /** The entry of exactly this host and port, if it has headers. */
  headerEntry(to: Authority): HeaderHost | undefined {
    return this.#hosts.of(to);
  }

  /** Serves a plain request in absolute form. Rejects with a Refusal if nothing was answered yet. */
  async servePlain(req: IncomingMessage, res: ServerResponse, to: Authority, entry: HeaderHost, path: string): Promise<void> {
    await this.#serve({ req, res, path, tunnel: { to, entry, isSecure: false } });
  }

  /** Ends a tunnel here. Settles when it is closed. */
  async terminate(client: Duplex, head: Buffer, to: Authority, entry: HeaderHost): Promise<void> {
    const { traffic, limits, connections } = this.#options.hostConnections();
    if (traffic.open >= limits.tunnels) throw new Refusal(503, "too many connections are open", true);
    traffic.open += 1;
    traffic.tunnels += 1;
    const ended = connections.add(() => client.destroy());
    const closed = new Promise<void>((settle) => {
      if (client.destroyed) settle();
      else client.once("close", () => settle());
    });
    try {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      const first = head.length > 0 ? head : await firstBytes(client);
      if (first === undefined) return void client.destroy();
      client.unshift(first);
      const isSecure = first[0] === HANDSHAKE;
      const stream = isSecure ? this.#secured(client, to) : plainStream(client);
      this.#tunnels.set(stream, { to, entry, isSecure });
      this.#server.emit("connection", stream);
      await closed;
    } finally {
      traffic.open -= 1;
      ended();
    }
  }

  close(): void {
    for (const upstream of this.#upstreams.values()) upstream.close();
    this.#server.closeAllConnections();
  }

  #secured(client: Duplex, { host }: Authority): TLSSocket {
    const secureContext = this.#contextFor(host);
    const secure = new TLSSocket(client as ConstructorParameters<typeof TLSSocket>[0], {
      isServer: true,
      secureContext,
      ALPNProtocols: ["http/1.1"],
      // A client that means another host gets no handshake; one without a name is judged by its Host header.
      SNICallback: (name, callback) => {
        if (name === "" || isIP(host) !== 0 || name.toLowerCase() === host) callback(null, secureContext);
        else {
          this.#options.note(`${host}: the program named another host in TLS: ${name}`);
          callback(new Error("another host is meant"));
        }
      },
    });
    secure.on("error", () => client.destroy());
    secure.on("close", () => client.destroy());
    return secure;
  }

  #contextFor(host: string): SecureContext {
    const known = this.#contexts.get(host);
    if (known !== undefined) return known;
    const made = createSecureContext({ ...this.#options.credentials.authority.certificateFor(host), minVersion: "TLSv1.2" });
    this.#contexts.set(host, made);
    return made;
  }

  async #inTunnel(req: IncomingMessage, res: ServerResponse): Promise<void> {
    req.on("error", () => undefined);
    res.on("error", () => undefined);
    try {
      const tunnel = this.#tunnels.get(req.socket);
      if (tunnel === undefined) throw new Error("a request without a tunnel");
      const target = readTarget(req.url ?? "");
      if (target?.form !== "origin") throw new Refusal(400, "the request's target is not a path");
      if (!namesHost(req.headers.host ?? "", tunnel))
        throw new Refusal(421, "the Host header names another host than the connection");
      await this.#serve({ req, res, path: target.path, tunnel });
    } catch (error) {
      answerRefusal(res, this.#options.count(error), undefined);
    }
  }

  async #serve(request: { req: IncomingMessage; res: ServerResponse; path: string; tunnel: Tunnel }): Promise<void> {
    const { req, res, path, tunnel } = request;
    const { credentials, hostConnections, assertNotCut } = this.#options;
    assertNotCut();
    const { to, entry, isSecure } = tunnel;
    if (!isSecure && (to.port === HTTPS || !arePrivateRanges(entry.addresses ?? []))) {
      const why = `${to.host}:${to.port} was asked without TLS, and the secret would travel in clear text`;
      throw new Refusal(403, `${why}: use https, or open the host with private "addresses" alone and a "port" that is not 443`);
    }
    const { connections, limits, traffic } = hostConnections();
    const ended = connections.add(() => res.destroy());
    try {
      await passWithHeaders({
        ...{ req, res, path, entry, hosts: this.#hosts, upstream: this.#upstreamFor(tunnel), masker: credentials.masker },
        idleMs: limits.idleMs,
        onRefused: this.#options.note,
        onAccepted: this.#options.accepted,
        onBytes: (bytes) => {
          traffic.bytesIn += bytes;
        },
      });
    } finally {
      ended();
    }
  }

  #upstreamFor({ to, isSecure }: Tunnel): HostUpstream {
    const key = `${isSecure} ${to.host} ${to.port}`;
    const known = this.#upstreams.get(key);
    if (known !== undefined) return known;
    const { dialler, limits } = this.#options.hostConnections();
    const made = hostUpstream({ to, isSecure, dialler, limits, trusted: this.#options.credentials.trusted });
    this.#upstreams.set(key, made);
    return made;
  }
}

/** A stream with what a client sends, also the bytes that were put back: Node's HTTP server would pass over those in a socket. */
function plainStream(client: Duplex): Duplex {
  const [inner, outer] = duplexPair();
  client.pipe(outer).pipe(client);
  client.on("close", () => inner.destroy());
  inner.on("error", () => client.destroy());
  outer.on("error", () => client.destroy());
  return inner;
}

/** True if a Host header means the host and port of a tunnel. */
function namesHost(text: string, { to, isSecure }: Tunnel): boolean {
  const target = readTarget(`http://${text}/`);
  if (target?.form !== "absolute" || target.path !== "/") return false;
  const hasPort = /:\d+$/.test(text);
  const port = hasPort ? target.to.port : isSecure ? 443 : 80;
  return target.to.host === to.host && port === to.port;
}

/** The first bytes that a client sends; undefined if it sends none. */
function firstBytes(client: Duplex): Promise<Buffer | undefined> {
  return new Promise((settle) => {
    const done = (bytes: Buffer | undefined): void => {
      client.off("data", take);
      client.off("close", none);
      client.off("end", none);
      settle(bytes);
    };
    const take = (bytes: Buffer): void => {
      client.pause();
      done(bytes);
    };
    const none = (): void => done(undefined);
    client.once("data", take);
    client.once("close", none);
    client.once("end", none);
  });
}
