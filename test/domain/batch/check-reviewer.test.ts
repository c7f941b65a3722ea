import { describe, expect, it } from "vitest";
import { checkReviewer } from "../../../src/domain/batch/check-reviewer.ts";
import { BatchFile } from "../../../src/domain/batch/schema.ts";
import { batchValue } from "./sample.ts";

const parsed = (part: Readonly<Record<string, unknown>>) => BatchFile.parse(batchValue(part));

const found = (part: Readonly<Record<string, unknown>>) => {
  const all: string[] = [];
  checkReviewer(parsed(part), (path, message, hint) => all.push(`${path.join(".")}: ${message}; ${hint ?? ""}`));
  return all;
};
const claude = { kind: "claude", apiKeyEnv: "KEY" };
const codex = { kind: "codex", apiKeyEnv: "KEY" };
const opencode = { kind: "opencode", apiKeyEnv: "KEY" };
const command = (...words: readonly string[]) => ({ kind: "command", command: words });

describe("a batch without a reviewer", () => {
  it("has no step that asks for one", () => {
    const finish = [{ step: "gates" }, { step: "review" }, { step: "merge" }];
    const tickets = [{ id: "A", title: "x", finish: [{ step: "adversary" }, { step: "merge" }] }];
    expect(found({ finish, tickets })).toEqual([
      'finish.1: review asks a reviewer, and the batch names none; name one under "reviewer"',
      'tickets.0.finish.0: adversary asks a reviewer, and the batch names none; name one under "reviewer"',
    ]);
    expect(found({ finish, tickets, reviewer: codex })).toEqual([]);
    expect(found({})).toEqual([]);
  });
});

describe("a reviewer", () => {
  it("is of another vendor, unless the batch allows it", () => {
    const same =
      "reviewer.kind: the agent's model is of the same vendor (Anthropic); choose another kind, or set reviewer.allowSameVendor and name two models";
    expect(found({ agent: claude, reviewer: codex })).toEqual([]);
    expect(found({ agent: claude, reviewer: claude })).toEqual([same]);
    expect(found({ agent: claude, reviewer: { ...claude, model: "claude-opus-4-5" } })).toEqual([same]);
    expect(
      found({ agent: { ...claude, model: "sonnet" }, reviewer: { ...opencode, model: "anthropic/claude-opus-4-5" } }),
    ).toEqual([same]);
    const two = {
      agent: { ...claude, model: "claude-sonnet-4-5" },
      reviewer: { ...claude, model: "claude-opus-4-5", allowSameVendor: true },
    };
    expect(found(two)).toEqual([]);
  });

  it("is never the agent's model, also not where the batch allows its vendor, or by another program", () => {
    const itself = "reviewer.model: is the agent's own model: it would review itself; name another model";
    const model = "claude-sonnet-4-5";
    const agent = { ...claude, model };
    expect(found({ agent, reviewer: { ...claude, model, allowSameVendor: true } })).toEqual([itself]);
    expect(found({ agent, reviewer: { ...claude, model: "Claude-Sonnet-4-5-20250929", allowSameVendor: true } })).toEqual([
      itself,
    ]);
    expect(found({ agent, reviewer: { ...opencode, model: `anthropic/${model}`, allowSameVendor: true } })).toEqual([itself]);
    const unknown = (who: string) =>
      `reviewer: nobody can tell that it is another model than the agent's: ${who} names none; name both models`;
    expect(found({ agent, reviewer: { ...claude, allowSameVendor: true } })).toEqual([unknown("the reviewer")]);
    expect(found({ agent: claude, reviewer: { ...claude, model, allowSameVendor: true } })).toEqual([unknown("the agent")]);
    expect(found({ agent, reviewer: { ...claude, model: "/", allowSameVendor: true } })).toEqual([unknown("the reviewer")]);
  });

  it.each([
    "claude-sonnet-4.5",
    "openrouter/anthropic/claude-sonnet-4.5:thinking",
    "amazon-bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "claude-sonnet-4-5[1m]",
    "claude-sonnet-4-5@20250929",
    "claude-sonnet-4-5-2025-09-29",
    "claude-sonnet-4-5-latest",
    "amazon-bedrock/anthropic.claude-sonnet-4-5-20250929-v12:0",
    "amazon-bedrock/anthropic.claude-sonnet-4-5-20250929-v1:10",
    "amazon-bedrock/anthropic.claude-sonnet-4-5",
    "anthropic/claude-sonnet-4-5/",
  ])("is never the agent's model as others write it: %s", (written) => {
    const agent = { ...claude, model: "claude-sonnet-4-5" };
    expect(found({ agent, reviewer: { ...opencode, model: written, allowSameVendor: true } })).toEqual([
      "reviewer.model: is the agent's own model: it would review itself; name another model",
    ]);
  });

  it.each([
    ["ollama/llama3:8b-instruct", "ollama/llama3:70b-instruct"],
    ["ollama/llama3:8b", "ollama/llama3:70b"],
    ["moonshot/kimi-8k", "moonshot/kimi-latest-8k"],
    ["vendor/model", "vendor/model-1234567"],
    ["vendor/model-fast", "vendor/model[1m]-fast"],
  ])("is another model where not only how it is served differs: %s and %s", (one, other) => {
    const agent = { ...opencode, model: one };
    expect(found({ agent, reviewer: { ...opencode, model: other, allowSameVendor: true } })).toEqual([]);
  });

  it("is known for another model than the agent's: a name that means the newest of a line may be its own", () => {
    const perhaps = "reviewer.model: may be the agent's own model by another name; name both models in full";
    const pair = (agent: string, reviewer: string) =>
      found({ agent: { ...claude, model: agent }, reviewer: { ...claude, model: reviewer, allowSameVendor: true } });
    expect(pair("sonnet", "claude-sonnet-4-5")).toEqual([perhaps]);
    expect(pair("claude-opus-4-5", "opus")).toEqual([perhaps]);
    expect(pair("claude-opus-4-5", "default")).toEqual([perhaps]);
    expect(pair("sonnet", "claude-opus-4-5")).toEqual([]);
    expect(pair("claude-sonnet-4-5", "claude-sonnet-4")).toEqual([]);
  });

  it("is not the agent's own command", () => {
    const agent = command("node", "a.mjs");
    const itself = "reviewer.command: is the agent's own command: it would review itself; name another program";
    expect(found({ agent, reviewer: { ...command("node", "a.mjs"), allowSameVendor: true } })).toEqual([itself]);
    expect(found({ agent, reviewer: command("node", "b.mjs") })).toEqual([]);
    expect(found({ agent: claude, reviewer: command("node", "a.mjs") })).toEqual([]);
    expect(found({ agent, reviewer: command("node", "a.mjs", "--review") })).toEqual([]);
    expect(found({ agent, reviewer: command("a\nb") })).toEqual([expect.stringMatching(/^reviewer\.command\.0: /)]);
  });

  it("of a vendor runs in a sandbox, for money, by a key", () => {
    const agent = command("agent");
    expect(found({ agent, reviewer: codex, sandbox: "off" })).toEqual([
      'sandbox: codex never reviews without a sandbox; use "required"',
    ]);
    expect(found({ agent, reviewer: { ...codex, billing: "subscription" } })).toEqual([
      "reviewer.apiKeyEnv: is not for codex's subscription, which is used by the program's own login; leave it out",
    ]);
    expect(found({ agent, reviewer: { kind: "codex", billing: "subscription" } })).toEqual([]);
    expect(found({ agent, reviewer: { ...claude, billing: "subscription" } })).toEqual([]);
    expect(found({ agent, reviewer: { ...claude, program: "a\u0000b" } })).toEqual([
      expect.stringMatching(/^reviewer\.program: /),
    ]);
    expect(found({ agent, reviewer: { ...claude, usdPerReview: 0 } })).toEqual([
      "reviewer.usdPerReview: claude cannot review for nothing; set it above 0",
    ]);
    expect(found({ agent, reviewer: opencode })).toEqual(['reviewer: opencode needs a model; name it under "model"']);
    expect(found({ agent, reviewer: { kind: "claude" } })).toEqual([
      'reviewer: has no key; name the variable that holds it under "apiKeyEnv", or a secret of the batch under "apiKeySecret", or use "billing": "subscription"',
    ]);
  });

  it("that costs more than a limit could never start", () => {
    expect(found({ agent: command("agent"), reviewer: { ...command("r"), usdPerReview: 15 } })).toEqual([]);
    expect(found({ agent: command("agent"), reviewer: command("r"), limits: { usdPerAttempt: 20 } })).toEqual([]);
    expect(found({ agent: command("agent"), reviewer: { ...command("r"), usdPerReview: 60 } })).toEqual([
      "reviewer.usdPerReview: one review costs 60 dollars, more than limits.usdPerTicket of 15, limits.usdPerRun of 50: " +
        "none could ever start; lower it, or raise the limit",
    ]);
    expect(found({ agent: command("agent"), reviewer: codex, limits: { usdPerAttempt: 20 } })).toEqual([
      "limits.usdPerAttempt: one review costs 20 dollars, more than limits.usdPerTicket of 15: none could ever start; lower it, or raise the limit",
    ]);
  });
});
