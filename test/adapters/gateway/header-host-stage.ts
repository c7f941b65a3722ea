import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import type { Gateway, HeaderHost, HostSpec } from "@loopdash/model-gateway";
import { SecretUnavailable } from "@loopdash/model-gateway";
import { GatewayCertificateAuthority } from "@loopdash/model-gateway/server";
import { onTestFinished } from "vitest";
import { type Answer, gatewayOf, standIn } from "../../../packages/model-gateway/test/stage.ts";
import { createMasker } from "../../../src/adapters/secrets/masker.ts";
import type { Secrets } from "../../../src/ports/secrets.ts";
import { CertificateAuthority } from "../../helpers/certificate-authority.ts";

export const TOKEN = "npm_corp-token/4711";
export const NAME = "npm.corp.example";

export const echo: Answer = (_, res, { method, url, headers, body }) => {
  res.writeHead(200, { "x-echo": headers.authorization ?? "none", "set-cookie": "session=1" });
  res.end(JSON.stringify({ method, url, authorization: headers.authorization, host: headers.host, body, headers }));
};

/** Secrets with these values, one after the other at each renewal. */
export function secretsOf(...values: readonly string[]) {
  const masker = createMasker();
  let at = 0;
  const value = (): string => {
    const text = values[Math.min(at, values.length - 1)] ?? "";
    if (text === "") throw new SecretUnavailable('the secret "npm" could not be fetched: locked');
    masker.learn("npm", text);
    return text;
  };
  const secrets: Secrets = {
    get: async () => value(),
    renew: async () => {
      at += 1;
      return value();
    },
    preload: async () => undefined,
    forget: () => undefined,
  };
  return { masker, secrets };
}

export interface Scene {
  readonly answer?: Answer;
  readonly values?: readonly string[];
  readonly entry?: Partial<HeaderHost>;
  readonly others?: readonly HostSpec[];
  readonly isSecure?: boolean;
  /** The name in the host's certificate. */
  readonly name?: string;
}

/** A host, and a gateway that adds a header to requests to it. */
export async function scene(
  folder: string,
  { answer = echo, values = [TOKEN], entry = {}, others = [], isSecure = true, name = NAME }: Scene = {},
) {
  const outer = new CertificateAuthority(join(folder, "outer"));
  const host = await standIn(answer, isSecure ? outer.issue(`DNS:${name}`) : undefined);
  const authority = new GatewayCertificateAuthority();
  const own: HeaderHost = {
    host: NAME,
    port: host.port,
    addresses: ["127.0.0.1"],
    headers: { Authorization: "Bearer {secret:npm}" },
    ...entry,
  };
  const { masker, secrets } = secretsOf(...values);
  const gateway = await gatewayOf({
    folder: folder,
    hosts: [own, ...others],
    resolve: async () => ["127.0.0.1"],
    credentials: { secrets, masker, authority, trusted: outer.cert },
  });
  return { host, gateway, authority, port: host.port };
}

/** Sends raw bytes through a tunnel, and gives all that comes back. */
export function tunnel(
  gateway: Gateway,
  to: string,
  bytes: string,
  tls?: { readonly ca: string; readonly servername?: string },
): Promise<string> {
  const socket = connectSocket(gateway.socketPath);
  onTestFinished(() => void socket.destroy());
  return new Promise((settle) => {
    let said = "";
    const send = (stream: TLSSocket | typeof socket): void => {
      stream.on("data", (chunk: Buffer) => {
        said += chunk.toString("latin1");
      });
      stream.on("close", () => settle(said));
      stream.write(bytes);
    };
    socket.on("error", (error) => settle(`${said}${error.message}`));
    socket.write(`CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n\r\n`);
    socket.once("data", (head: Buffer) => {
      if (!head.toString().startsWith("HTTP/1.1 200")) {
        settle(head.toString());
        return;
      }
      if (tls === undefined) return send(socket);
      const secure = connect({ socket, ca: tls.ca, servername: tls.servername ?? NAME, ALPNProtocols: ["h2", "http/1.1"] });
      secure.on("error", (error) => settle(`no TLS: ${error.message}`));
      secure.once("secureConnect", () => send(secure));
    });
  });
}

export const get = (port: number, more = "", host = `${NAME}:${port}`) =>
  `GET /pkg HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`;
