import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { Stage } from "../e2e/stage.ts";
import { bedrockStandIn, claudeOnVertexStandIn, geminiOnVertexStandIn } from "./platform-stand-in.ts";
import { programsFolder, whyWithout } from "./programs.ts";
import type { Script } from "./stand-in.ts";

/** Prints another token each time, and counts how often it was asked. */
const GIVES_TOKENS = `#!/bin/sh
echo asked >>"$0.count"
echo "ya29.token-$(wc -l <"$0.count")-0123456789abcdef"
`;
const TOKEN = /ya29\.token-\d+-0123456789abcdef/;

const COMMAND = "echo done > made.txt && git add -A && git commit -qm made";

const works =
  (tool: (command: string) => { name: string; input: object }): Script =>
  (turn) =>
    turn === 0
      ? { say: "I write it.", tool: tool(COMMAND), usage: { input: 10_000, output: 1_000 } }
      : { say: "It is done.", usage: { input: 20_000, output: 2_000 } };

const bash = (command: string) => ({ name: "Bash", input: { command } });

const PLATFORMS = [
  {
    kind: "claude",
    on: "Bedrock",
    model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    platform: { kind: "bedrock", region: "eu-central-1" },
    api: () => bedrockStandIn(works(bash)),
    path: /^\/model\/eu\.anthropic\.claude-sonnet-4-5-20250929-v1:0\/invoke-with-response-stream$/,
    // A region costs a tenth more than $3 and $15 a million.
    usd: ((30_000 * 3 + 3_000 * 15) * 1.1) / 1e6,
  },
  {
    kind: "claude",
    on: "Vertex",
    model: "claude-sonnet-4-5@20250929",
    platform: { kind: "vertex", project: "my-project", region: "europe-west1" },
    api: () => claudeOnVertexStandIn(works(bash)),
    path: /^\/v1\/projects\/my-project\/locations\/europe-west1\/publishers\/anthropic\/models\/claude-sonnet-4-5@20250929:streamRawPredict$/,
    usd: ((30_000 * 3 + 3_000 * 15) * 1.1) / 1e6,
  },
  {
    kind: "gemini",
    on: "Vertex",
    model: "gemini-2.5-pro",
    platform: { kind: "vertex", project: "my-project", region: "europe-west1" },
    api: () => geminiOnVertexStandIn(works((command) => ({ name: "run_shell_command", input: { command } }))),
    path: /^\/v1beta1\/projects\/my-project\/locations\/europe-west1\/publishers\/google\/models\/gemini-2\.5-pro:/,
    usd: (30_000 * 1.25 + 3_000 * 10) / 1e6,
  },
] as const;

/** A batch of one ticket, whose agent's key is what a command prints. */
function batchOf(stage: Stage, agent: { readonly kind: string } & Readonly<Record<string, unknown>>, expiresAfterMinutes = 30) {
  stage.repo("app");
  stage.write("token.sh", GIVES_TOKENS, 0o755);
  return stage.batch(["T-1"], {
    agent: { ...agent, program: join(programsFolder(), "node_modules/.bin", agent.kind), apiKeySecret: "cloud" },
    secrets: { cloud: { command: ["./token.sh"], expiresAfterMinutes } },
    sandbox: "required",
    finish: [{ step: "gates" }, { step: "check", name: "made", command: ["grep", "-q", "done", "made.txt"] }, { step: "merge" }],
  });
}

describe.each(PLATFORMS)("the real $kind on $on", ({ kind, model, platform, api: start, path, usd }) => {
  const missing = whyWithout(kind);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test("ships, asks only its own model, and is billed by its price; no token is anywhere else", {
    timeout: 240_000,
  }, async () => {
    const api = await start();
    using stage = new Stage();
    const batch = batchOf(stage, { kind, model, platform, baseUrl: `http://127.0.0.1:${api.port}` });
    const { code, stdout, stderr } = await stage.run([batch, "--headless"]);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
    expect(stage.landed()).toEqual(["T-1"]);
    for (const { url, headers } of api.seen) {
      expect(url).toMatch(path);
      expect(headers["authorization"]).toMatch(new RegExp(`^Bearer ${TOKEN.source}$`));
    }
    const beside = api.seen.length - 2;
    expect(beside).toBe(0);
    expect((await stage.report()).costUsd).toBeCloseTo(usd, 6);
    expect(stdout).not.toMatch(TOKEN);
    expect(stage.everything()).not.toMatch(TOKEN);
  });
});

describe("a token that expires while the real claude is at work", () => {
  const missing = whyWithout("claude");
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test("is fetched again, and the work goes on with the next one", { timeout: 240_000 }, async () => {
    const tokens = new Set<string | undefined>();
    const script: Script = (turn) => {
      for (const { headers } of api.seen) tokens.add(headers["authorization"]);
      if (tokens.size < 2) return { tool: bash(`true ${turn}`) };
      return api.seen.at(-1)?.body.includes("commit -qm made") === true ? { say: "It is done." } : { tool: bash(COMMAND) };
    };
    const api = await bedrockStandIn(script);
    using stage = new Stage();
    const { kind, model, platform } = PLATFORMS[0];
    const batch = batchOf(stage, { kind, model, platform, baseUrl: `http://127.0.0.1:${api.port}` }, 0.05);
    const { code, stdout } = await stage.run([batch, "--headless"]);
    expect(code, stdout).toBe(0);
    expect(stage.landed()).toEqual(["T-1"]);
    expect(tokens.size).toBeGreaterThan(1);
    expect(stage.everything()).not.toMatch(TOKEN);
  });
});
