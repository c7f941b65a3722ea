import { type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { GatewayLimits } from "../../gateway.ts";
import { withoutHop } from "../models/headers.ts";
import { framing, hasBody, Refusal } from "../refusals.ts";
import type { Authority } from "./authority.ts";
import { dialPlain } from "./dial.ts";
import type { HostConnections } from "./host-connections.ts";
import { authorizing, type ProxyServer } from "./upstream-proxy.ts";

/**
 * Passes a plain HTTP request in absolute form on to an allowed host, over its own connection; settles after the answer.
 * Redirects go back to the client, which must ask again. Rejects with a Refusal if nothing was answered yet.
 */
export async function passPlain(
  { req, res, to, path }: { req: IncomingMessage; res: ServerResponse; to: Authority; path: string },
  hostConnections: HostConnections,
): Promise<void> {
  const { traffic, limits } = hostConnections;
  if (req.method === "TRACE") throw new Refusal(403, "TRACE is not passed on");
  if (traffic.open >= limits.tunnels) throw new Refusal(503, "too many connections are open", true);
  traffic.open += 1;
  let remote: Socket | undefined;
  const end = (): void => {
    remote?.destroy();
    res.destroy();
  };
  res.once("close", end);
  const ended = hostConnections.connections.add(end);
  try {
    const { socket, proxy } = await dialPlain(to, hostConnections.dialler);
    remote = socket;
    if (res.destroyed) return;
    traffic.tunnels += 1;
    await exchange({ req, res, to, path, remote, proxy }, limits);
  } finally {
    traffic.open -= 1;
    traffic.bytesIn += remote?.bytesRead ?? 0;
    traffic.bytesOut += remote?.bytesWritten ?? 0;
    remote?.destroy();
    ended();
  }
}

function exchange(
  options: {
    req: IncomingMessage;
    res: ServerResponse;
    to: Authority;
    path: string;
    remote: Socket;
    proxy?: ProxyServer | undefined;
  },
  limits: GatewayLimits,
): Promise<void> {
  const { req, res, to, path, remote, proxy } = options;
  const host = to.port === 80 ? to.host : `${to.host}:${to.port}`;
  return new Promise((settle, reject) => {
    const out = request({
      createConnection: () => remote,
      method: req.method ?? "GET",
      path: proxy === undefined ? path : `http://${host}${path}`,
      maxHeaderSize: limits.headBytes,
      headers: {
        ...withoutHop(req),
        host,
        connection: "close",
        ...(proxy === undefined ? {} : authorizing(proxy)),
        ...framing(req),
      },
    });
    remote.setTimeout(limits.idleMs, () => remote.destroy());
    const failed = (): void => {
      if (res.headersSent || res.destroyed) {
        res.destroy();
        settle();
      } else reject(new Refusal(502, `${to.host} broke off`));
    };
    let answered = false;
    out.on("error", failed);
    // If the host asks for another protocol, Node drops the connection without an error.
    out.on("close", () => answered || failed());
    out.on("response", (answer) => {
      answered = true;
      answer.on("error", failed);
      res.on("close", settle);
      try {
        res.writeHead(answer.statusCode ?? 502, withoutHop(answer));
      } catch {
        // Node refuses to write an ambiguous status or header; or the client is gone.
        return failed();
      }
      answer.pipe(res);
    });
    if (hasBody(req)) req.pipe(out);
    else out.end();
  });
}
