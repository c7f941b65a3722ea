import { expect, test } from "vitest";
import { findApiKeys } from "../../../src/cli/engine/api-key-guard.ts";
import type { LoadedBatch } from "../../../src/cli/engine/load-batch.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const env = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", XAI_API_KEY: "k" };
const found = async (batch: object) => {
  const loaded = { folder: folder(), batch: { repos: {}, sandbox: "required", ...batch } } as unknown as LoadedBatch;
  return (await findApiKeys(env, loaded)).map(({ name }) => name);
};

const agent = { kind: "claude", billing: "subscription", fallback: [] };
const reviewer = { kind: "codex", billing: "api", apiKeyEnv: "OPENAI_API_KEY", fallback: [] };

test("the keys that a batch names for its agent or its reviewer are no stray ones", async () => {
  expect(await found({ agent })).toEqual(["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "XAI_API_KEY"]);
  expect(await found({ agent, reviewer })).toEqual(["ANTHROPIC_API_KEY", "XAI_API_KEY"]);
  expect(await found({ agent: { kind: "command", command: ["a"] }, reviewer })).toEqual(["ANTHROPIC_API_KEY", "XAI_API_KEY"]);
  const paid = { ...agent, billing: "api", apiKeySecret: "anthropic" };
  const secrets = { anthropic: { env: "ANTHROPIC_API_KEY" } };
  expect(await found({ agent: paid, reviewer, secrets })).toEqual(["XAI_API_KEY"]);
});

test("a key that only the reviewer's command could find is a stray one", async () => {
  expect(await found({ agent, reviewer: { kind: "command", command: ["r"] } })).toContain("OPENAI_API_KEY");
});
