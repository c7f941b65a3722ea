import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, isIP, type Socket } from "node:net";
import { isInRange, readAddress, readRange } from "../../ip-range.ts";
import { Refusal } from "../refusals.ts";
import type { Authority } from "./authority.ts";

/** A proxy through which this machine reaches the internet. `authorization` is a secret. */
export interface ProxyServer {
  readonly url: URL;
  /** The header that names the user and the password, if the address has them. */
  readonly authorization: string | undefined;
}

/** The proxies that this machine's variables name: for tunnels, for plain HTTP, and the hosts that are reached without. */
export class UpstreamProxy {
  readonly #https: ProxyServer | undefined;
  readonly #http: ProxyServer | undefined;
  readonly #direct: readonly string[];
  /** Variables that name no proxy that can be used. Their values are not told: they may hold a password. */
  readonly problems: readonly string[];

  /** Reads HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY; in lower case they come first, as in curl and Node. */
  constructor(env: NodeJS.ProcessEnv) {
    const problems: string[] = [];
    const findProxyServer = (name: string): ProxyServer | undefined => {
      const all = [name, "ALL_PROXY"].flatMap((each) => [each.toLowerCase(), each]);
      const found = all.find((each) => (env[each] ?? "") !== "");
      const server = found === undefined ? undefined : readServer(env[found] ?? "");
      if (found !== undefined && server === undefined) problems.push(`${found} is not an http or https address`);
      return server;
    };
    this.#https = findProxyServer("HTTPS_PROXY");
    this.#http = findProxyServer("HTTP_PROXY");
    this.#direct = (env["no_proxy"] ?? env["NO_PROXY"] ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
    this.problems = [...new Set(problems)];
  }

  /** The proxy for a host; undefined if it is reached directly. The loopback never leads through a proxy. */
  for(to: Authority, kind: "https" | "http"): ProxyServer | undefined {
    const address = readAddress(to.host);
    const loopback = ["127.0.0.0/8", "::1"].flatMap((text) => readRange(text) ?? []);
    if (to.host === "localhost" || (address !== undefined && loopback.some((range) => isInRange(range, address))))
      return undefined;
    if (this.#direct.some((entry) => isMeant(entry, to))) return undefined;
    return kind === "https" ? this.#https : this.#http;
  }
}

function readServer(text: string): ProxyServer | undefined {
  const full = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.hostname === "") return undefined;
  const user = `${decoded(url.username)}:${decoded(url.password)}`;
  return { url, authorization: user === ":" ? undefined : `Basic ${Buffer.from(user).toString("base64")}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A bare percent sign in a password: taken as it is.
    return text;
  }
}

/** NO_PROXY: `*`, a name and all below it, `.name` or `*.name`, an address or a range, each with a port if need be. */
function isMeant(entry: string, { host, port }: Authority): boolean {
  if (entry === "*") return true;
  const [, name = "", only] = /^(\[?[^\]]*?\]?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const [address, range] = [
    readAddress(host),
    readRange(entry.replace(/^\[|\]$/g, "")) ?? readRange(name.replace(/^\[|\]$/g, "")),
  ];
  if (address !== undefined && range !== undefined) return isInRange(range, address);
  if (only !== undefined && Number(only) !== port) return false;
  const plain = name.replace(/^\*?\./, "");
  return plain !== "" && isIP(host) === 0 && (host === plain || host.endsWith(`.${plain}`));
}

/** Opens a tunnel through the proxy. Rejects with a Refusal that reveals nothing of the password. */
export function tunnelThrough(server: ProxyServer, { host, port }: Authority, connectMs: number): Promise<Socket> {
  const path = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const name = `the machine's proxy ${server.url.host}`;
  return new Promise((settle, reject) => {
    const out = requestTo(server, { method: "CONNECT", path, headers: { host: path, ...authorizing(server) } });
    const timer = setTimeout(() => fail(new Refusal(504, `${name} did not answer in time`)), connectMs);
    const fail = (refusal: Refusal): void => {
      clearTimeout(timer);
      out.destroy();
      reject(refusal);
    };
    out.on("error", () => fail(new Refusal(502, `${name} cannot be reached`)));
    out.on("response", () => fail(new Refusal(502, `${name} did not open a tunnel`)));
    out.on("connect", (answer, socket: Socket, head) => {
      const status = answer.statusCode ?? 0;
      if (status < 200 || status > 299) {
        socket.destroy();
        return fail(
          new Refusal(502, `${name} refused ${path} (${status}${status === 407 ? ": it wants other credentials" : ""})`),
        );
      }
      clearTimeout(timer);
      if (head.length > 0) socket.unshift(head);
      settle(socket);
    });
    out.end();
  });
}

/** Connects to the proxy itself, for requests in plain HTTP. */
export function connectTo(server: ProxyServer, connectMs: number): Promise<Socket> {
  return new Promise((settle, reject) => {
    const name = `the machine's proxy ${server.url.host}`;
    const socket = connect({ ...proxyAddress(server), allowHalfOpen: true, noDelay: true });
    const timer = setTimeout(() => socket.destroy(new Error("too late")), connectMs);
    socket.once("error", () => {
      clearTimeout(timer);
      reject(new Refusal(502, `${name} cannot be reached`));
    });
    socket.once("connect", () => {
      clearTimeout(timer);
      settle(socket);
    });
  });
}

/** The header for the proxy itself, which takes it off. */
export function authorizing({ authorization }: ProxyServer): Readonly<Record<string, string>> {
  return authorization === undefined ? {} : { "proxy-authorization": authorization };
}

function proxyAddress({ url }: ProxyServer): { readonly host: string; readonly port: number } {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port };
}

function requestTo(server: ProxyServer, options: { method: string; path: string; headers: Record<string, string> }) {
  const to = proxyAddress(server);
  // An own connection: an agent of this process might send it through a proxy again.
  if (server.url.protocol === "https:") return httpsRequest({ ...to, ...options, agent: false, setHost: false });
  const createConnection = () => connect({ ...to, allowHalfOpen: true, noDelay: true });
  return httpRequest({ ...options, createConnection, setHost: false });
}
