import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";
import { CertificateAuthority } from "./certificate-authority.ts";

/** A company's proxy that looks into TLS. */
export interface InspectingProxy {
  readonly port: number;
  /** The certificate of its authority, a file. */
  readonly ca: string;
  /** The requests that it read inside of TLS, as `GET https://host/path`. */
  readonly read: readonly string[];
  /** The targets that it was asked for with a wrong password, or none. */
  readonly refused: readonly string[];
}

/**
 * A proxy on loopback that wants a user and a password (`user:password`) and ends every TLS connection itself, with a certificate
 * of its own authority. Every host leads to one TLS server of this machine.
 */
export async function inspectingProxy(
  folder: string,
  { login, leadsTo, trusts }: { readonly login: string; readonly leadsTo: number; readonly trusts: string },
): Promise<InspectingProxy> {
  const authority = new CertificateAuthority(folder);
  const read: string[] = [];
  const refused: string[] = [];
  const inside = createServer((req, res) => {
    read.push(`${req.method} https://${req.headers.host}${req.url}`);
    passOn(req, res, { port: leadsTo, ca: trusts });
  });
  const server = createServer((_, res) => void res.writeHead(405).end());
  server.on("connect", (req, client) => {
    const [, base64 = ""] = /^Basic (.*)$/.exec(req.headers["proxy-authorization"] ?? "") ?? [];
    if (Buffer.from(base64, "base64").toString() !== login) {
      refused.push(req.url ?? "");
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    client.on("error", () => client.destroy());
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    const [name = ""] = (req.url ?? "").split(":");
    const secureContext = createSecureContext(authority.issue(`DNS:${name}`));
    const secure = new TLSSocket(client as TLSSocket, { isServer: true, secureContext, ALPNProtocols: ["http/1.1"] });
    secure.on("error", () => client.destroy());
    inside.emit("connection", secure);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    inside.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, ca: authority.file, read, refused };
}

function passOn(req: IncomingMessage, res: ServerResponse, { port, ca }: { readonly port: number; readonly ca: string }): void {
  const to = { host: "127.0.0.1", port, ca, agent: false, path: req.url, method: req.method, headers: req.headers };
  const out = request(to, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  out.on("error", () => res.destroy());
  req.pipe(out);
}
