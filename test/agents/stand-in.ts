import type { ServerResponse } from "node:http";
import { type Seen, type StandIn, standIn } from "../../packages/model-gateway/test/stage.ts";

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

/** What the model answers to the n-th request of a conversation (counted by its own answers in it, so from 0), given its text. */
export type Script = (turn: number, asked: string) => Turn;

/** Says whether a request may come in; one that may not is answered 401. */
export type Door = (seen: Seen) => boolean;

const open: Door = () => true;
const CLOSED = { type: "error", error: { type: "authentication_error", message: "the token has expired", code: 401 } };

type Body = { readonly messages?: readonly { readonly role: string }[]; readonly tools?: readonly unknown[] };

const MODEL = "claude-sonnet-4-5";
const USAGE = { input: 100, output: 20 };

/**
 * Anthropic's Messages API on loopback, with a model that plays a script. It keeps no state: retries and several programs at a
 * time each get the turn that their own conversation is at. A request without tools is one beside the work (a title, say).
 */
export function anthropicStandIn(script: Script, door: Door = open): Promise<StandIn> {
  return standIn((_req, res, seen) => {
    const { method, url, body } = seen;
    if (method !== "POST" || !url.startsWith("/v1/messages")) return void res.writeHead(200).end();
    if (!door(seen)) return json(res, 401, CLOSED);
    if (url.startsWith("/v1/messages/count_tokens")) return json(res, 200, { input_tokens: 10 });
    const asked: Body = JSON.parse(body);
    const beside = (asked.tools ?? []).length === 0;
    const turn = (asked.messages ?? []).filter(({ role }) => role === "assistant").length;
    play(res, beside ? { say: "ok" } : script(turn, body));
  });
}

/**
 * OpenAI's Responses API on loopback, in the same way. Its error bodies are its own.
 */
export function responsesStandIn(script: Script, door: Door = open, prefix = ""): Promise<StandIn> {
  return standIn((_req, res, seen) => {
    const { method, url, body } = seen;
    if (!door(seen)) return json(res, 401, CLOSED);
    if (method !== "POST" || url !== `${prefix}/v1/responses`) return json(res, 404, { error: { message: "no such route" } });
    const { input = [] }: { input?: readonly { readonly type?: string; readonly role?: string }[] } = JSON.parse(body);
    const own = input.filter(({ type, role }) => type === "function_call" || (type === "message" && role === "assistant"));
    // A turn that says something and uses a tool leaves two items, one after the other.
    const turn = own.filter((item, i) => !(item.type === "function_call" && own[i - 1]?.type === "message")).length;
    const answer = script(turn, body);
    if ("status" in answer) return json(res, answer.status, { error: { message: answer.error, type: "error" } }, answer.headers);
    if ("as" in answer) return misbehave(res, answer, named(responseEvents({ say: "I was" })[0]));
    stream(res, responseEvents(answer).map(named));
  });
}

/**
 * OpenAI's Chat Completions on loopback, in the same way, as many others serve it too.
 */
export function chatStandIn(script: Script, prefix = ""): Promise<StandIn> {
  return standIn((_req, res, { method, url, body }) => {
    if (method !== "POST" || url !== `${prefix}/v1/chat/completions`)
      return json(res, 404, { error: { message: "no such route" } });
    const asked: Body & { readonly model?: string } = JSON.parse(body);
    const beside = (asked.tools ?? []).length === 0;
    const turn = (asked.messages ?? []).filter(({ role }) => role === "assistant").length;
    const answer = beside ? { say: "ok" } : script(turn, body);
    if ("status" in answer) return json(res, answer.status, { error: { message: answer.error, type: "error" } }, answer.headers);
    if ("as" in answer) return misbehave(res, answer, data(chunk(asked.model, { role: "assistant", content: "I was" })));
    stream(res, [...chatChunks(asked.model, answer).map(data), "data: [DONE]\n\n"]);
  });
}

function chunk(model: string | undefined, delta: object | undefined, over: object = {}): object {
  const choices = delta === undefined ? [] : [{ index: 0, delta, finish_reason: null, ...over }];
  return { id: "chatcmpl_1", object: "chat.completion.chunk", created: 1, model, choices };
}

function chatChunks(model: string | undefined, { say, tool, usage = USAGE }: Extract<Turn, { say?: string }>): readonly object[] {
  const call = tool === undefined ? [] : [{ index: 0, id: `call_${newId()}`, type: "function", function: calledBy(tool) }];
  return [
    chunk(model, { role: "assistant", content: say ?? "" }),
    ...(call.length === 0 ? [] : [chunk(model, { tool_calls: call })]),
    chunk(model, {}, { finish_reason: call.length === 0 ? "stop" : "tool_calls" }),
    {
      ...chunk(model, undefined),
      usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output },
    },
  ];
}

const calledBy = ({ name, input }: { name: string; input: object }) => ({ name, arguments: JSON.stringify(input) });

/**
 * Google's Gemini API on loopback, in the same way. Tools may be missing in requests beside the work.
 */
export function geminiStandIn(script: Script, path = /^\/v1beta\/models\/([\w.-]+):(\w+)(?:\?alt=sse)?$/): Promise<StandIn> {
  return standIn((_req, res, { method, url, body }) => {
    const [, model, what] = path.exec(url) ?? [];
    if (method !== "POST" || model === undefined) return json(res, 404, { error: { code: 404, message: "no such route" } });
    if (what === "countTokens") return json(res, 200, { totalTokens: 10 });
    const asked: { tools?: readonly object[]; contents?: readonly { role?: string }[] } = JSON.parse(body);
    const beside = (asked.tools ?? []).length === 0;
    const turn = (asked.contents ?? []).filter(({ role }) => role === "model").length;
    const answer = beside ? { say: "{}" } : script(turn, body);
    if ("status" in answer) {
      const error = { code: answer.status, message: answer.error, status: "MOCK" };
      return json(res, answer.status, { error }, answer.headers);
    }
    if ("as" in answer) return misbehave(res, answer, data(piece(model, [{ text: "I was" }])));
    const last = lastPiece(model, answer);
    if (what === "generateContent") return json(res, 200, last);
    stream(res, [data(last)]);
  });
}

/** The project of every login at Code Assist. */
export const PROJECT = "project-of-the-login";

/**
 * Google's Code Assist on loopback, in the same way: requests to Gemini in an envelope, and the login's account.
 */
export function codeAssistStandIn(script: Script, door: Door = open): Promise<StandIn> {
  return standIn((_req, res, seen) => {
    const [, what] = /^\/v1internal:(\w+)(?:\?alt=sse)?$/.exec(seen.url) ?? [];
    if (!door(seen)) return json(res, 401, CLOSED);
    if (what === "loadCodeAssist") {
      return json(res, 200, { currentTier: { id: "standard-tier" }, cloudaicompanionProject: PROJECT });
    }
    if (what === "countTokens") return json(res, 200, { totalTokens: 10 });
    if (what !== "generateContent" && what !== "streamGenerateContent") return json(res, 404, { error: { code: 404 } });
    const { model, project, request }: CodeAssistBody = JSON.parse(seen.body);
    if (project !== PROJECT) return json(res, 403, { error: { code: 403, message: "another project" } });
    const turn = (request.contents ?? []).filter(({ role }) => role === "model").length;
    const answer = (request.tools ?? []).length === 0 ? { say: "{}" } : script(turn, seen.body);
    if ("status" in answer) return json(res, answer.status, { error: { code: answer.status, message: answer.error } });
    if ("as" in answer) return misbehave(res, answer, data({ response: piece(model, [{ text: "I was" }]) }));
    const last = { response: lastPiece(model, answer), traceId: newId() };
    if (what === "generateContent") return json(res, 200, last);
    stream(res, [data(last)]);
  });
}

interface CodeAssistBody {
  readonly model: string;
  readonly project?: string;
  readonly request: { readonly tools?: readonly object[]; readonly contents?: readonly { readonly role?: string }[] };
}

function piece(modelVersion: string, parts: readonly object[]): object {
  return { candidates: [{ content: { role: "model", parts }, index: 0 }], modelVersion, responseId: `r_${newId()}` };
}

function lastPiece(model: string, { say, tool, usage = USAGE }: Extract<Turn, { say?: string }>): object {
  const parts = [
    ...(say === undefined ? [] : [{ text: say }]),
    ...(tool === undefined ? [] : [{ functionCall: { name: tool.name, args: tool.input } }]),
  ];
  const usageMetadata = {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output,
    thoughtsTokenCount: 0,
    totalTokenCount: usage.input + usage.output,
  };
  const candidates = [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }];
  return { ...piece(model, parts), candidates, usageMetadata };
}

/** The events of one response, as the API streams them. */
function responseEvents({ say, tool, usage = USAGE }: Extract<Turn, { say?: string }>): readonly Event[] {
  const id = newId();
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
            status: "completed",
            ...calledBy(tool),
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
      {
        type: "response.output_item.added",
        output_index,
        item: { ...item, ...("arguments" in item ? { arguments: "" } : { content: [] }) },
      },
      "arguments" in item
        ? { type: "response.function_call_arguments.delta", output_index, item_id: item.id, delta: item.arguments }
        : { type: "response.output_text.delta", output_index, content_index: 0, item_id: item.id, delta: say },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: { ...response, status: "completed", output: items, usage: spent } },
  ];
}

/** Answers as Anthropic's Messages do, in server-sent events. */
export function play(res: ServerResponse, turn: Turn): void {
  if ("status" in turn) {
    const type = turn.status === 401 ? "authentication_error" : turn.status === 429 ? "rate_limit_error" : "api_error";
    return json(res, turn.status, { type: "error", error: { type, message: turn.error } }, turn.headers);
  }
  if ("as" in turn) return misbehave(res, turn, named(messageEvents({ say: "I was about to" })[0]));
  stream(res, messageEvents(turn).map(named));
}

/** `first` is what comes before the connection breaks. */
function misbehave(res: ServerResponse, turn: Extract<Turn, { as: string }>, first: string): void {
  if (turn.as === "stall") return;
  res.writeHead(200, { "content-type": "text/event-stream" });
  if (turn.as === "raw") return void res.end(turn.text);
  res.write(first);
  res.flushHeaders();
  setImmediate(() => res.destroy());
}

export type Event = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The events of one message, as the API streams them. */
export function messageEvents({ say, tool, usage = USAGE }: Extract<Turn, { say?: string }>): readonly Event[] {
  const blocks = [
    ...(say === undefined ? [] : [{ start: { type: "text", text: "" }, delta: { type: "text_delta", text: say } }]),
    ...(tool === undefined
      ? []
      : [
          {
            start: { type: "tool_use", id: `toolu_${newId()}`, name: tool.name, input: {} },
            delta: { type: "input_json_delta", partial_json: JSON.stringify(tool.input) },
          },
        ]),
  ];
  const message = { id: `msg_${newId()}`, type: "message", role: "assistant", model: MODEL, content: [], stop_reason: null };
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

function named(event: Event | undefined): string {
  return `event: ${event?.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function data(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function stream(res: ServerResponse, events: readonly string[]): void {
  res.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) res.write(event);
  res.end();
}

function newId(): string {
  return Math.random().toString(36).slice(2);
}

function json(res: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  res.writeHead(status, { "content-type": "application/json", ...headers });
  res.end(JSON.stringify(body));
}
