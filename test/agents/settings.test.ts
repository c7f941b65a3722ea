import { beforeEach, describe, expect, test } from "vitest";
import { gemini } from "../../src/adapters/agent/vendors/gemini/launch.ts";
import { opencode } from "../../src/adapters/agent/vendors/opencode/launch.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { whyWithout } from "./programs.ts";
import { runAgent } from "./stage.ts";
import { chatStandIn, geminiStandIn, responsesStandIn, type Script } from "./stand-in.ts";

const folder = scratchFolder();
const done: Script = () => ({ say: "It is done." });

interface GeminiBody {
  readonly generationConfig?: { readonly thinkingConfig?: object };
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
}

describe("gemini", { timeout: 300_000 }, () => {
  const missing = whyWithout("gemini");
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test.each([
    ["gemini-2.5-pro", "low", { thinkingBudget: 1024 }],
    ["gemini-3.1-pro-preview", "low", { thinkingLevel: "LOW" }],
  ] as const)("%s is asked, and thinks as much as it is told", async (model, effort, thinking) => {
    const api = await geminiStandIn(done);
    const run = await runAgent(folder(), gemini, api.port, { options: { model, effort } });
    expect(run.stop).toBeUndefined();
    expect(api.seen.length).toBeGreaterThan(0);
    for (const { url } of api.seen) expect(url).toContain(`/models/${model}:`);
    const body = JSON.parse(api.seen.at(-1)?.body ?? "") as GeminiBody;
    expect(body.generationConfig?.thinkingConfig).toMatchObject(thinking);
  });

  test("without a model's name it takes its best, asks no other, and offers no tool that its vendor would run", async () => {
    const api = await geminiStandIn(done);
    const run = await runAgent(folder(), gemini, api.port);
    expect(run.stop).toBeUndefined();
    const models = new Set(api.seen.map(({ url }) => /models\/([\w.-]+):/.exec(url)?.[1]));
    expect([...models]).toEqual([expect.stringMatching(/^gemini-[\d.]+-pro/)]);
    const { tools } = JSON.parse(api.seen.at(-1)?.body ?? "") as GeminiBody;
    const names = tools?.flatMap((tool) => tool.functionDeclarations?.map(({ name }) => name));
    expect(names).toContain("run_shell_command");
    expect(names).not.toContain("web_fetch");
    expect(names).not.toContain("google_web_search");
  });

  test("a stop in a loop of its own is told by it as a success, and is none", async () => {
    const api = await geminiStandIn(() => ({ tool: { name: "run_shell_command", input: { command: "true" } } }));
    const run = await runAgent(folder(), gemini, api.port);
    expect(run.exitCode).toBe(0);
    expect(run.stop).toMatchObject({ kind: "unfinished", says: expect.stringMatching(/loop/i) });
  });

  test("a wrong key is 400 there, and told as what it is", async () => {
    const error = "API key not valid. Please pass a valid API key.";
    const api = await geminiStandIn(() => ({ status: 400, error }));
    const run = await runAgent(folder(), gemini, api.port, { options: { retries: 1 } });
    expect(run.stop).toMatchObject({ kind: "authentication" });
  });
});

describe("opencode", { timeout: 300_000 }, () => {
  const missing = whyWithout("opencode");
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test("one request a turn, of the model and the effort that it is told", async () => {
    const api = await chatStandIn(done);
    const run = await runAgent(folder(), opencode, api.port, { options: { model: "vendor/some-model", effort: "high" } });
    expect(run.stop).toBeUndefined();
    const asked = api.seen.map(({ body }) => JSON.parse(body));
    expect(asked).toMatchObject([{ model: "vendor/some-model", reasoning_effort: "high", max_tokens: 16_000 }]);
  });

  test("OpenAI's own API is asked by its Responses", async () => {
    const api = await responsesStandIn((turn) =>
      turn === 0
        ? { tool: { name: "bash", input: { command: "echo done > made.txt", description: "x" } } }
        : { say: "It is done." },
    );
    const options = { model: "gpt-5.3-codex", baseUrl: "https://api.openai.com/v1", effort: "low" } as const;
    const run = await runAgent(folder(), opencode, api.port, { options });
    expect(run.stop).toBeUndefined();
    expect(run.activity.at(-1)).toBe("It is done.");
    expect(JSON.parse(api.seen[0]?.body ?? "")).toMatchObject({ model: "gpt-5.3-codex", reasoning: { effort: "low" } });
  });
});
