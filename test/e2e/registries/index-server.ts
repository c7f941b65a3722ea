import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { CertificateAuthority } from "../../helpers/certificate-authority.ts";

/** A package index of files, over TLS, which wants one value as authorization. */
export interface IndexServer {
  readonly port: number;
  /** The certificate of its authority, a file. */
  readonly ca: string;
  /** Requests, each with the status of its answer. */
  readonly asked: readonly string[];
}

/** Serves files by their path. `files` is given the address of the server. */
export async function startIndex(
  root: string,
  options: {
    readonly authorization: string;
    readonly files: (base: string) => Readonly<Record<string, string | Buffer>>;
  },
): Promise<IndexServer> {
  const authority = new CertificateAuthority(join(root, "index-ca"));
  const asked: string[] = [];
  let files: Readonly<Record<string, string | Buffer>> = {};
  const server = createServer(authority.issue("IP:127.0.0.1"), (req, res) => {
    const body = files[req.url ?? ""];
    const status = req.headers.authorization !== options.authorization ? 401 : body === undefined ? 404 : 200;
    asked.push(`${req.method} ${req.url} ${status}`);
    const type = typeof body === "string" && body.startsWith("<") ? "text/html" : "application/octet-stream";
    if (status === 401) res.setHeader("www-authenticate", 'Basic realm="packages"');
    res.writeHead(status, { "content-type": type }).end(status === 200 ? body : "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  files = options.files(`https://127.0.0.1:${port}`);
  return { port, ca: authority.file, asked };
}
