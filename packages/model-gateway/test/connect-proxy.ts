import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { onTestFinished } from "vitest";

export interface ConnectProxy {
  readonly port: number;
  /** The targets that it was asked for, with the credentials given. */
  readonly asked: readonly { readonly target: string; readonly credentials: string }[];
}

/**
 * A company's proxy on loopback that wants a user and a password (`user:password`), and leads every host to one port of this
 * machine, as if it knew names that nobody else does.
 */
export async function connectProxy(login: string, leadsTo: number): Promise<ConnectProxy> {
  const asked: { target: string; credentials: string }[] = [];
  const isKnown = (req: IncomingMessage): boolean => {
    const [, base64 = ""] = /^Basic (.*)$/.exec(req.headers["proxy-authorization"] ?? "") ?? [];
    const credentials = Buffer.from(base64, "base64").toString();
    asked.push({ target: req.url ?? "", credentials });
    return credentials === login;
  };
  const server = createServer((req, res) => {
    if (!isKnown(req)) return void res.writeHead(407).end();
    const { "proxy-authorization": _, ...headers } = req.headers;
    const { pathname } = new URL(req.url ?? "");
    const out = request({ port: leadsTo, host: "127.0.0.1", path: pathname, headers, method: req.method ?? "GET" }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    req.pipe(out);
  });
  server.on("connect", (req, client, head) => {
    if (!isKnown(req)) return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
    const remote = connect(leadsTo, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      remote.write(head);
      client.pipe(remote).pipe(client);
    });
    remote.on("error", () => client.destroy());
    client.on("error", () => remote.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}
