import { mkdirSync, readdirSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { createServer } from "node:https";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectProxy } from "../../packages/model-gateway/test/connect-proxy.ts";
import { listening } from "../../packages/model-gateway/test/stage.ts";
import { CertificateAuthority } from "../helpers/certificate-authority.ts";
import { HONEST, Stage } from "./stage.ts";

interface Check {
  readonly check: string;
  readonly status: string;
  readonly found: string;
  readonly fix: string | null;
}

/** What the doctor says of a batch, by the name of the check. */
async function ask(stage: Stage, over: Record<string, unknown>, { args = [] as string[], env = {} } = {}) {
  mkdirSync(stage.path("tmp"), { recursive: true });
  stage.agent(HONEST);
  const batch = stage.batch(["T-1"], { sandbox: "required", finish: [{ step: "gates" }, { step: "merge" }], ...over });
  const { code, stdout, stderr } = await stage.run(["doctor", batch, ...args, "--json"], { TMPDIR: stage.path("tmp"), ...env });
  // It says what it is at; anything else is a warning.
  expect(stderr).toMatch(/^(?:loopdash: app: .*\n)*$/);
  expect(readdirSync(stage.path("tmp"))).toEqual([]);
  const { checks } = JSON.parse(stdout) as { checks: readonly Check[] };
  return { code, of: (name: string) => checks.filter(({ check }) => check === name) };
}

const hosts = (prepare: readonly unknown[]) => ({ sandboxPolicy: { hosts: { prepare } } });

describe("doctor tries each open host from inside the sandbox", { timeout: 300_000 }, () => {
  test("and says which answers, which is blocked and how to allow it, and which is not there", async () => {
    using stage = new Stage();
    stage.repo("app");
    const server = createHttp((_req, res) => void res.end());
    const port = await listening(server);
    onTestFinished(() => void server.close());
    const open = { host: "localhost", addresses: ["127.0.0.1"], port };
    const { code, of } = await ask(stage, hosts([open, "localhost:4873", "nowhere.invalid", "*.example.com"]));
    expect(code).toBe(4);
    const allow = '"sandboxPolicy": {"hosts": {"prepare": [{"host": "localhost", "addresses": ["127.0.0.1"], "port": 4873}]}}';
    expect(of("host").map(({ status, found, fix }) => [status, found, fix])).toEqual([
      ["ok", `prepare: localhost:${port} answers (connected)`, null],
      ["bad", "prepare: localhost:4873 is blocked: 127.0.0.1 is an address of this machine", `Allow it with ${allow}`],
      ["bad", "prepare: nowhere.invalid:443: nowhere.invalid has no address", expect.stringContaining("HTTPS_PROXY")],
      ["ok", "prepare: *.example.com:443 is not tried: it stands for every name below it", null],
    ]);
  });

  test("and shakes hands at port 443, with the certificates that the machine trusts, through its proxy", async () => {
    using stage = new Stage();
    stage.repo("app");
    const ca = new CertificateAuthority(stage.path("ca"));
    const server = createServer(ca.issue("DNS:registry.invalid"), (_req, res) => void res.end());
    const proxy = await connectProxy("worker:s3cr3t", await listening(server));
    onTestFinished(() => void server.close());
    const env = { HTTPS_PROXY: `http://worker:s3cr3t@127.0.0.1:${proxy.port}` };
    const unknown = await ask(stage, hosts(["registry.invalid"]), { env });
    expect(unknown.of("host")).toMatchObject([{ status: "bad", fix: expect.stringContaining("NODE_EXTRA_CA_CERTS") }]);
    const known = await ask(stage, hosts(["registry.invalid"]), { env: { ...env, NODE_EXTRA_CA_CERTS: ca.file } });
    expect(known.of("host")).toMatchObject([{ status: "ok", found: "prepare: registry.invalid:443 answers (TLSv1.3)" }]);
    expect(known.code).toBe(0);
    const odd = { SSL_CERT_FILE: stage.path("gone.pem"), HTTPS_PROXY: "socks5://x" };
    const { of } = await ask(stage, hosts(["*.example.com"]), { env: odd });
    expect(of("certificates")).toMatchObject([{ status: "warn", found: expect.stringContaining("gone.pem") }]);
    expect(of("proxy")).toMatchObject([{ status: "warn", found: "HTTPS_PROXY is not an http or https address" }]);
  });
});

describe("doctor tries the model's API of each account", { timeout: 300_000 }, () => {
  const KEYS = { FIRST_KEY: "sk-first-0123456789", SECOND_KEY: "sk-second-0123456789" };
  const agentWith = (stage: Stage, baseUrl: string, over: object = {}) => ({
    agent: {
      ...{ kind: "claude", model: "claude-sonnet-4-5", apiKeyEnv: "FIRST_KEY", baseUrl },
      ...{ program: stage.write("bin/claude", "#!/bin/sh\n", 0o755), ...over },
    },
  });

  test("once for each host, with no request and no key, and says which cannot be reached", async () => {
    using stage = new Stage();
    stage.repo("app");
    const asked: string[] = [];
    const server = createHttp((req, res) => (asked.push(req.url ?? ""), void res.end()));
    server.on("connection", (socket) => socket.on("data", (data) => asked.push(String(data))));
    const port = await listening(server);
    onTestFinished(() => void server.close());
    const fallback = [{ apiKeyEnv: "SECOND_KEY" }, { apiKeyEnv: "SECOND_KEY", baseUrl: "http://127.0.0.1:9" }];
    const { code, of } = await ask(stage, agentWith(stage, `http://127.0.0.1:${port}`, { fallback }), { env: KEYS });
    expect(code).toBe(4);
    expect(of("model-api").map(({ status, found }) => [status, found])).toEqual([
      ["ok", expect.stringMatching(`^agent: 127.0.0.1:${port} answers \\(connected\\); no request was sent`)],
      ["bad", expect.stringMatching(/^agent: 127.0.0.1:9 cannot be reached: .*ECONNREFUSED/)],
    ]);
    expect(asked).toEqual([]);
  });

  test("through the machine's proxy, with the certificates that the engine trusts", async () => {
    using stage = new Stage();
    stage.repo("app");
    const ca = new CertificateAuthority(stage.path("ca"));
    const server = createServer(ca.issue("DNS:llm.invalid"), (_req, res) => void res.end());
    const proxy = await connectProxy("worker:s3cr3t", await listening(server));
    onTestFinished(() => void server.close());
    const env = { ...KEYS, HTTPS_PROXY: `http://worker:s3cr3t@127.0.0.1:${proxy.port}` };
    const batch = agentWith(stage, "https://llm.invalid");
    const unknown = await ask(stage, batch, { env });
    expect(unknown.of("model-api")).toMatchObject([{ status: "bad", fix: expect.stringContaining("NODE_EXTRA_CA_CERTS") }]);
    const known = await ask(stage, batch, { env: { ...env, NODE_EXTRA_CA_CERTS: ca.file } });
    expect(known.of("model-api")).toMatchObject([
      { status: "ok", found: expect.stringContaining("llm.invalid:443 answers (TLSv1.3)") },
    ]);
    const byFile = await ask(stage, batch, { env: { ...env, SSL_CERT_FILE: ca.file } });
    expect(byFile.of("model-api")).toMatchObject([{ status: "ok" }]);
    expect(proxy.asked.map(({ target }) => target)).toEqual(Array(3).fill("llm.invalid:443"));
  });

  test("on a platform and by a login at their own addresses, and tells how long a login is valid", async () => {
    using stage = new Stage();
    stage.repo("app");
    const proxy = await connectProxy("worker:s3cr3t", 9);
    const fallback = [
      { platform: { kind: "bedrock", region: "eu-central-1" }, model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0" },
      { billing: "subscription" },
    ];
    const program = stage.write("bin/claude", "#!/bin/sh\n", 0o755);
    const agent = { kind: "claude", model: "claude-sonnet-4-5", apiKeyEnv: "FIRST_KEY", program, fallback };
    const reviewer = { kind: "codex", model: "gpt-5.5", billing: "subscription", program };
    const env = { ...KEYS, HTTPS_PROXY: `http://worker:s3cr3t@127.0.0.1:${proxy.port}` };
    const oauth = {
      accessToken: "an-access-token",
      refreshToken: "a-refresh-token",
      expiresAt: Date.parse("2999-01-01T00:00:00Z"),
    };
    stage.write(".claude/.credentials.json", JSON.stringify({ claudeAiOauth: oauth }), 0o600);
    const { of } = await ask(stage, { agent, reviewer }, { env });
    expect(of("model-api")).toHaveLength(3);
    expect(new Set(proxy.asked.map(({ target }) => target))).toEqual(
      new Set(["api.anthropic.com:443", "bedrock-runtime.eu-central-1.amazonaws.com:443", "chatgpt.com:443"]),
    );
    expect(of("login")).toMatchObject([
      { status: "ok", found: expect.stringContaining("valid until 2999-01-01 00:00") },
      { status: "bad", fix: "Run codex login." },
    ]);
  });
});

describe("doctor --prepare", { timeout: 300_000 }, () => {
  const repos = (prepare: readonly (readonly string[])[]) => ({ repos: { app: { path: "app", prepare } } });

  test("runs the prepare commands in a pristine checkout in the sandbox, and says how long that took", async () => {
    using stage = new Stage();
    stage.repo("app", { "package.json": "{}" });
    stage.write("app/untracked", "not in the checkout");
    const script = "test -f package.json && ! test -e untracked && ! test -e /tmp/../home/nobody && echo x > made";
    const { code, of } = await ask(stage, repos([["sh", "-c", script]]), { args: ["--prepare"] });
    expect(of("prepare")).toMatchObject([{ status: "ok", found: expect.stringMatching(/^app: prepared in \d+\.\d s/) }]);
    expect(code).toBe(0);
  });

  test("shows the end of a failed one's output, what was blocked, and the line that would allow it", async () => {
    using stage = new Stage();
    stage.repo("app");
    const fetching = 'fetch("https://registry.npmjs.org/").catch((e) => { console.log("could not fetch"); process.exit(1); })';
    const { code, of } = await ask(stage, repos([[process.execPath, "-e", fetching], ["true"]]), { args: ["--prepare"] });
    expect(code).toBe(4);
    const [failed, ...others] = of("prepare");
    expect(others).toEqual([]);
    expect(failed?.found).toMatch(/exited with code 1.*\n(.*\n)*could not fetch/);
    expect(failed?.found).toContain("the sandbox blocked registry.npmjs.org:443");
    expect(failed?.fix).toBe('Allow it with "sandboxPolicy": {"hosts": {"prepare": ["registry.npmjs.org"]}}');
  });

  test("runs the checks on the base, and the next run pays for neither again", async () => {
    using stage = new Stage();
    stage.repo("app", {
      "package.json": JSON.stringify({ name: "app", scripts: { test: "node --test" } }),
      ".gitignore": "node_modules\n",
      "one.test.mjs": 'import { test } from "node:test";\ntest("one", () => {});\n',
    });
    stage.agent(`fs.writeFileSync("more.txt", "1");`);
    const finish = [
      { step: "check", name: "tests", command: ["npm", "test"] },
      { step: "check", name: "lint", command: ["true"], compare: "exit-code" },
      { step: "merge" },
      { step: "assert" },
    ];
    const batch = stage.batch(["T-1"], {
      sandbox: "required",
      finish,
      ...repos([["sh", "-c", "mkdir node_modules && echo x > node_modules/x"]]),
    });
    const first = await stage.run(["doctor", batch, "--prepare"]);
    expect(first.stderr).toMatch(/app: preparing [0-9a-f]{7}\n.*app: running the check tests on [0-9a-f]{7}\n/);
    expect(first.stdout).toMatch(/ok +base +app: check tests compares 1 test \(\d+\.\d s\)/);
    expect(first.stdout).toMatch(/ok +base +app: check lint passes, by exit code only: tests not compared/);
    const { code, events } = await stage.events(batch);
    expect(code).toBe(0);
    const suites = events.flatMap((event) => (event.type === "suite-ran" ? [event.purpose] : []));
    expect(suites).not.toContain("base");
  });

  test("says which check cannot run there, and exits 4", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent("");
    const finish = [{ step: "check", command: ["python3", "-m", "no_such_runner"] }, { step: "merge" }, { step: "assert" }];
    const { code, stdout } = await stage.run(["doctor", stage.batch(["T-1"], { finish }), "--prepare"]);
    expect(stdout).toMatch(/bad +base +app: check check cannot run: exited with code 1: no module named no_such_runner/);
    expect(code).toBe(4);
  });

  test("needs a batch", async () => {
    using stage = new Stage();
    expect(await stage.run(["doctor", "--prepare"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs a batch file"),
    });
  });
});
