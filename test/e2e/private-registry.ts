import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { CertificateAuthority } from "../helpers/certificate-authority.ts";

/** A private npm registry with one package, over TLS and behind a token, as npm's client asks it. */
export interface PrivateRegistry {
  readonly port: number;
  /** The certificate of its authority, a file. */
  readonly ca: string;
  /** Paths that it was asked for, each with the status of its answer. */
  readonly asked: readonly string[];
  close(): void;
}

interface RegistryOptions {
  readonly token: string;
  readonly postinstall: string;
  /** The names of its certificate. */
  readonly names?: readonly string[];
  /** What it serves besides, by path. */
  readonly pages?: Readonly<Record<string, string>>;
}

/** Starts a registry with the package `left` 1.0.0, whose install script is `postinstall`. `/echo` sends back what it is sent. */
export async function startRegistry(
  folder: string,
  { token, postinstall, names = ["IP:127.0.0.1"], pages = {} }: RegistryOptions,
): Promise<PrivateRegistry> {
  const authority = new CertificateAuthority(join(folder, "registry-ca"));
  const tarball = packed(folder, postinstall);
  const asked: string[] = [];
  const server = createServer(authority.issue(...names), (req, res) => {
    const isKnown = req.headers.authorization === `Bearer ${token}`;
    const path = req.url ?? "";
    const status = !isKnown
      ? 401
      : ["/left", "/left/-/left-1.0.0.tgz", "/echo", ...Object.keys(pages)].includes(path)
        ? 200
        : 404;
    asked.push(`${req.method} ${path} ${status}`);
    res.writeHead(status, { "content-type": path.endsWith(".tgz") ? "application/octet-stream" : "application/json" });
    if (status !== 200) res.end("{}");
    else if (path === "/echo") res.end(JSON.stringify(req.headers));
    else res.end(pages[path] ?? (path === "/left" ? packument(`https://${req.headers.host}`, tarball) : tarball));
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  return { port: (server.address() as AddressInfo).port, ca: authority.file, asked, close: () => void server.close() };
}

function packed(folder: string, postinstall: string): Buffer {
  const place = join(folder, "left", "package");
  mkdirSync(place, { recursive: true });
  const manifest = { name: "left", version: "1.0.0", scripts: { postinstall: "node install.cjs" } };
  writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(place, "index.js"), "module.exports = 1;\n");
  writeFileSync(join(place, "install.cjs"), postinstall);
  execFileSync("tar", ["-czf", join(folder, "left.tgz"), "-C", join(folder, "left"), "package"]);
  return readFileSync(join(folder, "left.tgz"));
}

/** The package-lock.json of `app` 1.0.0, which depends on the package. */
export function lockWithLeft(folder: string): string {
  const left = { version: "1.0.0", integrity: integrityOf(folder), hasInstallScript: true };
  const app = { name: "app", version: "1.0.0", dependencies: { left: "1.0.0" } };
  return JSON.stringify({ name: "app", version: "1.0.0", lockfileVersion: 3, packages: { "": app, "node_modules/left": left } });
}

/** The integrity of the package, as a lockfile has it. */
function integrityOf(folder: string): string {
  return `sha512-${createHash("sha512")
    .update(readFileSync(join(folder, "left.tgz")))
    .digest("base64")}`;
}

function packument(base: string, tarball: Buffer): string {
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const dist = { tarball: `${base}/left/-/left-1.0.0.tgz`, integrity };
  const version = { name: "left", version: "1.0.0", hasInstallScript: true, dist };
  return JSON.stringify({ name: "left", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } });
}
