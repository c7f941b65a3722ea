import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Gateway, GatewayOptions, ModelUpstream, ModelUsage, Price } from "../src/gateway.ts";
import { openGatewayAt } from "../src/server/open-gateway.ts";

/** What the engine adds; no answer may ever show it. */
export const SECRET = "sk-ant-of-the-engine-0123456789";

export const PRICES: readonly Price[] = [
  { model: "mock-large*", input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5, maxOutput: 10_000 },
  { model: "mock-*", input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, maxOutput: 10_000 },
];

/** A request as the vendor's stand-in saw it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (req: IncomingMessage, res: ServerResponse, seen: Seen) => void;

export interface StandIn {
  readonly port: number;
  readonly seen: Seen[];
  /** Connections that are open to it. */
  readonly open: () => number;
  close(): void;
}

/** The vendor's API, on loopback: real HTTP, and bytes as the vendor writes them. */
export async function standIn(answer: Answer, tls?: { key: string; cert: string }): Promise<StandIn> {
  const seen: Seen[] = [];
  const sockets = new Set<object>();
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    const chunks: Buffer[] = [];
    res.on("error", () => undefined);
    req.on("error", () => undefined);
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const it = { method: req.method ?? "", url: req.url ?? "", headers: req.headers, body: Buffer.concat(chunks).toString() };
      seen.push(it);
      answer(req, res, it);
    });
  };
  const server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const port = await listening(server);
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  return { port, seen, open: () => sockets.size, close };
}

export async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A certificate for localhost that signs itself: its own authority. */
export function certificate(folder: string): { key: string; cert: string } {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const { status, stderr } = spawnSync("openssl", ["req", "-x509", ...curve, ...subject, "-keyout", key, "-out", cert]);
  if (status !== 0) throw new Error(stderr.toString());
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}

export interface Opened {
  readonly gateway: Gateway;
  readonly usages: ModelUsage[];
  readonly cuts: string[];
}

/** A gateway with a model behind it. */
export async function modelGateway(
  folder: string,
  port: number,
  over: Partial<ModelUpstream> = {},
  options: Partial<GatewayIn> = {},
): Promise<Opened> {
  const usages: ModelUsage[] = [];
  const cuts: string[] = [];
  const api = over.api ?? "anthropic";
  const model: ModelUpstream = {
    api,
    baseUrl: `http://127.0.0.1:${port}${api === "openai" ? "/v1" : ""}`,
    credential: { header: api === "openai" ? "bearer" : "x-api-key", value: () => SECRET },
    prices: PRICES,
    capUsd: 10,
    onUsage: (usage) => usages.push(usage),
    onCut: (reason) => cuts.push(reason),
    ...over,
  };
  return { gateway: await gatewayOf({ folder, model, ...options }), usages, cuts };
}

/** The options of a gateway that listens in a folder of its own below `folder`. */
export type GatewayIn = Omit<GatewayOptions, "place"> & { readonly folder: string };

export async function gatewayOf({ folder, ...options }: GatewayIn): Promise<Gateway> {
  const place = () => {
    const own = mkdtempSync(join(folder, "gw-"));
    return { socketPath: join(own, "s"), remove: async () => rmSync(own, { recursive: true, force: true }) };
  };
  const gateway = await openGatewayAt({ ...options, place });
  onTestFinished(() => gateway.close());
  return gateway;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body's end came, and was not cut off. */
  readonly whole: boolean;
}

export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
  /** Each piece of the answer, as it comes. */
  readonly onData?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** Asks through the gateway's socket, as a program inside does. */
export function ask(
  gateway: Gateway,
  { method = "POST", path = "/v1/messages", headers, body, onData, signal }: Ask = {},
): Promise<Reply> {
  return new Promise((settle, reject) => {
    const out = request({
      socketPath: gateway.socketPath,
      method,
      path,
      headers: { "content-type": "application/json", ...headers },
      ...(signal === undefined ? {} : { signal }),
    });
    out.on("error", reject);
    out.on("response", (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        onData?.(chunk.toString());
      });
      res.on("error", () => undefined);
      res.on("close", () =>
        settle({
          status: res.statusCode ?? 0,
          headers: res.headers,
          text: Buffer.concat(chunks).toString(),
          whole: res.complete,
        }),
      );
    });
    out.end(body);
  });
}

/** What a model request says, with these members in place of its own. */
export const message = (over: object = {}): string =>
  JSON.stringify({ model: "mock-small-1", max_tokens: 1000, messages: [{ role: "user", content: "hello" }], ...over });

/** Sends these bytes, as they are, and gives all that comes back until the gateway lets go. */
export function raw(gateway: Gateway, bytes: string | Buffer): Promise<string> {
  return new Promise((settle) => {
    const chunks: Buffer[] = [];
    const socket = connect({ path: gateway.socketPath, allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", () => undefined);
    socket.on("end", () => socket.end());
    socket.on("close", () => settle(Buffer.concat(chunks).toString("latin1")));
    socket.write(bytes);
  });
}

/** The events of a streamed answer, as Anthropic writes them. */
export function anthropicEvents(over: { model?: string; start?: object; delta?: object; text?: string } = {}): string[] {
  const start = {
    input_tokens: 100,
    cache_creation_input_tokens: 20,
    cache_read_input_tokens: 30,
    output_tokens: 1,
    ...over.start,
  };
  const head = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: over.model ?? "mock-small-1",
    content: [],
    usage: start,
  };
  const text = { type: "text_delta", text: over.text ?? "Hello" };
  return [
    sse("message_start", { type: "message_start", message: head }),
    sse("content_block_start", { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    sse("ping", { type: "ping" }),
    sse("content_block_delta", { type: "content_block_delta", index: 0, delta: text }),
    sse("content_block_stop", { type: "content_block_stop", index: 0 }),
    sse("message_delta", {
      type: "message_delta",
      delta: { stop_reason: "end_turn" },
      usage: { output_tokens: 40, ...over.delta },
    }),
    sse("message_stop", { type: "message_stop" }),
  ];
}

export function sse(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Answers with a stream of these events at once. */
export const stream =
  (events: readonly string[], headers: Record<string, string> = {}): Answer =>
  (_req, res) => {
    res.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", ...headers });
    for (const event of events) res.write(event);
    res.end();
  };

/** Answers with this JSON. */
export const json =
  (value: object, status = 200, headers: Record<string, string> = {}): Answer =>
  (_req, res) => {
    res.writeHead(status, { "content-type": "application/json", ...headers });
    res.end(JSON.stringify(value));
  };

export const anthropicAnswer = (over: object = {}): object => ({
  id: "msg_1",
  type: "message",
  model: "mock-small-1",
  content: [{ type: "text", text: "Hello" }],
  usage: { input_tokens: 100, output_tokens: 40, cache_read_input_tokens: 30, cache_creation_input_tokens: 20, ...over },
});

/** Its cost: 100 × $1 + 40 × $5 + 30 × $0.1 + 20 × $1.25, per million. */
export const ANSWER_USD = (100 + 40 * 5 + 30 * 0.1 + 20 * 1.25) / 1e6;
