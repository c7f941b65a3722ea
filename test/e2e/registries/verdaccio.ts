import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { CertificateAuthority } from "../../helpers/certificate-authority.ts";

/** Where `.ci/run` installs verdaccio. */
const INSTALLED = resolve(import.meta.dirname, "../../../.ci/registry");

/** Why the tests with verdaccio cannot run; undefined where they can. */
export const withoutVerdaccio: string | undefined = existsSync(join(INSTALLED, "node_modules/verdaccio"))
  ? undefined
  : "verdaccio is not installed: run npm ci in .ci/registry (some 65 MB)";

/** A package to publish: its files by path, package.json apart. */
export interface Package {
  readonly name: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}

/** A running verdaccio, over TLS and behind a token. */
export interface Verdaccio {
  readonly port: number;
  /** The token of its only user. */
  readonly token: string;
  /** The certificate of its authority, a file. */
  readonly ca: string;
  /** Requests, each with the status of its answer. */
  readonly asked: readonly string[];
  /** The package-lock.json that npm writes for these dependencies from this registry. */
  lockOf(manifest: object): string;
  close(): void;
}

/** Starts verdaccio with these packages, each as version 1.0.0, published by npm. `open-*` needs no token; everything else does. */
export async function startVerdaccio(root: string, packages: readonly Package[]): Promise<Verdaccio> {
  const folder = join(root, "verdaccio");
  const authority = new CertificateAuthority(join(folder, "ca"));
  const issued = authority.issue("IP:127.0.0.1", "DNS:localhost", "DNS:registry.invalid");
  const config = configuration(folder, issued);
  const asked: string[] = [];
  const child = spawn(process.execPath, [join(import.meta.dirname, "verdaccio.child.ts"), INSTALLED, JSON.stringify(config)], {
    cwd: folder,
    env: environment(folder, authority.file),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const port = await new Promise<number>((settle, reject) => {
    child.once("exit", () => reject(new Error(`verdaccio ended: ${asked.join("\n")}`)));
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (line.startsWith("port ")) settle(Number(line.slice(5)));
      else asked.push(line);
    });
  });
  const token = await addUser(port, authority.cert);
  const npm = (cwd: string, ...args: readonly string[]): void => {
    const base = `//127.0.0.1:${port}/`;
    const options = ["--registry", `https:${base}`, `--${base}:_authToken=${token}`, "--no-audit", "--no-fund"];
    execFileSync("npm", [...args, ...options], { cwd, env: environment(folder, authority.file), stdio: "pipe" });
  };
  for (const each of packages) npm(packageFolder(folder, each), "publish", "--ignore-scripts");
  return {
    ...{ port, token, asked, ca: authority.file },
    lockOf(manifest) {
      const place = join(folder, "lock");
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
      npm(place, "install", "--package-lock-only", "--ignore-scripts", "--omit-lockfile-registry-resolved");
      return readFileSync(join(place, "package-lock.json"), "utf8");
    },
    close: () => void child.kill(),
  };
}

function environment(folder: string, ca: string): Record<string, string> {
  const { PATH = "/usr/bin:/bin" } = process.env;
  return { PATH, HOME: folder, LANG: "C.UTF-8", NODE_EXTRA_CA_CERTS: ca };
}

function configuration(folder: string, { key, cert }: { readonly key: string; readonly cert: string }): object {
  writeFileSync(join(folder, "key.pem"), key);
  writeFileSync(join(folder, "cert.pem"), cert);
  const users = "$authenticated";
  return {
    self_path: folder,
    storage: join(folder, "storage"),
    listen: "https://127.0.0.1:0",
    https: { key: join(folder, "key.pem"), cert: join(folder, "cert.pem"), ca: join(folder, "cert.pem") },
    auth: { htpasswd: { file: join(folder, "htpasswd"), max_users: 1 } },
    uplinks: {},
    packages: {
      "open-*": { access: "$all", publish: users },
      "**": { access: users, publish: users },
    },
    web: { enable: false },
    log: { type: "file", path: join(folder, "log"), format: "json", level: "warn" },
  };
}

/** Adds the user as `npm adduser` does; gives the token. */
function addUser(port: number, ca: string): Promise<string> {
  const body = JSON.stringify({ name: "ci-bot", password: "a-password-of-nobody" });
  return new Promise((settle, reject) => {
    const options = {
      ...{ host: "127.0.0.1", port, ca, method: "PUT", path: "/-/user/org.couchdb.user:ci-bot", agent: false },
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
    };
    const req = request(options, (res) => {
      let text = "";
      res.on("data", (chunk: Buffer) => {
        text += String(chunk);
      });
      res.on("end", () => {
        const { token } = JSON.parse(text) as { readonly token?: string };
        if (token === undefined) reject(new Error(`verdaccio made no user: ${text}`));
        else settle(token);
      });
    });
    req.on("error", reject);
    req.end(body);
  });
}

function packageFolder(folder: string, { name, scripts = {}, files }: Package): string {
  const place = join(folder, "packages", name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ name, version: "1.0.0", scripts }));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(place, path), text);
  return place;
}
