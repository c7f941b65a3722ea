import { describe, expect, test } from "vitest";
import type { ModelUpstream } from "../src/gateway.ts";
import { scratchFolder } from "./scratch.ts";
import { type Answer, ask, json, modelGateway, SECRET, standIn, stream } from "./stage.ts";

const folder = scratchFolder();
const SSE = "/v1beta/models/mock-small-1:streamGenerateContent?alt=sse";
const ONCE = "/v1beta/models/mock-small-1:generateContent";
const COUNT = "/v1beta/models/mock-small-1:countTokens";

/** 100 of the prompt came from the cache, and it thought longer than it spoke. */
const USAGE = { promptTokenCount: 300, cachedContentTokenCount: 100, candidatesTokenCount: 40, thoughtsTokenCount: 60 };
/** Its cost at $1 for input, $5 for output and $0.1 for what is cached, per million. */
const USD = (200 + 100 * 5 + 100 * 0.1) / 1e6;

const piece = (over: object = {}) => ({
  candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, index: 0 }],
  modelVersion: "mock-small-1",
  ...over,
});
const last = (usage: object = USAGE) =>
  piece({ candidates: [{ content: { parts: [{ text: "." }] }, finishReason: "STOP" }], usageMetadata: usage });
const events = (...pieces: readonly object[]) => pieces.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`);
const body = (over: object = {}) => JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hello" }] }], ...over });

async function gateway(answer: Answer, over: Partial<ModelUpstream> = {}) {
  const api = await standIn(answer);
  const credential = { header: "x-goog-api-key", value: () => SECRET } as const;
  return { api, ...(await modelGateway(folder(), api.port, { api: "gemini", credential, ...over })) };
}

describe("Gemini's API", () => {
  test.each<[what: string, path: string, answer: Answer]>([
    ["one answer", ONCE, json(last())],
    ["events", SSE, stream(events(piece({ usageMetadata: { promptTokenCount: 300 } }), last()))],
    ["a list in pieces", SSE.replace("?alt=sse", ""), json([piece({ usageMetadata: { promptTokenCount: 300 } }), last()])],
  ])("%s: thoughts are billed as output, what is cached for less; the key is the engine's", async (_, path, answer) => {
    const { api, gateway: open, usages } = await gateway(answer);
    const reply = await ask(open, {
      path,
      body: body(),
      headers: { "x-goog-api-key": "sk-of-the-agent", "x-goog-user-project": "p" },
    });
    expect(reply).toMatchObject({ status: 200, whole: true });
    expect(usages).toMatchObject([{ model: "mock-small-1", input: 200, output: 100, cacheRead: 100 }]);
    expect(usages[0]?.usd).toBeCloseTo(USD, 12);
    expect(api.seen[0]).toMatchObject({ url: path, body: body(), headers: { "x-goog-api-key": SECRET } });
    expect(JSON.stringify(api.seen[0]?.headers)).not.toMatch(/of-the-agent|user-project/);
  });

  test.each<[what: string, answer: Answer]>([
    ["no last piece", stream(events(piece({ usageMetadata: USAGE })))],
    [
      "a last piece that does not say it",
      stream(events(piece({ usageMetadata: USAGE }), { ...last(), usageMetadata: undefined })),
    ],
    ["an error in the middle", stream(events(piece(), { error: { code: 500 } }, last()))],
    ["a piece that is none", stream(["data: {]\n\n", ...events(last())])],
    ["more cached than asked", stream(events(last({ ...USAGE, cachedContentTokenCount: 301 })))],
    ["sound, which costs more", stream(events(last({ ...USAGE, promptTokensDetails: [{ modality: "AUDIO", tokenCount: 1 }] })))],
    ["a tool of the vendor that read", stream(events(last({ ...USAGE, toolUsePromptTokenCount: 5 })))],
    ["a list whose last piece is missing", json([piece({ usageMetadata: USAGE })])],
  ])("%s: counts as what was set aside", async (_, answer) => {
    const { gateway: open, usages } = await gateway(answer);
    await ask(open, { path: SSE, body: body({ generationConfig: { maxOutputTokens: 1_000 } }) });
    expect(usages).toMatchObject([{ usd: null }]);
    // 1,000 tokens of output at $5, and the few of its input.
    expect(usages[0]?.countedUsd).toBeGreaterThan(0.005);
    expect(usages[0]?.countedUsd).toBeLessThan(0.0052);
  });

  test("what may be said at most bounds what is set aside: the greater of two writings, times the answers", async () => {
    const { gateway: open } = await gateway(json(last()), { capUsd: 0.03 });
    const may = (over: object) => ask(open, { path: ONCE, body: body(over) }).then(({ status }) => status);
    expect(await may({ generationConfig: { maxOutputTokens: 5_000 } })).toBe(200);
    expect(await may({ generation_config: { max_output_tokens: 5_000, candidate_count: 1 } })).toBe(200);
    expect(
      await may({ generationConfig: { maxOutputTokens: 10, candidateCount: 1 }, generation_config: { candidateCount: 900_000 } }),
    ).toBe(402);
  });

  test.each<[what: string, over: object]>([
    ["a file by URL", { contents: [{ parts: [{ fileData: { fileUri: "https://x.invalid" } }] }] }],
    ["the same in the other writing", { contents: [{ parts: [{ file_data: { file_uri: "https://x.invalid" } }] }] }],
    ["one part in the place of a list", { contents: { parts: { fileData: {} } } }],
    ["in the system's words", { system_instruction: { parts: [{ fileData: {} }] } }],
    ["in what a function gave back", { contents: [{ parts: [{ functionResponse: { parts: [{ fileData: {} }] } }] }] }],
    ["a stored context", { cachedContent: "cachedContents/x" }],
    ["the same in the other writing ", { cached_content: "cachedContents/x" }],
  ])("%s is refused, also where it is only counted", async (_, over) => {
    const { api, gateway: open } = await gateway(json(last()));
    for (const path of [ONCE, SSE, COUNT]) expect((await ask(open, { path, body: body(over) })).status).toBe(403);
    const nested = JSON.stringify({ generateContentRequest: { model: "x", ...JSON.parse(body(over)) } });
    expect((await ask(open, { path: COUNT, body: nested })).status).toBe(403);
    expect(api.seen).toEqual([]);
  });

  test("tools that the vendor runs are taken out, functions stay", async () => {
    const { api, gateway: open } = await gateway(json(last()));
    const functions = { functionDeclarations: [{ name: "ls" }] };
    const sent = async (over: object) => {
      expect((await ask(open, { path: ONCE, body: body(over) })).status).toBe(200);
      return JSON.parse(api.seen.at(-1)?.body ?? "") as { readonly tools?: unknown };
    };
    const search = [{ googleSearch: {} }, { google_search: {} }, { urlContext: {} }, { codeExecution: {} }, { fileSearch: {} }];
    expect((await sent({ tools: [functions, ...search] })).tools).toEqual([functions]);
    expect((await sent({ tools: [{ ...functions, googleSearch: {} }] })).tools).toEqual([functions]);
    expect(await sent({ tools: search, toolConfig: { retrievalConfig: {} } })).toEqual(JSON.parse(body()));
    expect(await sent({ tools: { googleSearch: {} } })).toMatchObject({ tools: [] });
    const own = body({ tools: [functions], toolConfig: { functionCallingConfig: { mode: "AUTO" } } });
    await ask(open, { path: ONCE, body: own });
    expect(api.seen.at(-1)?.body).toBe(own);
  });

  test("counting costs nothing, and is no answer of the model", async () => {
    const { gateway: open, usages } = await gateway(json({ totalTokens: 3 }));
    expect((await ask(open, { path: COUNT, body: body() })).status).toBe(200);
    expect(usages).toEqual([]);
  });

  test.each([
    ["another method of the API", "/v1beta/models/mock-small-1:batchGenerateContent"],
    ["its files", "/upload/v1beta/files"],
    ["a key in the address", `${ONCE}?key=sk-of-the-agent`],
    ["a name with a slash in it", "/v1beta/models/tuned%2Fx:generateContent"],
    ["a tuned model", "/v1beta/tunedModels/x:generateContent"],
    ["a way up", "/v1beta/models/..:generateContent"],
  ])("%s is not open", async (_, path) => {
    const { api, gateway: open } = await gateway(json(last()));
    const reply = await ask(open, { path, body: body() });
    expect(reply.status).toBe(403);
    expect(JSON.parse(reply.text)).toMatchObject({ error: { code: 403, status: "PERMISSION_DENIED" } });
    expect(reply.text).not.toContain("sk-of-the-agent");
    expect(api.seen).toEqual([]);
  });

  test("the path names the model that is paid for: another one in the body is refused", async () => {
    const { api, gateway: open } = await gateway(json(last()));
    expect((await ask(open, { path: ONCE, body: body({ model: "models/mock-large-1" }) })).status).toBe(400);
    expect(api.seen).toEqual([]);
    const dear = await gateway(json({ ...last(), modelVersion: "mock-large-1" }));
    await ask(dear.gateway, { path: ONCE, body: body() });
    expect(dear.usages[0]?.usd).toBeCloseTo(USD * 10, 12);
  });
});
