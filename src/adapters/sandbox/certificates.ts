import { readFileSync, statSync, writeFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { errorMessage } from "../../domain/values/text.ts";

/** The system's bundles of CA certificates, in the order in which Go looks for them (crypto/x509, root_linux.go). */
const SYSTEM_BUNDLES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/cacert.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** Variables of this machine that name further certificates. */
const NAMED_BY = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"] as const;

/** The largest file of certificates that is read. Bytes; Mozilla's list takes 220 KB. */
const LARGEST_FILE = 8 * 1024 * 1024;

/** RFC 7468: text around the blocks is explanation. A private key in the same file has another label, and stays behind. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;

/** The bundle's path in a sandbox. */
const PLACE = "/run/certificates/ca.pem";

/** The CA certificates that programs in a sandbox trust. */
export interface TrustedCertificates {
  /** All of them in one PEM text, each once. */
  readonly pem: string;
  readonly count: number;
  /** Files that are named but give no certificate, with the reason. */
  readonly problems: readonly string[];
}

/** A bundle of certificates for a sandbox: the file outside, its path inside, and the variables that name it. */
export interface CertificateBundle {
  readonly file: string;
  readonly at: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The certificates of the system's bundle (Node's own list if there is none), those of the files that NODE_EXTRA_CA_CERTS and
 * SSL_CERT_FILE name in `env`, and `extra` PEM texts. A file that cannot be read is a problem and no error, as Node has it.
 */
export function trustedCertificates({
  env,
  extra = [],
  system = SYSTEM_BUNDLES,
}: {
  readonly env: NodeJS.ProcessEnv;
  readonly extra?: readonly string[];
  readonly system?: readonly string[];
}): TrustedCertificates {
  const problems: string[] = [];
  const named = NAMED_BY.flatMap((name) => {
    const path = env[name];
    if (path === undefined || path === "") return [];
    const text = read(path);
    if (typeof text === "string" && blocksIn(text).length > 0) return [text];
    problems.push(`${name} names ${path}: ${typeof text === "string" ? "it holds no certificate in PEM" : text.problem}`);
    return [];
  });
  const found = system.map(read).find((text) => typeof text === "string" && blocksIn(text).length > 0);
  const base = typeof found === "string" ? found : rootCertificates.join("\n");
  const blocks = [...new Set([base, ...named, ...extra].flatMap(blocksIn))];
  return { pem: blocks.map(asPem).join(""), count: blocks.length, problems };
}

/** Writes the certificates to `file` and gives the bundle for a sandbox. The file must stay while programs run. */
export function writeCertificates(file: string, { pem }: Pick<TrustedCertificates, "pem">): CertificateBundle {
  writeFileSync(file, pem, { mode: 0o644 });
  return { file, at: PLACE, env: certificateVariables(PLACE) };
}

/**
 * The variables by which common programs find a bundle: Node with npm, yarn and pnpm; OpenSSL, Go, Ruby, uv and Python's ssl;
 * requests, botocore; pip; curl; cargo; git; deno. Java reads none of them.
 */
export function certificateVariables(path: string): Readonly<Record<string, string>> {
  const names = [
    ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CURL_CA_BUNDLE", "CARGO_HTTP_CAINFO"],
    ...["GIT_SSL_CAINFO", "DENO_CERT"],
  ];
  return Object.fromEntries(names.map((name) => [name, path]));
}

function read(path: string): string | { readonly problem: string } {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { problem: "it is not a file" };
    if (stat.size > LARGEST_FILE) return { problem: `it is larger than ${LARGEST_FILE} bytes` };
    return readFileSync(path, "latin1");
  } catch (error) {
    return { problem: errorMessage(error) };
  }
}

/** The certificates of a PEM text, as base64 without white space. */
function blocksIn(text: string): string[] {
  return [...text.matchAll(CERTIFICATE)].map(([, body = ""]) => body.replaceAll(/\s/g, ""));
}

function asPem(base64: string): string {
  const lines = base64.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
