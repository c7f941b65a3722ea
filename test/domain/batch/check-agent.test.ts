import { describe, expect, it } from "vitest";
import { checkAgent } from "../../../src/domain/batch/check-agent.ts";
import { AgentSpec, accountName, allAccounts, type VendorAgentSpec } from "../../../src/domain/batch/party.ts";
import { BatchFile } from "../../../src/domain/batch/schema.ts";
import { batchValue } from "./sample.ts";

const found = (over: Readonly<Record<string, unknown>>): readonly string[] => {
  const all: string[] = [];
  const file = BatchFile.parse(batchValue({ sandbox: "required", ...over }));
  checkAgent(file, (path, message, hint) => all.push(`${path.join(".")}: ${message}; ${hint ?? ""}`));
  return all;
};

const MODEL = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
const BEDROCK = { kind: "bedrock", region: "eu-central-1" };
const VERTEX = { kind: "vertex", project: "my-project", region: "europe-west1" };
const secrets = { cloud: { command: ["gcloud", "auth", "print-access-token"], expiresAfterMinutes: 30 } };
const agent = { kind: "claude", model: MODEL, apiKeySecret: "cloud", platform: BEDROCK };

describe("the key of an account", () => {
  it("comes from a variable or a secret of the batch, and from one of them", () => {
    expect(found({ agent, secrets })).toEqual([]);
    expect(found({ agent: { kind: "claude", apiKeyEnv: "KEY" } })).toEqual([]);
    expect(found({ agent: { ...agent, apiKeyEnv: "KEY" }, secrets })).toEqual([expect.stringContaining("is a second key")]);
    expect(found({ agent: { kind: "claude" } })).toEqual([expect.stringContaining("has no key")]);
    expect(found({ agent })).toEqual([expect.stringContaining('the batch has no secret "cloud"')]);
  });

  it("comes from the program's login if a subscription is billed and no key is named", () => {
    expect(found({ agent: { kind: "gemini", billing: "subscription" } })).toEqual([]);
    expect(found({ agent: { kind: "claude", billing: "subscription", apiKeySecret: "cloud" }, secrets })).toEqual([]);
    expect(found({ agent: { kind: "codex", billing: "subscription", apiKeySecret: "cloud" }, secrets })).toEqual([
      "agent.apiKeySecret: is not for codex's subscription, which is used by the program's own login; leave it out",
    ]);
    expect(found({ agent: { kind: "opencode", model: "m" } })).toEqual([expect.not.stringContaining("subscription")]);
  });

  it("of a fallback that is billed in another way is its own, and so is its place", () => {
    const spec = AgentSpec.parse({
      ...agent,
      baseUrl: "https://own.example",
      fallback: [{ billing: "subscription", model: "claude-sonnet-4-5" }],
    });
    const accounts = allAccounts(spec as VendorAgentSpec);
    expect(accounts[1]).toMatchObject({ billing: "subscription", model: "claude-sonnet-4-5" });
    expect([accounts[1]?.apiKeySecret, accounts[1]?.platform, accounts[1]?.baseUrl]).toEqual([undefined, undefined, undefined]);
    expect(accountName(accounts, 1)).toBe("claude-sonnet-4-5, the login of claude, its vendor's API");
    const fallback = [{ billing: "subscription", model: "claude-sonnet-4-5" }];
    expect(found({ agent: { ...agent, fallback }, secrets })).toEqual([]);
    const back = [{ billing: "api", apiKeySecret: "cloud", platform: BEDROCK, model: MODEL }];
    expect(found({ agent: { kind: "claude", billing: "subscription", fallback: back }, secrets })).toEqual([]);
  });

  it("or its billing alone makes an account another one", () => {
    const fallback = [{ billing: "subscription", apiKeyEnv: "KEY" }];
    expect(found({ agent: { kind: "claude", apiKeyEnv: "KEY", fallback } })).toEqual([]);
    const same = [{ billing: "subscription", loginUrl: "https://example.com/token" }];
    expect(found({ agent: { kind: "claude", billing: "subscription", fallback: same } })).toEqual([
      expect.stringContaining("is the same account and model as one before it"),
    ]);
  });

  it("is a secret only if agents never run without a sandbox", () => {
    expect(found({ agent, secrets, sandbox: "auto" })).toEqual([expect.stringContaining('set "sandbox": "required"')]);
  });

  it("of a fallback replaces the first one's, wherever that comes from", () => {
    const spec = AgentSpec.parse({
      ...agent,
      fallback: [{ apiKeyEnv: "SPARE" }, { platform: VERTEX, model: "claude-sonnet-4-5@20250929" }],
    });
    const accounts = allAccounts(spec as VendorAgentSpec);
    expect(accounts.map(({ apiKeyEnv, apiKeySecret }) => [apiKeyEnv, apiKeySecret])).toEqual([
      [undefined, "cloud"],
      ["SPARE", undefined],
      [undefined, "cloud"],
    ]);
    expect([0, 1, 2].map((i) => accountName(accounts, i))).toEqual([
      `${MODEL}, the key in the secret "cloud", Bedrock in eu-central-1`,
      `${MODEL}, the key in SPARE, Bedrock in eu-central-1`,
      'claude-sonnet-4-5@20250929, the key in the secret "cloud", Vertex in europe-west1',
    ]);
    expect(found({ agent: { ...agent, fallback: [{ apiKeyEnv: "SPARE" }] }, secrets })).toEqual([]);
  });

  it("of a fallback at another cloud does not go to the address of the first", () => {
    const spec = AgentSpec.parse({
      ...agent,
      baseUrl: "https://own.example",
      fallback: [{ platform: VERTEX }, { apiKeyEnv: "SPARE" }],
    });
    expect(allAccounts(spec as VendorAgentSpec).map(({ baseUrl }) => baseUrl)).toEqual([
      "https://own.example",
      undefined,
      "https://own.example",
    ]);
  });
});

describe("the platform of an account", () => {
  const on = (over: object) => found({ secrets, agent: { ...agent, ...over } });

  it.each([
    ["codex", BEDROCK],
    ["opencode", VERTEX],
    ["gemini", BEDROCK],
  ])("is one that the program knows: %s at %o is not", (kind, platform) => {
    expect(on({ kind, platform })).toEqual([expect.stringContaining(`${kind} does not support ${platform.kind}`)]);
  });

  it("has the model under its own id, in its own region", () => {
    expect(on({ model: undefined })).toEqual([expect.stringContaining("needs a model")]);
    expect(on({ model: "sonnet" })).toEqual([expect.stringContaining("is not the id of a model")]);
    expect(on({ model: `${MODEL}?x` })).toEqual([expect.stringContaining("is not the id of a model")]);
    expect(on({ model: `${MODEL}[1m]` })).toEqual([]);
    const arn = (region: string) => `arn:aws:bedrock:${region}:123456789012:application-inference-profile/abc123`;
    expect(on({ model: arn("eu-central-1") })).toEqual([]);
    expect(on({ model: arn("us-east-1") })).toEqual([expect.stringContaining('is an ARN of the region "us-east-1"')]);
    expect(on({ kind: "gemini", platform: VERTEX, model: "pro" })).toEqual([expect.stringContaining("is not the id of a model")]);
  });

  it("is billed to its own account", () => {
    expect(on({ billing: "subscription" })).toEqual([expect.stringContaining("never to a subscription")]);
    expect(on({ billing: "subscription", apiKeySecret: undefined })).toEqual([
      expect.stringContaining("never to a subscription"),
    ]);
    const fallback = [{ platform: BEDROCK, model: MODEL, apiKeySecret: "cloud" }];
    expect(on({ billing: "subscription", apiKeySecret: undefined, platform: undefined, fallback })).toEqual([
      expect.stringMatching(/^agent\.fallback\.0\.platform: .*never to a subscription; set "billing": "api"$/),
    ]);
  });

  it.each([
    { ...BEDROCK, region: "eu" },
    { ...BEDROCK, region: "evil.example/" },
    { ...VERTEX, region: "europe-west1.evil.example" },
    { ...VERTEX, project: "../other" },
    { kind: "vertex", region: "global" },
    { kind: "azure", region: "eu" },
  ])("names a region and a project: %o does not", (platform) => {
    expect(AgentSpec.safeParse({ ...agent, platform }).success).toBe(false);
  });
});
