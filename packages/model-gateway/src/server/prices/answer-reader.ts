import { StringDecoder } from "node:string_decoder";
import { asList, asObject, isObject, type JsonObject, parseJson } from "@loopdash/values";
import { createParser } from "eventsource-parser";
import type { AnswerKind } from "../models/route.ts";
import { AwsEventStream } from "./aws-event-stream.ts";
import { mergeReadings, NOTHING_READ, readUsage, type UsageReading } from "./usage.ts";

/** Reads the cost in an answer as it streams. The caller bounds the answer's size. */
export interface AnswerReader {
  push(chunk: Buffer): void;
  /** The reading so far. */
  sofar(): UsageReading;
  /** The cost of a complete answer; undefined if the answer does not give it completely and well-formed. */
  end(): UsageReading | undefined;
}

/** The format of an answer, and whether each of its pieces is in the envelope of Google's Code Assist. */
interface AnswerFormat {
  readonly kind: AnswerKind;
  readonly isEnveloped?: boolean;
}

/** A reader for an answer of this content type; undefined if no answer of this type gives its cost. */
export function answerReader(format: AnswerFormat, contentType: string | undefined): AnswerReader | undefined {
  const type = mediaType(contentType);
  if (type === "text/event-stream") return new EventReader(format, serverSentEvents);
  if (isAwsEventStream(type) && format.kind === "messages") return new EventReader(format, bedrockChunks);
  return type === "application/json" ? new JsonReader(format) : undefined;
}

/** The answer in an envelope; an error is in none. */
function unwrapped(answer: unknown): unknown {
  return isObject(answer) && isObject(answer["response"]) ? answer["response"] : answer;
}

/** True for AWS's own framing of a stream. */
export function isAwsEventStream(contentType: string | undefined): boolean {
  return mediaType(contentType) === "application/vnd.amazon.eventstream";
}

function mediaType(contentType: string | undefined): string | undefined {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase();
}

class JsonReader implements AnswerReader {
  readonly #format: AnswerFormat;
  readonly #chunks: Buffer[] = [];

  constructor(format: AnswerFormat) {
    this.#format = format;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  sofar(): UsageReading {
    return NOTHING_READ;
  }

  end(): UsageReading | undefined {
    const answer = parseJson(Buffer.concat(this.#chunks).toString());
    if (answer === undefined) return undefined;
    const { kind, isEnveloped } = this.#format;
    if (kind !== "generate") return readWhole(kind, answer);
    const pieces: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
    return readPieces(isEnveloped === true ? pieces.map(unwrapped) : pieces);
  }
}

/** Takes a stream of events apart. */
interface Framing {
  push(chunk: Buffer): void;
  /** False if the stream is malformed, or ends in the middle of an event that has begun. */
  isWhole(): boolean;
}

/** Server-sent events (WHATWG HTML, 9.2). One without an empty line at its end does not count. */
function serverSentEvents(onData: (data: string) => void): Framing {
  const text = new StringDecoder("utf8");
  const events = createParser({ onEvent: ({ data }) => onData(data) });
  return { push: (chunk) => events.feed(text.write(chunk)), isWhole: () => true };
}

/** Bedrock's stream: the payload of each message has an event of the model's own API, in base64. An exception is no event. */
function bedrockChunks(onData: (data: string) => void): Framing {
  const stream = new AwsEventStream(({ headers, payload }) => {
    const isChunk = headers.get(":message-type") === "event" && headers.get(":event-type") === "chunk";
    const bytes = isChunk ? asObject(parseJson(payload.toString()))?.["bytes"] : undefined;
    onData(typeof bytes === "string" ? Buffer.from(bytes, "base64").toString() : "");
  });
  return { push: (chunk) => stream.push(chunk), isWhole: () => stream.isSound && stream.isBetweenMessages };
}

/** A stream of events whose data is one JSON text each. Any other event gives no cost. */
class EventReader implements AnswerReader {
  readonly #kind: AnswerKind;
  readonly #isEnveloped: boolean;
  readonly #framing: Framing;
  #reading = NOTHING_READ;
  /** Required events that have occurred. */
  readonly #seen = new Set<"start" | "delta" | "end">();
  #malformed = false;

  constructor({ kind, isEnveloped = false }: AnswerFormat, framing: (onData: (data: string) => void) => Framing) {
    this.#kind = kind;
    this.#isEnveloped = isEnveloped;
    this.#framing = framing((data) => this.#event(data));
  }

  push(chunk: Buffer): void {
    this.#framing.push(chunk);
  }

  sofar(): UsageReading {
    return this.#reading;
  }

  end(): UsageReading | undefined {
    if (!this.#framing.isWhole()) return undefined;
    const needed = this.#kind === "messages" ? (["start", "delta", "end"] as const) : (["delta", "end"] as const);
    return !this.#malformed && needed.every((event) => this.#seen.has(event)) ? this.#reading : undefined;
  }

  #event(data: string): void {
    if (data === "[DONE]") return void this.#seen.add("end");
    const event = this.#isEnveloped ? unwrapped(parseJson(data)) : parseJson(data);
    if (!isObject(event)) this.#malformed = true;
    else if (this.#kind === "messages") this.#message(event);
    else if (this.#kind === "responses") this.#response(event);
    else if (this.#kind === "generate") this.#piece(event);
    else this.#chat(event);
  }

  #message(event: JsonObject): void {
    switch (event["type"]) {
      case "message_start":
        return this.#use("start", asObject(event["message"]));
      case "message_delta":
        return this.#use("delta", event);
      case "message_stop":
        return void this.#seen.add("end");
      case "error":
        this.#malformed = true;
    }
  }

  #response(event: JsonObject): void {
    const type = event["type"];
    if (type !== "response.completed" && type !== "response.incomplete" && type !== "response.failed") return;
    this.#seen.add("end");
    this.#use("delta", asObject(event["response"]));
  }

  #chat(event: JsonObject): void {
    if (event["error"] !== undefined && event["error"] !== null) this.#malformed = true;
    if (event["usage"] !== undefined && event["usage"] !== null) this.#use("delta", event);
  }

  /** Each of Google's pieces has the cost so far; the last one has the reason that it is the last. */
  #piece(event: JsonObject): void {
    if (event["error"] !== undefined && event["error"] !== null) this.#malformed = true;
    if (isObject(event["usageMetadata"])) this.#use("delta", event);
    if (isLast(event) && isObject(event["usageMetadata"])) this.#seen.add("end");
  }

  #use(as: "start" | "delta", answer: JsonObject | undefined): void {
    const reading = answer === undefined ? undefined : readUsage(this.#kind, answer);
    if (reading === undefined) this.#malformed = true;
    else {
      // A later count of Google's replaces all before it: only then is the number of cached tokens known.
      this.#reading = this.#kind === "generate" ? reading : mergeReadings(this.#reading, reading);
      this.#seen.add(as);
    }
  }
}

function readWhole(kind: AnswerKind, answer: unknown): UsageReading | undefined {
  return isObject(answer) ? readUsage(kind, answer) : undefined;
}

/** A whole Gemini answer that did not come as events: one piece, or a list of them. */
function readPieces(pieces: readonly unknown[]): UsageReading | undefined {
  const last = pieces.at(-1);
  if (!isObject(last) || !isLast(last)) return undefined;
  return pieces.every(isObject) ? readUsage("generate", last) : undefined;
}

/** True if a piece ends a Gemini answer: it has the reason for its end, or for a blocked prompt. */
function isLast(piece: JsonObject): boolean {
  const ended = asList(piece["candidates"]).some((each) => typeof asObject(each)?.["finishReason"] === "string");
  return ended || asObject(piece["promptFeedback"])?.["blockReason"] !== undefined;
}
