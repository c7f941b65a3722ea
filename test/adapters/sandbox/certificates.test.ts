import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { listening } from "../../../packages/model-gateway/test/stage.ts";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { gatewayExecutor } from "../../../src/adapters/gateway/gateway-executor.ts";
import { createBubblewrap } from "../../../src/adapters/sandbox/bubblewrap/bubblewrap.ts";
import { trustedCertificates, writeCertificates } from "../../../src/adapters/sandbox/certificates.ts";
import { confinedExecutor } from "../../../src/adapters/sandbox/confined-executor.ts";
import { bundleRelay } from "../../cli/relay-stage.ts";
import { CertificateAuthority } from "../../helpers/certificate-authority.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { bwrap } from "./support.ts";

const folder = scratchFolder();
const authority = (name = "ca") => new CertificateAuthority(join(folder(), name));
const system = (text: string): readonly string[] => {
  const file = join(folder(), "system.pem");
  writeFileSync(file, text);
  return [join(folder(), "missing.pem"), file];
};

describe("the trusted certificates", () => {
  it("are the system's, those that the machine names, and the extra ones, each once", () => {
    const [a, b, c] = [authority("a"), authority("b"), authority("c")];
    const env = { NODE_EXTRA_CA_CERTS: b.file, SSL_CERT_FILE: a.file };
    const found = trustedCertificates({ env, extra: [c.cert, b.cert], system: system(`# a comment\n${a.cert}`) });
    expect(found).toMatchObject({ count: 3, problems: [] });
    for (const { cert } of [a, b, c]) expect(found.pem).toContain(cert.trim());
  });

  it("are Node's own list on a system without a bundle", () => {
    expect(trustedCertificates({ env: {}, system: [] }).count).toBe(new Set(rootCertificates).size);
  });

  it("never include a private key of the same file", () => {
    const { key, cert } = authority().issue("DNS:localhost");
    const file = join(folder(), "both.pem");
    writeFileSync(file, key + cert);
    const { pem } = trustedCertificates({ env: { NODE_EXTRA_CA_CERTS: file }, system: [] });
    expect(pem).toContain(cert.trim());
    expect(pem).not.toContain("PRIVATE KEY");
  });

  it("tell which named file gives none, and why", () => {
    const empty = join(folder(), "empty.pem");
    writeFileSync(empty, "nothing here");
    const env = { NODE_EXTRA_CA_CERTS: join(folder(), "gone.pem"), SSL_CERT_FILE: empty };
    const [first, second] = trustedCertificates({ env, system: [] }).problems;
    expect(first).toMatch(/^NODE_EXTRA_CA_CERTS names .*gone\.pem: .*ENOENT/);
    expect(second).toMatch(/^SSL_CERT_FILE names .*empty\.pem: it holds no certificate in PEM$/);
  });
});

describe("a program in the sandbox", () => {
  /** Runs a program with an open host, a TLS server of an unknown authority; NO_PROXY would lead to the sandbox's own loopback. */
  async function fetchBy(argv: (url: string) => readonly string[], isTrusted: boolean) {
    const ca = authority();
    const server = createServer(ca.issue("IP:127.0.0.1"), (_req, res) => void res.end("hello over TLS\n"));
    onTestFinished(() => void server.close());
    const port = await listening(server);
    for (const name of ["work", "home", "relay"]) mkdirSync(join(folder(), name));
    writeFileSync(join(folder(), "relay", "relay.mjs"), await bundleRelay());
    const env = isTrusted ? { NODE_EXTRA_CA_CERTS: ca.file } : {};
    const executor = gatewayExecutor(
      confinedExecutor(createExecutor(), createBubblewrap({ program: bwrap(), home: join(folder(), "home") })),
      {
        folder: join(folder(), "sockets"),
        relay: { argv: [process.execPath, join(folder(), "relay", "relay.mjs")], read: [join(folder(), "relay")] },
        certificates: writeCertificates(join(folder(), "ca.pem"), trustedCertificates({ env })),
      },
    );
    return executor.run({
      argv: ["sh", "-c", 'unset NO_PROXY no_proxy; exec "$@"', "sh", ...argv(`https://127.0.0.1:${port}/`)],
      cwd: join(folder(), "work"),
      env: { PATH: process.env["PATH"] ?? "" },
      logFile: join(folder(), "log"),
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      marker: `certificates-${process.pid}`,
      confinement: { write: [join(folder(), "work")], read: [], mounts: [], sockets: [], hosts: [`127.0.0.1:${port}`] },
    });
  }

  const FETCH =
    "fetch(process.argv[1]).then(async (res) => console.log(await res.text()), (error) => { console.log(error.cause?.code); process.exit(9); })";
  const OPEN = `import ssl, sys, urllib.request as r
o = r.build_opener(r.ProxyHandler(), r.HTTPSHandler(context=ssl.create_default_context()))
sys.stdout.write(o.open(sys.argv[1]).read().decode())`;
  const programs: Record<string, (url: string) => readonly string[]> = {
    node: (url) => [process.execPath, "-e", FETCH, url],
    curl: (url) => ["curl", "-sS", url],
    ...(existsSync("/usr/bin/python3") ? { python: (url) => ["/usr/bin/python3", "-c", OPEN, url] } : {}),
  };

  it.each(Object.entries(programs))("reaches a server whose authority only this machine knows: %s", async (_, argv) => {
    expect(await fetchBy(argv, true)).toMatchObject({ exitCode: 0, tail: expect.stringContaining("hello over TLS") });
  });

  it.each(Object.entries(programs))("does not trust an authority that nobody named: %s", async (_, argv) => {
    const { exitCode, tail } = await fetchBy(argv, false);
    expect(exitCode).not.toBe(0);
    expect(tail).toMatch(/UNABLE_TO_VERIFY|certificate|self.signed/i);
  });

  it("finds the bundle where the variables say, and cannot change it", async () => {
    const script =
      'cat "$NODE_EXTRA_CA_CERTS" | wc -l; echo x >> "$SSL_CERT_FILE"; test "$GIT_SSL_CAINFO" = "$SSL_CERT_FILE" && echo same';
    const { tail } = await fetchBy(() => ["sh", "-c", script], true);
    expect(tail).toMatch(/^\d{3,}\n/);
    expect(tail).toMatch(/Read-only|Permission/);
    expect(tail).toContain("same");
    expect(readFileSync(join(folder(), "ca.pem"), "utf8")).not.toMatch(/^x$/m);
  });
});
