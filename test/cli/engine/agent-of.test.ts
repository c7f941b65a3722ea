import { join } from "node:path";
import { Prices } from "@loopdash/model-gateway/server";
import { describe, expect, test } from "vitest";
import { certificate, json, standIn } from "../../../packages/model-gateway/test/stage.ts";
import { claudeLogin } from "../../../src/adapters/agent/logins/claude.ts";
import { LoginRequired } from "../../../src/adapters/agent/logins/login.ts";
import { modelOptions } from "../../../src/cli/engine/agent-of.ts";
import { AgentSpec, type VendorAgentSpec } from "../../../src/domain/batch/party.ts";
import { keep, VENDOR } from "../../adapters/agent/logins/stage.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();

const options = (over: object) => {
  const spec = AgentSpec.parse({ apiKeyEnv: "MY_KEY", ...over }) as VendorAgentSpec;
  return modelOptions(spec, { keys: { MY_KEY: "sk-of-a-user" } }, 5);
};

describe("what a vendor's program is started with", () => {
  test.each([
    ["claude", {}, "https://api.anthropic.com", "x-api-key"],
    ["claude", { billing: "subscription" }, "https://api.anthropic.com", "bearer"],
    ["codex", {}, "https://api.openai.com/v1", "bearer"],
    ["gemini", {}, "https://generativelanguage.googleapis.com", "x-goog-api-key"],
    ["opencode", { model: "gpt-5.5" }, "https://api.openai.com/v1", "bearer"],
  ])("%s %o: its vendor's API, and the header that it takes the key in", async (kind, over, baseUrl, header) => {
    const { upstream, kind: program } = await options({ kind, ...over });
    expect(program.kind).toBe(kind);
    expect(upstream).toMatchObject({ baseUrl, credential: { header } });
    expect(await upstream.credential?.value()).toBe("sk-of-a-user");
  });

  test.each([
    { kind: "opencode", model: "vendor/nobody-knows" },
    { kind: "gemini", model: "gemini-99-pro" },
  ])("a model without a price is refused before anything starts: %o", async (over) => {
    await expect(options(over)).rejects.toMatchObject({ exitCode: 4, todo: "Say what it costs in agent.prices." });
    const price = { model: over.model, input: 1, output: 2, cacheRead: 1, cacheWrite: 1 };
    expect((await options({ ...over, prices: [price] })).model).toBe(over.model);
  });

  test("names that only the program can tell are its own affair", async () => {
    expect((await options({ kind: "claude", model: "sonnet" })).model).toBe("sonnet");
    expect((await options({ kind: "gemini", model: "flash" })).model).toBe("flash");
  });

  describe("on a platform", () => {
    const bedrock = { kind: "bedrock", region: "eu-central-1" };
    const vertex = { kind: "vertex", project: "my-project", region: "europe-west1" };
    const sonnet = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";

    test.each([
      ["claude", bedrock, sonnet, "https://bedrock-runtime.eu-central-1.amazonaws.com"],
      ["claude", { ...bedrock, region: "cn-north-1" }, sonnet, "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"],
      ["claude", vertex, "claude-sonnet-4-5@20250929", "https://europe-west1-aiplatform.googleapis.com"],
      ["claude", { ...vertex, region: "global" }, "claude-sonnet-4-5@20250929", "https://aiplatform.googleapis.com"],
      ["gemini", { ...vertex, region: "eu" }, "gemini-2.5-pro", "https://aiplatform.eu.rep.googleapis.com"],
    ])("%s at %o: its address, its model alone, and the key as a token", async (kind, platform, model, baseUrl) => {
      const { upstream } = await options({ kind, platform, model });
      const pinned = "project" in platform ? platform : { kind: platform.kind };
      expect(upstream).toMatchObject({ baseUrl, platform: { ...pinned, model }, credential: { header: "bearer" } });
      expect((await options({ kind, platform, model, baseUrl: "https://own.example/x" })).upstream.baseUrl).toBe(
        "https://own.example/x",
      );
    });

    test.each([
      [bedrock, sonnet, 3 * 1.1],
      [bedrock, "anthropic.claude-sonnet-4-20250514-v1:0", 3 * 1.1],
      [bedrock, "global.anthropic.claude-sonnet-4-5-20250929-v1:0", 3],
      [bedrock, `arn:aws:bedrock:eu-central-1:123456789012:inference-profile/${sonnet}`, 3 * 1.1],
      [
        bedrock,
        "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/global.anthropic.claude-sonnet-4-5-20250929-v1:0",
        3,
      ],
      [bedrock, "eu.anthropic.claude-opus-4-5-20251101-v1:0", 5 * 1.1],
      [vertex, "claude-opus-4-1@20250805", 15 * 1.1],
      [{ ...vertex, region: "global" }, "claude-opus-4-5@20251101", 5],
    ])("at %o, %s has the vendor's price of $%d", async (platform, model, input) => {
      const { upstream } = await options({ kind: "claude", platform, model });
      expect(new Prices(upstream.prices).of(model)?.input).toBeCloseTo(input, 9);
    });

    test("a model without a price is refused, also where the program has a choice of its own elsewhere", async () => {
      const model = "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc123";
      await expect(options({ kind: "claude", platform: bedrock, model })).rejects.toMatchObject({ exitCode: 4 });
      const prices = [{ model: "*application-inference-profile*", input: 1, output: 2, cacheRead: 1, cacheWrite: 1 }];
      expect((await options({ kind: "claude", platform: bedrock, model, prices })).model).toBe(model);
    });

    test("a mark for a long context is no part of the id", async () => {
      const { upstream, model } = await options({ kind: "claude", platform: bedrock, model: `${sonnet}[1m]` });
      expect([upstream.platform?.model, model]).toEqual([sonnet, `${sonnet}[1m]`]);
    });
  });

  test("a key from a secret is asked for each time, and can be fetched again", async () => {
    const spec = AgentSpec.parse({ kind: "claude", apiKeySecret: "cloud" }) as VendorAgentSpec;
    const asked: string[] = [];
    const secrets = {
      get: async (name: string) => `${name}-${asked.push("get")}`,
      renew: async (name: string, refused: string) => `${name}-${asked.push(refused)}`,
    };
    const { credential } = (await modelOptions(spec, { keys: {}, secrets }, 5)).upstream;
    expect([await credential?.value(), await credential?.value(), await credential?.renew?.("cloud-2")]).toEqual([
      "cloud-1",
      "cloud-2",
      "cloud-3",
    ]);
    expect(asked).toEqual(["get", "get", "cloud-2"]);
  });

  test("a subscription's token can be a secret too, and is sent as one", async () => {
    const spec = AgentSpec.parse({ kind: "claude", billing: "subscription", apiKeySecret: "cloud" }) as VendorAgentSpec;
    const secrets = { get: async () => "a-long-lived-token", renew: async () => "another-token" };
    const { upstream, login } = await modelOptions(spec, { keys: {}, secrets }, 5);
    expect(upstream.credential).toMatchObject({ header: "bearer" });
    expect([await upstream.credential?.value(), login]).toEqual(["a-long-lived-token", undefined]);
  });

  test.each([
    ["claude", "https://api.anthropic.com"],
    ["codex", "https://chatgpt.com/backend-api/codex"],
    ["gemini", "https://cloudcode-pa.googleapis.com"],
  ])("%s with its own login: the API of its subscription", async (kind, baseUrl) => {
    const spec = AgentSpec.parse({ kind, billing: "subscription" }) as VendorAgentSpec;
    const { upstream, login } = await modelOptions(spec, { keys: { HOME: "/nobody" } }, 5);
    expect(upstream).toMatchObject({ baseUrl, credential: { header: "bearer", renew: expect.any(Function) } });
    expect(login?.command).toContain(kind);
    expect(upstream.codeAssist === undefined).toBe(kind !== "gemini");
    await expect(upstream.credential?.value()).rejects.toThrow(LoginRequired);
  });

  test("a login is refreshed over TLS that an authority in SSL_CERT_FILE vouches for", async () => {
    const home = folder();
    const vendor = VENDOR.claude;
    keep(claudeLogin.file({ HOME: home }), vendor.kept(1, 0));
    const endpoint = await standIn(json(vendor.answer(2, 0)), certificate(home));
    const loginUrl = `https://localhost:${endpoint.port}/token`;
    const spec = AgentSpec.parse({ kind: "claude", billing: "subscription", loginUrl }) as VendorAgentSpec;
    const valueWith = async (env: object) =>
      (await modelOptions(spec, { keys: { HOME: home, ...env } }, 5)).upstream.credential?.value();
    await expect(valueWith({})).rejects.toThrow("did not answer");
    expect(await valueWith({ SSL_CERT_FILE: join(home, "cert.pem") })).toBe(vendor.access(2, 0));
  });

  test("certificates of the system and of SSL_CERT_FILE are trusted where there is TLS", async () => {
    expect((await options({ kind: "claude" })).upstream.ca).toContain("-----BEGIN CERTIFICATE-----");
    expect((await options({ kind: "claude", baseUrl: "http://127.0.0.1:1" })).upstream.ca).toBeUndefined();
  });
});
