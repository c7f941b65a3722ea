import { describe, expect, it } from "vitest";
import type { ModelUpstream } from "../src/gateway.ts";
import { scratchFolder } from "./scratch.ts";
import { ask, json, modelGateway, SECRET, sse, standIn, stream } from "./stage.ts";

const folder = scratchFolder();
const USAGE = { promptTokenCount: 100, candidatesTokenCount: 40, totalTokenCount: 140 };
const PIECE = {
  response: {
    candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
    usageMetadata: USAGE,
    modelVersion: "mock-small-1",
  },
  traceId: "t",
};
/** 100 × $1 + 40 × $5, per million. */
const USD = 300 / 1e6;

const upstream: Partial<ModelUpstream> = {
  api: "code-assist",
  credential: { header: "bearer", value: () => SECRET },
  codeAssist: async () => ({ project: "own-project", tier: "standard-tier" }),
};
const request = (over: object = {}, inner: object = {}) =>
  JSON.stringify({
    model: "mock-small-1",
    project: "own-project",
    user_prompt_id: "p-1",
    request: { contents: [{ role: "user", parts: [{ text: "hi" }] }], ...inner },
    ...over,
  });

describe("Google's Code Assist behind the gateway", () => {
  it.each([
    ["streamed", "/v1internal:streamGenerateContent?alt=sse", stream([`data: ${JSON.stringify(PIECE)}\n\n`])],
    ["whole", "/v1internal:generateContent", json(PIECE)],
  ])("counts an answer that is %s", async (_, path, answer) => {
    const vendor = await standIn(answer);
    const { gateway } = await modelGateway(folder(), vendor.port, upstream);
    expect(await ask(gateway, { path, body: request() })).toMatchObject({ status: 200 });
    expect(vendor.seen[0]).toMatchObject({ url: path, headers: { authorization: `Bearer ${SECRET}` } });
    expect(gateway.totals().spentUsd).toBeCloseTo(USD, 9);
  });

  it("counts as the most that it can cost if the answer tells no cost", async () => {
    const vendor = await standIn(stream([sse("message", { response: { candidates: [] } })]));
    const { gateway, usages } = await modelGateway(folder(), vendor.port, upstream);
    await ask(gateway, { path: "/v1internal:streamGenerateContent?alt=sse", body: request() });
    expect(usages).toMatchObject([{ usd: null }]);
  });

  it("bills the login's project, and no credits, whatever a request names", async () => {
    const vendor = await standIn(json(PIECE));
    const { gateway } = await modelGateway(folder(), vendor.port, upstream);
    const tools = [{ functionDeclarations: [{ name: "run" }] }, { googleSearch: {} }];
    const body = request({ project: "another", enabled_credit_types: ["GOOGLE_ONE_AI"], other: 1 }, { tools });
    expect(await ask(gateway, { path: "/v1internal:generateContent", body })).toMatchObject({ status: 200 });
    expect(JSON.parse(vendor.seen[0]?.body ?? "")).toEqual({
      model: "mock-small-1",
      project: "own-project",
      user_prompt_id: "p-1",
      request: { contents: [{ role: "user", parts: [{ text: "hi" }] }], tools: [tools[0]] },
    });
  });

  it("answers about the account itself", async () => {
    const vendor = await standIn(json({}));
    const { gateway } = await modelGateway(folder(), vendor.port, upstream);
    const reply = await ask(gateway, { path: "/v1internal:loadCodeAssist", body: "{}" });
    expect(JSON.parse(reply.text)).toEqual({ currentTier: { id: "standard-tier" }, cloudaicompanionProject: "own-project" });
    expect(vendor.seen).toEqual([]);
  });

  it.each([
    ["POST", "/v1internal:onboardUser"],
    ["POST", "/v1internal:setCodeAssistGlobalUserSetting"],
    ["GET", "/v1internal:getCodeAssistGlobalUserSetting"],
    ["POST", "/v1internal:recordCodeAssistMetrics"],
    ["POST", "/v1beta/models/mock-small-1:generateContent"],
    ["POST", "/token"],
  ])("is not asked for %s %s", async (method, path) => {
    const vendor = await standIn(json({}));
    const { gateway } = await modelGateway(folder(), vendor.port, upstream);
    expect(await ask(gateway, { method, path, ...(method === "GET" ? {} : { body: "{}" }) })).toMatchObject({ status: 403 });
    expect(vendor.seen).toEqual([]);
  });

  it.each([
    ["no request", request({ request: 1 })],
    ["no model", request({ model: 1 })],
    ["a model inside as well", request({}, { model: "mock-large" })],
    ["no JSON", "{"],
  ])("refuses %s", async (_, body) => {
    const vendor = await standIn(json({}));
    const { gateway } = await modelGateway(folder(), vendor.port, upstream);
    expect(await ask(gateway, { path: "/v1internal:generateContent", body })).toMatchObject({ status: 400 });
    expect(vendor.seen).toEqual([]);
  });

  it("refuses a file by its address", async () => {
    const vendor = await standIn(json({}));
    const { gateway } = await modelGateway(folder(), vendor.port, upstream);
    const body = request({}, { contents: [{ parts: [{ file_data: { file_uri: "https://example.com" } }] }] });
    expect(await ask(gateway, { path: "/v1internal:generateContent", body })).toMatchObject({ status: 403 });
  });
});
