import { describe, expect, test } from "vitest";
import { modelOptions } from "../../../src/cli/engine/agent-of.ts";
import { AgentSpec, type VendorAgentSpec } from "../../../src/domain/batch/agent-spec.ts";

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
});
