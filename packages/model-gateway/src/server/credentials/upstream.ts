import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect, type TLSSocket } from "node:tls";
import { errorMessage } from "@loopdash/values";
import type { GatewayLimits } from "../../gateway.ts";
import type { Authority } from "../hosts/authority.ts";
import { type Dialler, dial } from "../hosts/dial.ts";
import { Refusal } from "../refusals.ts";

/** A connection to a host that gets secrets: kept open between requests, and only ever to this host. */
export interface HostUpstream {
  readonly to: Authority;
  /** Begins a request; nothing is sent before its `end`. */
  ask(options: { readonly method: string; readonly path: string; readonly headers: OutgoingHttpHeaders }): ClientRequest;
  close(): void;
}

export interface HostUpstreamOptions {
  readonly to: Authority;
  /** False for plain HTTP. */
  readonly isSecure: boolean;
  readonly dialler: Dialler;
  readonly limits: GatewayLimits;
  /** Certificates to trust, PEM; default: those of Node. */
  readonly trusted?: string | undefined;
}

/** Opens nothing yet: connections are made as requests need them, through the dialler's checks. */
export function hostUpstream({ to, isSecure, dialler, limits, trusted }: HostUpstreamOptions): HostUpstream {
  const open = async (): Promise<Duplex> => {
    // In clear text it goes to the host alone, through nobody's proxy.
    const socket = await dial(to, isSecure ? dialler : { ...dialler, proxy: undefined });
    return isSecure ? secured(socket, { to, trusted, ms: limits.connectMs }) : socket;
  };
  class DiallingAgent extends HttpAgent {
    override createConnection(_: unknown, callback?: (error: Error | null, stream: Duplex) => void): undefined {
      open().then(
        (stream) => callback?.(null, stream),
        // Node's types want a stream beside an error; nobody reads it.
        (error: Error) => callback?.(error, undefined as unknown as Duplex),
      );
      return undefined;
    }
  }
  const agent = new DiallingAgent({ keepAlive: true, maxFreeSockets: 8, maxSockets: 32, timeout: limits.idleMs });
  const usual = isSecure ? 443 : 80;
  const host = isIP(to.host) === 6 ? `[${to.host}]` : to.host;
  return {
    to,
    ask: ({ method, path, headers }) =>
      request({
        agent,
        host: to.host,
        port: to.port,
        method,
        path,
        maxHeaderSize: limits.headBytes,
        setDefaultHeaders: false,
        headers: { ...headers, host: to.port === usual ? host : `${host}:${to.port}`, connection: "keep-alive" },
      }),
    close: () => agent.destroy(),
  };
}

/** TLS over a socket, the host's certificate verified as any client does. */
function secured(
  socket: Awaited<ReturnType<typeof dial>>,
  { to, trusted, ms }: { readonly to: Authority; readonly trusted: string | undefined; readonly ms: number },
): Promise<TLSSocket> {
  return new Promise((settle, reject) => {
    const secure = connect({
      socket,
      host: to.host,
      ...(isIP(to.host) === 0 ? { servername: to.host } : {}),
      ...(trusted === undefined ? {} : { ca: trusted }),
      ALPNProtocols: ["http/1.1"],
      minVersion: "TLSv1.2",
      rejectUnauthorized: true,
    });
    const failed = (error: Error): void => {
      clearTimeout(timer);
      secure.on("error", () => undefined);
      secure.destroy();
      reject(error instanceof Refusal ? error : new Refusal(502, `no TLS with ${to.host}: ${errorMessage(error)}`));
    };
    const timer = setTimeout(() => failed(new Refusal(504, `${to.host} did not answer in time`)), ms);
    secure.once("error", failed);
    secure.once("secureConnect", () => {
      clearTimeout(timer);
      secure.off("error", failed);
      settle(secure);
    });
  });
}

/** True if an answer says that the credential is not accepted. */
export function isUnauthorized({ statusCode }: IncomingMessage): boolean {
  return statusCode === 401 || statusCode === 403;
}
