import { describe, expect, it } from "vitest";
import type { ModelPlatform, ModelUpstream } from "../src/gateway.ts";
import { apiRoutes, matchRoute } from "../src/server/models/routes.ts";
import { bedrockChunk, bedrockException } from "./aws-event-stream.ts";
import { scratchFolder } from "./scratch.ts";
import { type Answer, anthropicAnswer, anthropicEvents, ask, json, modelGateway, SECRET, standIn, stream } from "./stage.ts";

const folder = scratchFolder();
const MODEL = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
const ARN = "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc123";
const BEDROCK: ModelPlatform = { kind: "bedrock", model: MODEL };
const VERTEX: ModelPlatform = {
  kind: "vertex",
  project: "my-project",
  region: "europe-west1",
  model: "claude-sonnet-4-5@20250929",
};
const GEMINI: ModelPlatform = { ...VERTEX, model: "gemini-2.5-pro" };
const MODELS = "/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models";
const GOOGLE = "/v1beta1/projects/my-project/locations/europe-west1/publishers/google/models";
const RATES = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, maxOutput: 10_000 };
const INVOKE = `/model/${MODEL}/invoke`;
const STREAM = `${INVOKE}-with-response-stream`;
const COUNT = `/model/${MODEL}/count-tokens`;

type Api = Pick<ModelUpstream, "api" | "platform">;
const bedrock: Api = { api: "anthropic", platform: BEDROCK };
const vertex: Api = { api: "anthropic", platform: VERTEX };
const google: Api = { api: "gemini", platform: GEMINI };

describe("the routes of a platform", () => {
  it.each<[Api, string, string]>([
    [bedrock, INVOKE, MODEL],
    [bedrock, STREAM, MODEL],
    [bedrock, `/model/${encodeURIComponent(MODEL)}/invoke`, MODEL],
    [bedrock, COUNT, MODEL],
    [bedrock, "/model/anthropic.claude-sonnet-4-5-20250929-v1:0/count-tokens", MODEL],
    [{ api: "anthropic", platform: { kind: "bedrock", model: ARN } }, `/model/${ARN.replace("/", "%2F")}/invoke`, ARN],
    [{ api: "anthropic", platform: { kind: "bedrock", model: ARN } }, `/model/${encodeURIComponent(ARN)}/invoke`, ARN],
    [vertex, `${MODELS}/claude-sonnet-4-5@20250929:rawPredict`, "claude-sonnet-4-5@20250929"],
    [vertex, `${MODELS}/claude-sonnet-4-5%4020250929:streamRawPredict`, "claude-sonnet-4-5@20250929"],
    [google, `${GOOGLE}/gemini-2.5-pro:streamGenerateContent?alt=sse`, "gemini-2.5-pro"],
    [google, `${GOOGLE}/gemini-2.5-pro:generateContent`, "gemini-2.5-pro"],
    [google, `${GOOGLE}/gemini-2.5-pro:countTokens`, "gemini-2.5-pro"],
  ])("%o has %s", (api, target, model) => expect(matchRoute(apiRoutes(api), "POST", target).model).toBe(model));

  it.each<[Api, string, string]>([
    [bedrock, "POST", "/v1/messages"],
    [bedrock, "GET", "/inference-profiles?type=SYSTEM_DEFINED"],
    [bedrock, "GET", INVOKE],
    [bedrock, "POST", "/model/eu.anthropic.claude-opus-4-1-20250805-v1:0/invoke"],
    [bedrock, "POST", "/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/invoke"],
    [bedrock, "POST", "/model/anthropic.claude-sonnet-4-5-20250929-v1:0/invoke"],
    [bedrock, "POST", `/model/${MODEL}/converse`],
    [bedrock, "POST", `/model/${MODEL}/async-invoke`],
    [bedrock, "POST", `${INVOKE}/`],
    [bedrock, "POST", `${INVOKE}?x=1`],
    [bedrock, "POST", `/model/${MODEL}%2Finvoke`],
    [bedrock, "POST", `/model/${MODEL}/../${MODEL}/invoke`],
    [bedrock, "POST", `/model/x%2F..%2F${MODEL}/invoke`],
    [bedrock, "POST", `/model/${MODEL.replaceAll(".", "%2E")}/invoke`],
    [bedrock, "POST", `/model/${MODEL.replaceAll(".", "x")}/invoke`],
    [bedrock, "POST", `/Model/${MODEL}/invoke`],
    [{ api: "anthropic", platform: { kind: "bedrock", model: ARN } }, "POST", `/model/${ARN}/invoke`],
    [{ api: "anthropic", platform: { kind: "bedrock", model: ARN } }, "POST", `/model/${ARN.replace("/", "%2f")}/invoke`],
    [vertex, "POST", `${MODELS}/claude-opus-4-1@20250805:streamRawPredict`],
    [vertex, "POST", `${MODELS.replace("my-project", "other")}/claude-sonnet-4-5@20250929:rawPredict`],
    [vertex, "POST", `${MODELS.replace("europe-west1", "us-east5")}/claude-sonnet-4-5@20250929:rawPredict`],
    [vertex, "POST", `${MODELS.replace("anthropic", "google")}/claude-sonnet-4-5@20250929:rawPredict`],
    [vertex, "POST", `${MODELS}/claude-sonnet-4-5@20250929:predict`],
    [vertex, "POST", `${MODELS}/claude-sonnet-4-5@20250929:rawPredict?key=x`],
    [vertex, "POST", `${MODELS}/claude-sonnet-4-5@20250929:rawPredict??`],
    [vertex, "POST", `${MODELS}/../models/claude-sonnet-4-5@20250929:rawPredict`],
    [vertex, "POST", `/v1/projects/my-project%2Flocations/locations/europe-west1/publishers/anthropic/models/a:rawPredict`],
    [google, "POST", "/v1beta/models/gemini-2.5-pro:generateContent"],
    [google, "POST", `${GOOGLE}/gemini-2.5-flash:generateContent`],
    [google, "POST", `${GOOGLE}/gemini-2.5-pro:predictLongRunning`],
    [google, "POST", `${GOOGLE}/gemini-2.5-pro:streamGenerateContent?alt=sse&alt=sse`],
    [google, "POST", `${GOOGLE.replace("my-project", "other")}/gemini-2.5-pro:generateContent`],
  ])("%o has no %s %s", (api, method, target) => {
    expect(() => matchRoute(apiRoutes(api), method, target)).toThrow(expect.objectContaining({ name: "Refusal", status: 403 }));
  });

  it("are those of a program that knows the platform", () => {
    expect(() => apiRoutes({ api: "openai", platform: BEDROCK })).toThrow(TypeError);
    expect(() => apiRoutes({ api: "gemini", platform: BEDROCK })).toThrow(TypeError);
  });
});

/** The events as Bedrock frames them. */
const framed = (events: readonly string[]): readonly Buffer[] =>
  events.map((event) => bedrockChunk(JSON.parse(event.split("data: ")[1] ?? "")));

const bytes =
  (chunks: readonly Buffer[]): Answer =>
  (_req, res) => {
    res.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
    for (const chunk of chunks) res.write(chunk);
    res.end();
  };

async function gateway(answer: Answer, over: Partial<ModelUpstream> = {}) {
  const api = await standIn(answer);
  const credential = { header: "bearer", value: () => SECRET } as const;
  const prices = [{ model: "*", ...RATES }];
  return { api, ...(await modelGateway(folder(), api.port, { ...bedrock, credential, prices, ...over })) };
}

const body = (over: object = {}) =>
  JSON.stringify({
    anthropic_version: "bedrock-2023-05-31",
    max_tokens: 1000,
    messages: [{ role: "user", content: "hi" }],
    ...over,
  });
const counted = (request: string | Buffer, over: object = {}) =>
  JSON.stringify({ input: { invokeModel: { body: Buffer.from(request).toString("base64"), ...over } } });
/** 100 of input, 40 of output, 30 from the cache and 20 to it. */
const USD = (100 + 40 * 5 + 30 * 0.1 + 20 * 1.25) / 1e6;

describe("a model on Bedrock", () => {
  it("is asked with the engine's token, and billed by what its event stream says", async () => {
    const { api, gateway: open, usages } = await gateway(bytes(framed(anthropicEvents())));
    const headers = { authorization: "Bearer of-the-agent", "x-amzn-bedrock-performanceconfig-latency": "optimized" };
    const reply = await ask(open, { path: STREAM, body: body(), headers });
    expect(reply).toMatchObject({ status: 200, whole: true });
    expect(usages).toMatchObject([{ input: 100, output: 40, cacheRead: 30, cacheWrite: 20 }]);
    expect(usages[0]?.usd).toBeCloseTo(USD, 12);
    expect(api.seen[0]).toMatchObject({ url: STREAM, body: body(), headers: { authorization: `Bearer ${SECRET}` } });
    expect(Object.keys(api.seen[0]?.headers ?? {}).filter((name) => name.startsWith("x-amz"))).toEqual([]);
  });

  it("answers at once, and is billed too", async () => {
    const { gateway: open, usages } = await gateway(json(anthropicAnswer()));
    expect(await ask(open, { path: INVOKE, body: body() })).toMatchObject({ status: 200 });
    expect(usages[0]?.usd).toBeGreaterThan(0);
  });

  it("is billed by the price of the requested id if the answer's name for it has none", async () => {
    const prices = [{ model: "eu.anthropic.claude-sonnet-4-5*", ...RATES }];
    const { gateway: open, usages } = await gateway(bytes(framed(anthropicEvents({ model: "claude-sonnet-4-5" }))), { prices });
    await ask(open, { path: STREAM, body: body() });
    expect(usages[0]?.usd).toBeCloseTo(USD, 12);
  });

  const good = framed(anthropicEvents());
  const flipped = good.map((chunk, i) =>
    i < good.length - 1 ? chunk : Buffer.concat([chunk.subarray(0, -1), Buffer.from([0])]),
  );
  it.each<[string, readonly Buffer[]]>([
    ["an exception in the middle", [...good.slice(0, 4), bedrockException("throttlingException"), ...good.slice(4)]],
    ["no end", good.slice(0, -1)],
    ["a wrong checksum at the end", flipped],
    ["half a message behind the end", [...good, good[0]?.subarray(0, 20) ?? Buffer.alloc(0)]],
    ["server-sent events in its place", [Buffer.from(anthropicEvents().join(""))]],
  ])("counts as what was set aside: %s", async (_, chunks) => {
    const { gateway: open, usages } = await gateway(bytes(chunks));
    await ask(open, { path: STREAM, body: body() });
    expect(usages).toMatchObject([{ usd: null }]);
    expect(usages[0]?.countedUsd).toBeGreaterThan(0.005);
  });

  it("gives no token away, wherever it begins in its base64", async () => {
    for (const text of [SECRET, `a${SECRET}`, `ab${SECRET}`]) {
      const { gateway: open } = await gateway(bytes(framed(anthropicEvents({ text }))));
      const { text: answer } = await ask(open, { path: STREAM, body: body() });
      const decoded = [...answer.matchAll(/"bytes":"([^"]*)"/g)].map(([, chunk = ""]) => Buffer.from(chunk, "base64").toString());
      expect(decoded.length).toBeGreaterThan(3);
      expect(decoded.join("")).not.toContain(SECRET.slice(2, -2));
    }
  });

  it("counts tokens of a request that passes the same checks", async () => {
    const { api, gateway: open, usages } = await gateway(json({ inputTokens: 10 }));
    expect(await ask(open, { path: COUNT, body: counted(body()) })).toMatchObject({ status: 200 });
    expect(api.seen[0]?.body).toBe(counted(body()));
    expect(usages).toEqual([]);
  });

  it.each<[string, string, number]>([
    ["no request in it", "{}", 400],
    ["a request in another form", JSON.stringify({ input: { converse: { messages: [] } } }), 400],
    ["two requests", JSON.stringify({ input: { invokeModel: { body: "e30=" }, converse: {} } }), 400],
    ["more than a body", counted(body(), { modelId: "other" }), 400],
    ["what is no base64", JSON.stringify({ input: { invokeModel: { body: "{}" } } }), 400],
    ["a file by URL", counted(body({ mcp_servers: [{ type: "url", url: "https://evil.example" }] })), 403],
  ])("counts no tokens of %s", async (_, sent, status) => {
    const { api, gateway: open } = await gateway(json({ inputTokens: 10 }));
    expect(await ask(open, { path: COUNT, body: sent })).toMatchObject({ status });
    expect(api.seen).toEqual([]);
  });
});

describe("the way out through a platform's vendor", () => {
  const search = {
    tools: [
      { type: "web_search_20250305", name: "web_search" },
      { name: "mine", input_schema: {} },
    ],
  };
  const outside = {
    messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url: "https://evil.example" } }] }],
  };
  const CLAUDE = `${MODELS}/claude-sonnet-4-5@20250929:streamRawPredict`;

  it.each<[Api, string]>([
    [bedrock, STREAM],
    [vertex, CLAUDE],
  ])("is closed: %o", async (api, path) => {
    const { api: vendor, gateway: open } = await gateway(json(anthropicAnswer()), api);
    expect(await ask(open, { path, body: body(outside) })).toMatchObject({ status: 403 });
    expect(await ask(open, { path, body: body({ mcp_servers: [{ type: "url" }] }) })).toMatchObject({ status: 403 });
    expect(await ask(open, { path, body: body({ model: "claude-opus-4-1" }) })).toMatchObject({ status: 400 });
    expect(vendor.seen).toEqual([]);
    expect(await ask(open, { path, body: body(search) })).toMatchObject({ status: 200 });
    expect(JSON.parse(vendor.seen[0]?.body ?? "")).toMatchObject({ tools: [{ name: "mine" }] });
  });

  it("is closed in what counts tokens, which names its model in the body", async () => {
    const { api: vendor, gateway: open } = await gateway(json({ input_tokens: 10 }), vertex);
    const path = `${MODELS}/count-tokens:rawPredict`;
    const model = "claude-sonnet-4-5@20250929";
    expect(await ask(open, { path, body: body({ model, ...outside }) })).toMatchObject({ status: 403 });
    expect(await ask(open, { path, body: body({ model: "claude-opus-4-1@20250805" }) })).toMatchObject({ status: 403 });
    expect(await ask(open, { path, body: body() })).toMatchObject({ status: 400 });
    expect(vendor.seen).toEqual([]);
    expect(await ask(open, { path, body: body({ model }) })).toMatchObject({ status: 200 });
  });

  it("is closed for Gemini: search, and files by their address", async () => {
    const { api: vendor, gateway: open } = await gateway(json({ candidates: [] }), google);
    const path = `${GOOGLE}/gemini-2.5-pro:generateContent`;
    const contents = [{ role: "user", parts: [{ fileData: { fileUri: "gs://bucket/secret" } }] }];
    expect(await ask(open, { path, body: JSON.stringify({ contents }) })).toMatchObject({ status: 403 });
    const tools = [{ googleSearch: {} }, { enterpriseWebSearch: {} }, { retrieval: {} }, { functionDeclarations: [] }];
    await ask(open, { path, body: JSON.stringify({ contents: [], tools }) });
    expect(JSON.parse(vendor.seen[0]?.body ?? "")).toMatchObject({ tools: [{ functionDeclarations: [] }] });
  });
});

describe("a model on Vertex", () => {
  it("is billed by its server-sent events", async () => {
    const { gateway: open, usages } = await gateway(stream(anthropicEvents()), vertex);
    await ask(open, { path: `${MODELS}/claude-sonnet-4-5@20250929:streamRawPredict`, body: body() });
    expect(usages[0]?.usd).toBeCloseTo(USD, 12);
  });
});
