/**
 * Stands in for a model's vendor, in its own process: `node bench/vendor.ts` prints its port and answers until its stdin ends. A
 * request's `metadata` sets the answer: `bytes` bytes, or a stream of `events` events, `paceMs` apart.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";

/** The requested answer. */
export interface AnswerOptions {
  readonly bytes?: number;
  readonly events?: number;
  /** 0: each event is sent as soon as the previous one has been written. */
  readonly paceMs?: number;
}

const USAGE = { input_tokens: 100, output_tokens: 40, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

function answer(res: ServerResponse, bytes: number): void {
  const content = [{ type: "text", text: "a".repeat(bytes) }];
  const text = JSON.stringify({ id: "msg_1", type: "message", model: "bench-1", content, usage: USAGE });
  res.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  res.end(text);
}

/** Each event contains the time of its write, by the clock that all processes of a machine share. */
async function stream(res: ServerResponse, { events = 0, paceMs = 0 }: AnswerOptions): Promise<void> {
  const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  res.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  res.write(event("message_start", { message: { type: "message", model: "bench-1", content: [], usage: USAGE } }));
  for (let i = 0; i < events; i += 1) {
    await (paceMs === 0 ? setImmediate() : setTimeout(paceMs));
    const delta = { type: "text_delta", text: "a few words of an answer" };
    res.write(event("content_block_delta", { index: 0, at: Number(process.hrtime.bigint()), delta }));
  }
  res.write(event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 40 } }));
  res.end(event("message_stop", {}));
}

function serve(): void {
  const server = createServer({ noDelay: true }, (req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const options = JSON.parse(Buffer.concat(chunks).toString("latin1")).metadata as AnswerOptions;
      if (options.events === undefined) answer(res, options.bytes ?? 0);
      else void stream(res, options);
    });
  });
  server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
  process.stdin.on("end", () => process.exit(0)).resume();
}

if (import.meta.main) serve();
