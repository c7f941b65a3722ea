import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A certificate and its private key, PEM. */
export interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

const CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** A certificate authority that no machine knows, in a folder of its own, made by openssl. */
export class CertificateAuthority {
  readonly #folder: string;
  /** The file of its certificate, and the certificate. */
  readonly file: string;
  readonly cert: string;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.file = join(folder, "ca.pem");
    const constraints = ["-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign"];
    this.#openssl(
      "req",
      "-x509",
      ...CURVE,
      ...constraints,
      ..."-days 2 -subj /CN=test-authority -keyout".split(" "),
      "ca.key",
      "-out",
      "ca.pem",
    );
    this.cert = readFileSync(this.file, "utf8");
  }

  /** A server's certificate for these names and addresses (`DNS:localhost`, `IP:127.0.0.1`), signed by the authority. */
  issue(...names: readonly string[]): KeyPair {
    this.#openssl("req", ...CURVE, "-subj", "/CN=server", "-keyout", "server.key", "-out", "server.csr");
    writeFileSync(join(this.#folder, "names"), `subjectAltName=${names.join(",")}\n`);
    const signing = "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem";
    this.#openssl(...signing.split(" "));
    const read = (name: string) => readFileSync(join(this.#folder, name), "utf8");
    return { key: read("server.key"), cert: read("server.pem") };
  }

  #openssl(...args: readonly string[]): void {
    execFileSync("openssl", args, { cwd: this.#folder, stdio: "pipe" });
  }
}
