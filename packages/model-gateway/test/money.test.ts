import { describe, expect, it, vi } from "vitest";
import type { Price } from "../src/gateway.ts";
import { scratchFolder } from "./scratch.ts";
import {
  ANSWER_USD,
  type Answer,
  anthropicAnswer,
  anthropicEvents,
  ask,
  json,
  message,
  modelGateway,
  PRICES,
  sse,
  standIn,
  stream,
} from "./stage.ts";

const folder = scratchFolder();
const PATIENT = { timeout: 10_000, interval: 5 };

/** What one request with this answer was booked as. */
async function booked(options: {
  api?: "anthropic" | "openai";
  path?: string;
  body?: string;
  answer: Answer;
  prices?: readonly Price[];
  capUsd?: number;
}) {
  const vendor = await standIn(options.answer);
  const { gateway, usages } = await modelGateway(folder(), vendor.port, {
    api: options.api ?? "anthropic",
    prices: options.prices ?? PRICES,
    capUsd: options.capUsd ?? 10,
  });
  const reply = await ask(gateway, { path: options.path ?? "/v1/messages", body: options.body ?? message() });
  await vi.waitFor(() => expect(gateway.totals().reservedUsd).toBe(0), PATIENT);
  return { usage: usages[0], usages, reply, spentUsd: gateway.totals().spentUsd, seen: vendor.seen };
}

const usd = (dollars: number) => expect.closeTo(dollars, 12);
/** 1,000 tokens of output at $5 a million, and some input. */
const RESERVED = expect.closeTo(0.005, 3);
const CHAT = "/v1/chat/completions";
const chat = (over: object = {}) => message({ stream: true, ...over });
const chunk = (over: object) =>
  `data: ${JSON.stringify({ object: "chat.completion.chunk", model: "mock-small", choices: [], ...over })}\n\n`;
const CHAT_USAGE = { prompt_tokens: 130, completion_tokens: 40, total_tokens: 170, prompt_tokens_details: { cached_tokens: 30 } };
const USAGE = { input_tokens: 130, input_tokens_details: { cached_tokens: 30 }, output_tokens: 40, total_tokens: 170 };
const response = (type: string, over: object = {}) =>
  sse(type, { type, response: { model: "mock-small", usage: USAGE, ...over } });
const OPENAI_USD = (100 + 40 * 5 + 30 * 0.1) / 1e6;

describe("what an answer cost is read from", () => {
  it("Anthropic's JSON", async () => {
    const { usage, spentUsd } = await booked({ answer: json(anthropicAnswer()) });
    expect(usage).toEqual({
      model: "mock-small-1",
      input: 100,
      output: 40,
      cacheRead: 30,
      cacheWrite: 20,
      usd: usd(ANSWER_USD),
      countedUsd: usd(ANSWER_USD),
    });
    expect(spentUsd).toBeCloseTo(ANSWER_USD, 12);
  });

  it("Anthropic's stream, the last numbers counting", async () => {
    const { usage } = await booked({ answer: stream(anthropicEvents()) });
    expect(usage).toMatchObject({ input: 100, output: 40, cacheRead: 30, cacheWrite: 20, usd: usd(ANSWER_USD) });
    const late = await booked({ answer: stream(anthropicEvents({ delta: { input_tokens: 500, output_tokens: 60 } })) });
    expect(late.usage).toMatchObject({ input: 500, output: 60, cacheRead: 30 });
  });

  it("a stream cut anywhere into pieces, with CRLF, comments and one character at a time", async () => {
    const text = `: hi\r\n${anthropicEvents({ text: "Grüße 🔑 \\n\\ndata: {}" }).join("").replaceAll("\n", "\r\n")}`;
    const bytes = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
    const { usage } = await booked({
      answer: (_req, res) => {
        res.writeHead(200, { "content-type": "text/event-stream" });
        const next = (): void => {
          const byte = bytes.shift();
          if (byte === undefined) res.end();
          else res.write(byte, next);
        };
        next();
      },
    });
    expect(usage).toMatchObject({ input: 100, output: 40, usd: usd(ANSWER_USD) });
  });

  it("caches that live an hour, at their own price", async () => {
    const written = {
      cache_creation_input_tokens: 20,
      cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 15 },
    };
    const { usage } = await booked({ answer: json(anthropicAnswer(written)) });
    expect(usage).toMatchObject({ cacheWrite: 20, usd: usd((100 + 200 + 3 + 5 * 1.25 + 15 * 2) / 1e6) });
  });

  it.each([
    ["Responses", "/v1/responses", json({ model: "mock-small", usage: USAGE })],
    [
      "a stream of Responses",
      "/v1/responses",
      stream([sse("response.created", { type: "response.created", response: { usage: null } }), response("response.completed")]),
    ],
    ["a stream of Responses that ran full", "/v1/responses", stream([response("response.incomplete")])],
    ["a chat", CHAT, json({ model: "mock-small", usage: CHAT_USAGE })],
    [
      "a streamed chat",
      CHAT,
      stream([chunk({ usage: null, choices: [{ delta: { content: "hi" } }] }), chunk({ usage: CHAT_USAGE }), "data: [DONE]\n\n"]),
    ],
  ])("OpenAI's %s", async (_what, path, answer) => {
    const { usage } = await booked({ api: "openai", path, body: chat(), answer });
    expect(usage).toEqual({
      model: "mock-small",
      input: 100,
      output: 40,
      cacheRead: 30,
      cacheWrite: 0,
      usd: usd(OPENAI_USD),
      countedUsd: usd(OPENAI_USD),
    });
  });

  it("a streamed chat that did not ask for it: it is asked for", async () => {
    const { seen } = await booked({
      api: "openai",
      path: CHAT,
      body: chat({ stream_options: { include_usage: false, x: 1 } }),
      answer: stream([]),
    });
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ stream_options: { include_usage: true, x: 1 } });
  });
});

describe("what is not known costs what was set aside:", () => {
  const [START = "", , , TEXT = "", , DELTA = "", STOP = ""] = anthropicEvents();
  it.each([
    ["no usage", json({ model: "mock-small-1" })],
    ["negative usage", json(anthropicAnswer({ output_tokens: -5 }))],
    ["usage in words", json(anthropicAnswer({ input_tokens: "100" }))],
    ["half a token", json(anthropicAnswer({ cache_read_input_tokens: 0.5 }))],
    ["usage past counting", json(anthropicAnswer({ output_tokens: 1e300 }))],
    ["no JSON", (_req, res) => void res.writeHead(200, { "content-type": "application/json" }).end("{")],
    ["no object", json([anthropicAnswer()])],
    [
      "another content type",
      (_req, res) => void res.writeHead(200, { "content-type": "text/html" }).end(JSON.stringify(anthropicAnswer())),
    ],
    ["no content type", (_req, res) => void res.writeHead(200).end(JSON.stringify(anthropicAnswer()))],
    ["nothing at all", (_req, res) => void res.writeHead(200, { "content-type": "text/event-stream" }).end()],
    ["a stream without its start", stream([TEXT, DELTA, STOP])],
    ["a stream without its numbers", stream([START, TEXT, STOP])],
    ["a stream without its end", stream([START, TEXT, DELTA])],
    ["a stream whose end no empty line ends", stream([START, TEXT, DELTA, STOP.trimEnd()])],
    ["a stream with a broken event", stream([START, 'data: {"type":"content\n\n', DELTA, STOP])],
    ["a stream with an error", stream([START, sse("error", { type: "error", error: {} }), DELTA, STOP])],
    [
      "a stream whose numbers are none",
      stream([START, sse("message_delta", { type: "message_delta", usage: { output_tokens: null } }), DELTA, STOP]),
    ],
    ["tools of the vendor's", json(anthropicAnswer({ server_tool_use: { web_search_requests: 1 } }))],
    ["a dearer service", json(anthropicAnswer({ service_tier: "priority" }))],
    ["a faster service", json(anthropicAnswer({ speed: "fast" }))],
    ["a model without a price", json({ ...anthropicAnswer(), model: "other" })],
  ] as const satisfies readonly (readonly [string, Answer])[])("%s", async (_what, answer) => {
    const { usages, spentUsd, reply } = await booked({ answer });
    expect(reply.status).toBe(200);
    expect(usages).toMatchObject([{ usd: null, countedUsd: RESERVED }]);
    expect(spentUsd).toEqual(RESERVED);
  });

  it.each([
    ["a chat without its end", CHAT, stream([chunk({ usage: CHAT_USAGE })])],
    ["a chat without its numbers", CHAT, stream([chunk({}), "data: [DONE]\n\n"])],
    [
      "a chat with an error",
      CHAT,
      stream([chunk({ usage: CHAT_USAGE }), chunk({ error: { message: "x" } }), "data: [DONE]\n\n"]),
    ],
    [
      "Responses without their end",
      "/v1/responses",
      stream([sse("response.created", { type: "response.created", response: { usage: USAGE } })]),
    ],
    ["Responses that failed", "/v1/responses", stream([response("response.failed", { usage: null })])],
    ["more from the cache than there is", "/v1/responses", json({ model: "mock-small", usage: { ...USAGE, input_tokens: 3 } })],
    ["a dearer tier", "/v1/responses", json({ model: "mock-small", usage: USAGE, service_tier: "priority" })],
  ])("OpenAI, %s", async (_what, path, answer) => {
    const body = message({ stream: true, max_output_tokens: 1000 });
    expect((await booked({ api: "openai", path, body, answer })).usages).toMatchObject([{ usd: null, countedUsd: RESERVED }]);
  });

  it("a request for something dearer than the price list says", async () => {
    for (const over of [{ speed: "fast" }, { service_tier: "priority" }, { inference_geo: "us" }, { service_tier: "?" }]) {
      const { usages } = await booked({ answer: json(anthropicAnswer()), body: message(over), capUsd: 2 });
      expect(usages).toMatchObject([{ usd: null, countedUsd: 2 }]);
    }
  });
});

describe("a model that is not what it says", () => {
  it("costs what the dearer of the two costs", async () => {
    const cheap = await booked({
      body: message({ model: "mock-small" }),
      answer: json({ ...anthropicAnswer(), model: "mock-large-1" }),
    });
    expect(cheap.usage).toMatchObject({ model: "mock-large-1", usd: usd((1000 + 40 * 50 + 30 + 20 * 12.5) / 1e6) });
    const dear = await booked({ body: message({ model: "mock-large-1" }), answer: json(anthropicAnswer()) });
    expect(dear.usage?.usd).toBeCloseTo(cheap.usage?.usd ?? 0, 12);
  });

  it("named twice is one, the same for both sides", async () => {
    const body = message().replace('"model"', '"model":"mock-large-9","mod\\u0065l"');
    const { seen } = await booked({ body, answer: json(anthropicAnswer()) });
    expect(seen[0]?.body).not.toContain("mock-large-9");
    expect(JSON.parse(seen[0]?.body ?? "").model).toBe("mock-small-1");
  });

  it("with more to read than one price is for costs the other price", async () => {
    const long = { above: 1000, input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };
    const prices = PRICES.map((price) => ({ ...price, long }));
    const { usage } = await booked({
      prices,
      answer: json(anthropicAnswer({ input_tokens: 960, cache_read_input_tokens: 41, cache_creation_input_tokens: 0 })),
    });
    expect(usage).toMatchObject({ usd: usd((960 * 2 + 40 * 10 + 41 * 0.2) / 1e6) });
  });
});

describe("a model without a price", () => {
  it("takes all that is left, goes alone, and is the last", async () => {
    let go: () => void = () => undefined;
    const vendor = await standIn((_req, res) => {
      go = () => void json({ ...anthropicAnswer(), model: "unknown" })(_req, res, { method: "", url: "", headers: {}, body: "" });
    });
    const { gateway, usages, cuts } = await modelGateway(folder(), vendor.port, { capUsd: 3 });
    const first = ask(gateway, { body: message({ model: "unknown" }) });
    await vi.waitFor(() => expect(vendor.seen).toHaveLength(1), PATIENT);
    expect(gateway.totals().reservedUsd).toBe(3);
    expect(await ask(gateway, { body: message() })).toMatchObject({ status: 429, headers: { "x-should-retry": "true" } });
    go();
    expect((await first).status).toBe(200);
    await vi.waitFor(() => expect(usages).toMatchObject([{ model: "unknown", usd: null, countedUsd: 3 }]), PATIENT);
    expect(await ask(gateway, { body: message() })).toMatchObject({ status: 402 });
    expect(cuts).toHaveLength(1);
    expect(vendor.seen).toHaveLength(1);
  });

  it("waits for others that are under way", async () => {
    const vendor = await standIn(() => undefined);
    const { gateway } = await modelGateway(folder(), vendor.port, { capUsd: 3 });
    const first = ask(gateway, { body: message() }).catch(() => undefined);
    await vi.waitFor(() => expect(vendor.seen).toHaveLength(1), PATIENT);
    expect((await ask(gateway, { body: message({ model: "unknown" }) })).status).toBe(429);
    await gateway.close();
    await first;
  });
});
