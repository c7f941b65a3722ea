import { symlinkSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { connectProxy } from "../../packages/model-gateway/test/connect-proxy.ts";
import type { StandIn } from "../../packages/model-gateway/test/stage.ts";
import { BATCHES, wholeText } from "../docs/examples.ts";
import { Stage } from "../e2e/stage.ts";
import { CertificateAuthority } from "../helpers/certificate-authority.ts";
import { bedrockStandIn, claudeOnVertexStandIn, geminiOnVertexStandIn } from "./platform-stand-in.ts";
import { programsFolder, whyWithout } from "./programs.ts";
import { anthropicStandIn, chatStandIn, responsesStandIn, type Script } from "./stand-in.ts";

/** What a part of a batch is merged into. */
const BASE = {
  name: "models",
  repos: { app: { path: "../app" } },
  finish: [{ step: "gates" }, { step: "check", name: "tests", command: ["npm", "test"] }, { step: "merge" }],
  tickets: [{ id: "T-1", title: "Show the version in the footer" }],
};

const PARTS = BATCHES.filter(({ page }) => page === "docs/use/models.md");
const TEXTS = PARTS.map((part) => wholeText(part, BASE));

const KEY = "key-of-the-reader-0123456789";
const COMMAND = "echo done > made.txt && git add -A && git commit -qm made";

const works =
  (tool: (command: string) => { name: string; input: object }): Script =>
  (turn) =>
    turn === 0
      ? { say: "I write it.", tool: tool(COMMAND), usage: { input: 10_000, output: 1_000 } }
      : { say: "It is done.", usage: { input: 20_000, output: 2_000 } };

const bash = (command: string) => ({ name: "Bash", input: { command } });

/** What serves each part of the page, in order; where; and dollars for 30,000 tokens of input and 3,000 of output. */
const SERVED = [
  {
    name: "litellm",
    kind: "claude",
    host: "litellm.example.com",
    api: () => anthropicStandIn(works(bash)),
    url: /^\/v1\/messages(?:\?beta=true)?$/,
    header: ["x-api-key", KEY],
    usd: 0.135,
    // Claude Code (2.1.330) counts a name that it does not know at a price of its own, and the more counts.
    isLeast: true,
  },
  {
    name: "proxy",
    kind: "codex",
    host: "models.corp.example",
    api: () =>
      responsesStandIn(
        works((cmd) => ({ name: "exec_command", input: { cmd } })),
        undefined,
        "/team-a/openai",
      ),
    url: /^\/team-a\/openai\/v1\/responses$/,
    header: ["authorization", `Bearer ${KEY}`],
    usd: undefined,
  },
  {
    name: "bedrock",
    kind: "claude",
    host: "bedrock-runtime.eu-central-1.amazonaws.com",
    api: () => bedrockStandIn(works(bash)),
    url: /^\/model\/eu\.anthropic\.claude-sonnet-4-5-20250929-v1:0\/invoke-with-response-stream$/,
    header: ["authorization", `Bearer ${KEY}`],
    usd: 0.135 * 1.1,
  },
  {
    name: "bedrock with opencode",
    kind: "opencode",
    host: "bedrock-runtime.us-west-2.amazonaws.com",
    api: () =>
      chatStandIn(
        works((command) => ({ name: "bash", input: { command, description: "a command" } })),
        "/openai",
      ),
    url: /^\/openai\/v1\/chat\/completions$/,
    header: ["authorization", `Bearer ${KEY}`],
    usd: (30_000 * 0.15 + 3_000 * 0.6) / 1e6,
  },
  {
    name: "vertex",
    kind: "gemini",
    host: "europe-west1-aiplatform.googleapis.com",
    api: () => geminiOnVertexStandIn(works((command) => ({ name: "run_shell_command", input: { command } }))),
    url: /^\/v1beta1\/projects\/my-project\/locations\/europe-west1\/publishers\/google\/models\/gemini-2\.5-pro:/,
    header: ["authorization", `Bearer ${KEY}`],
    usd: (30_000 * 1.25 + 3_000 * 10) / 1e6,
  },
  {
    name: "vertex with claude",
    kind: "claude",
    host: "aiplatform.googleapis.com",
    api: () => claudeOnVertexStandIn(works(bash)),
    url: /^\/v1\/projects\/my-project\/locations\/global\/publishers\/anthropic\/models\/claude-sonnet-4-5@20250929:streamRawPredict$/,
    header: ["authorization", `Bearer ${KEY}`],
    usd: 0.135,
  },
] as const;

const MANIFEST = { name: "app", version: "1.0.0", scripts: { test: "node --test --test-reporter=tap" } };

/** TLS in front of a stand-in: for this host, by an authority that only the reader's machine knows. Gives what leads to it. */
async function serve({ host, port }: { readonly host: string; readonly port: number }, stage: Stage) {
  const authority = new CertificateAuthority(stage.path("corp-ca"));
  const server = createServer(authority.issue(`DNS:${host}`), (socket) => {
    const plain = connect(port, "127.0.0.1");
    socket.pipe(plain).pipe(socket);
    socket.on("error", () => plain.destroy());
    plain.on("error", () => socket.destroy());
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  onTestFinished(() => void server.close());
  const proxy = await connectProxy("reader:password", (server.address() as AddressInfo).port);
  return { proxy, env: { SSL_CERT_FILE: authority.file, HTTPS_PROXY: `http://reader:password@127.0.0.1:${proxy.port}` } };
}

interface PageAgent {
  readonly kind: string;
  readonly apiKeyEnv?: string;
}

/** What the page says that the reader has: a repository, keys, gcloud, and the agent's program where no repository could put one. */
function furnish(stage: Stage, { kind, apiKeyEnv }: PageAgent): Readonly<Record<string, string>> {
  const works = 'import test from "node:test"; test("works", () => {});\n';
  stage.repo("app", { "package.json": JSON.stringify(MANIFEST), "test/works.test.mjs": works });
  stage.write(".config/models-token", `${KEY}\n`);
  stage.write("bin/gcloud", `#!/bin/sh\ntest "$*" = "auth print-access-token" && echo "${KEY}"\n`, 0o755);
  symlinkSync(join(programsFolder(), "node_modules/.bin", kind), stage.path("bin", kind));
  return { PATH: `${stage.path("bin")}:${stage.env["PATH"]}`, ...(apiKeyEnv === undefined ? {} : { [apiKeyEnv]: KEY }) };
}

describe("the page on models", { timeout: 600_000 }, () => {
  test("has these agents", () => {
    expect(TEXTS.map((text) => (JSON.parse(text) as { agent: PageAgent }).agent.kind)).toEqual(SERVED.map(({ kind }) => kind));
  });

  describe.each(SERVED.map((served, i) => ({ ...served, text: TEXTS[i] ?? "" })))("$name", (served) => {
    const { host, api: start, url, header, usd, text } = served;
    const { agent } = JSON.parse(text) as { agent: PageAgent };
    const missing = whyWithout(agent.kind);
    beforeEach(({ skip }) => skip(missing !== undefined, missing));

    test("is worked by the real program as it stands there", async () => {
      using stage = new Stage();
      const api: StandIn = await start();
      const { proxy, env } = await serve({ host, port: api.port }, stage);
      const batch = stage.write("batches/batch.json", text);
      const { code, stdout, stderr } = await stage.run([batch, "--headless"], { ...furnish(stage, agent), ...env });
      expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
      expect(stage.git("app", "show", "main:made.txt")).toBe("done");
      expect(api.seen.length).toBeGreaterThan(1);
      for (const { url: asked, headers } of api.seen) {
        expect(asked).toMatch(url);
        expect(headers[header[0]]).toBe(header[1]);
      }
      expect([...new Set(proxy.asked.map(({ target }) => target))]).toEqual([`${host}:443`]);
      const { costUsd } = await stage.report();
      if (usd === undefined) expect(costUsd).toBeGreaterThan(0.01);
      else if ("isLeast" in served) expect(costUsd).toBeGreaterThan(usd - 1e-6);
      else expect(costUsd).toBeCloseTo(usd, 6);
      expect(stdout).not.toContain(KEY);
      expect(stage.everything()).not.toContain(KEY);
    });
  });
});
