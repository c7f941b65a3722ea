import type { ServerResponse } from "node:http";
import { type StandIn, standIn } from "../adapters/gateway/stage.ts";

/** One answer of the scripted model. */
export type Turn =
  /** Says something, uses a tool, or both; a turn without a tool ends the work. */
  | {
      readonly say?: string;
      readonly tool?: { readonly name: string; readonly input: object };
      readonly usage?: { readonly input: number; readonly output: number };
    }
  /** An error of the API. */
  | { readonly status: number; readonly error: string; readonly headers?: Readonly<Record<string, string>> }
  /** The connection breaks in the middle of an answer. */
  | { readonly as: "cut" }
  /** Nothing ever comes. */
  | { readonly as: "stall" }
  /** Bytes that are no answer, as an event stream. */
  | { readonly as: "raw"; readonly text: string };

/** What the model answers to the n-th request of a conversation (counted by its own answers in it, so from 0). */
export type Script = (turn: number) => Turn;

type Body = { readonly messages?: readonly { readonly role: string }[]; readonly tools?: readonly unknown[] };

const MODEL = "claude-sonnet-4-5";

/**
 * Anthropic's Messages API on loopback, with a model that plays a script. It keeps no state: retries and several programs at a
 * time each get the turn that their own conversation is at. A request without tools is one beside the work (a title, say).
 */
export function anthropicStandIn(script: Script): Promise<StandIn> {
  return standIn((_req, res, { method, url, body }) => {
    if (method !== "POST" || !url.startsWith("/v1/messages")) return void res.writeHead(200).end();
    if (url.startsWith("/v1/messages/count_tokens")) return json(res, 200, { input_tokens: 10 });
    const asked: Body = JSON.parse(body);
    const beside = (asked.tools ?? []).length === 0;
    const turn = (asked.messages ?? []).filter(({ role }) => role === "assistant").length;
    play(res, beside ? { say: "ok" } : script(turn));
  });
}

/**
 * OpenAI's Responses API on loopback, in the same way. Its error bodies are its own.
 */
export function responsesStandIn(script: Script): Promise<StandIn> {
  return standIn((_req, res, { method, url, body }) => {
    if (method !== "POST" || url !== "/v1/responses") return json(res, 404, { error: { message: "no such route" } });
    const { input = [] }: { input?: readonly { readonly type?: string; readonly role?: string }[] } = JSON.parse(body);
    const own = input.filter(({ type, role }) => type === "function_call" || (type === "message" && role === "assistant"));
    // A turn that says something and uses a tool leaves two items, one after the other.
    const turn = own.filter((item, i) => !(item.type === "function_call" && own[i - 1]?.type === "message")).length;
    const answer = script(turn);
    if ("status" in answer) return json(res, answer.status, { error: { message: answer.error, type: "error" } }, answer.headers);
    if ("as" in answer) return misbehave(res, answer);
    res.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of responseEvents(answer)) send(res, event);
    res.end();
  });
}

/** The events of one response, as the API streams them. */
function responseEvents({ say, tool, usage = { input: 100, output: 20 } }: Extract<Turn, { say?: string }>): readonly Event[] {
  const id = Math.random().toString(36).slice(2);
  const items = [
    ...(say === undefined
      ? []
      : [
          { type: "message", role: "assistant", id: `msg_${id}`, content: [{ type: "output_text", text: say, annotations: [] }] },
        ]),
    ...(tool === undefined
      ? []
      : [
          {
            type: "function_call",
            id: `fc_${id}`,
            call_id: `call_${id}`,
            name: tool.name,
            arguments: JSON.stringify(tool.input),
          },
        ]),
  ];
  const spent = {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.output,
  };
  const response = { id: `resp_${id}`, object: "response", model: "gpt-5.3-codex", output: [] };
  return [
    { type: "response.created", response: { ...response, status: "in_progress" } },
    ...items.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: { ...response, status: "completed", output: items, usage: spent } },
  ];
}

function play(res: ServerResponse, turn: Turn): void {
  if ("status" in turn) {
    const type = turn.status === 401 ? "authentication_error" : turn.status === 429 ? "rate_limit_error" : "api_error";
    return json(res, turn.status, { type: "error", error: { type, message: turn.error } }, turn.headers);
  }
  if ("as" in turn) return misbehave(res, turn);
  res.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of messageEvents(turn)) send(res, event);
  res.end();
}

function misbehave(res: ServerResponse, turn: Extract<Turn, { as: string }>): void {
  if (turn.as === "stall") return;
  res.writeHead(200, { "content-type": "text/event-stream" });
  if (turn.as === "raw") return void res.end(turn.text);
  const [start] = messageEvents({ say: "I was about to" });
  if (start !== undefined) send(res, start);
  res.flushHeaders();
  setImmediate(() => res.destroy());
}

type Event = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The events of one message, as the API streams them. */
function messageEvents({ say, tool, usage = { input: 100, output: 20 } }: Extract<Turn, { say?: string }>): readonly Event[] {
  const blocks = [
    ...(say === undefined ? [] : [{ start: { type: "text", text: "" }, delta: { type: "text_delta", text: say } }]),
    ...(tool === undefined
      ? []
      : [
          {
            start: { type: "tool_use", id: `toolu_${Math.random().toString(36).slice(2)}`, name: tool.name, input: {} },
            delta: { type: "input_json_delta", partial_json: JSON.stringify(tool.input) },
          },
        ]),
  ];
  const message = { id: "msg_1", type: "message", role: "assistant", model: MODEL, content: [], stop_reason: null };
  return [
    { type: "message_start", message: { ...message, usage: { input_tokens: usage.input, output_tokens: 1 } } },
    ...blocks.flatMap(({ start, delta }, index) => [
      { type: "content_block_start", index, content_block: start },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: tool === undefined ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { output_tokens: usage.output },
    },
    { type: "message_stop" },
  ];
}

function send(res: ServerResponse, event: Event): void {
  res.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function json(res: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  res.writeHead(status, { "content-type": "application/json", ...headers });
  res.end(JSON.stringify(body));
}
