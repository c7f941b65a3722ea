import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";
import { isObject, type JsonObject, listOf, objectOf } from "../../json.ts";
import type { AnswerKind } from "../models/routes.ts";
import { mergeReadings, NOTHING_READ, readUsage, type UsageReading } from "./usage.ts";

/** Reads along what an answer says about its cost. Whoever feeds it bounds the answer's size. */
export interface AnswerReader {
  push(chunk: Buffer): void;
  /** What was said so far. */
  sofar(): UsageReading;
  /** Once the answer is over: what it cost, or undefined where it does not say so whole and well-formed. */
  end(): UsageReading | undefined;
}

/** For an answer of this content type; undefined where it is of none that says what it cost. */
export function answerReader(kind: AnswerKind, contentType: string | undefined): AnswerReader | undefined {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase();
  if (type === "text/event-stream") return new EventReader(kind);
  return type === "application/json" ? new JsonReader(kind) : undefined;
}

class JsonReader implements AnswerReader {
  readonly #kind: AnswerKind;
  readonly #chunks: Buffer[] = [];

  constructor(kind: AnswerKind) {
    this.#kind = kind;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  sofar(): UsageReading {
    return NOTHING_READ;
  }

  end(): UsageReading | undefined {
    const answer = parsed(Buffer.concat(this.#chunks).toString());
    if (answer === undefined) return undefined;
    return this.#kind === "generate" ? readPieces(Array.isArray(answer) ? answer : [answer]) : readWhole(this.#kind, answer);
  }
}

/** Server-sent events (WHATWG HTML, 9.2) of which the data is one JSON text each. What is written otherwise does not say what it cost. */
class EventReader implements AnswerReader {
  readonly #kind: AnswerKind;
  readonly #text = new StringDecoder("utf8");
  readonly #events = createParser({ onEvent: ({ data }) => this.#event(data) });
  #reading = NOTHING_READ;
  /** Events that have to be there, and are. */
  readonly #seen = new Set<"start" | "delta" | "end">();
  #malformed = false;

  constructor(kind: AnswerKind) {
    this.#kind = kind;
  }

  push(chunk: Buffer): void {
    this.#events.feed(this.#text.write(chunk));
  }

  sofar(): UsageReading {
    return this.#reading;
  }

  end(): UsageReading | undefined {
    // An event that no empty line ends is none.
    const needed = this.#kind === "messages" ? (["start", "delta", "end"] as const) : (["delta", "end"] as const);
    return !this.#malformed && needed.every((event) => this.#seen.has(event)) ? this.#reading : undefined;
  }

  #event(data: string): void {
    if (data === "[DONE]") return void this.#seen.add("end");
    const event = parsed(data);
    if (!isObject(event)) this.#malformed = true;
    else if (this.#kind === "messages") this.#message(event);
    else if (this.#kind === "responses") this.#response(event);
    else if (this.#kind === "generate") this.#piece(event);
    else this.#chat(event);
  }

  #message(event: JsonObject): void {
    switch (event["type"]) {
      case "message_start":
        return this.#use("start", objectOf(event["message"]));
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
    this.#use("delta", objectOf(event["response"]));
  }

  #chat(event: JsonObject): void {
    if (event["error"] !== undefined && event["error"] !== null) this.#malformed = true;
    if (event["usage"] !== undefined && event["usage"] !== null) this.#use("delta", event);
  }

  /** Google's say what they have cost so far in each; the last one says why it is the last. */
  #piece(event: JsonObject): void {
    if (event["error"] !== undefined && event["error"] !== null) this.#malformed = true;
    if (isObject(event["usageMetadata"])) this.#use("delta", event);
    if (isLast(event) && isObject(event["usageMetadata"])) this.#seen.add("end");
  }

  #use(as: "start" | "delta", answer: JsonObject | undefined): void {
    const reading = answer === undefined ? undefined : readUsage(this.#kind, answer);
    if (reading === undefined) this.#malformed = true;
    else {
      // A later count of Google's stands for all before it: only then is it known what came from the cache.
      this.#reading = this.#kind === "generate" ? reading : mergeReadings(this.#reading, reading);
      this.#seen.add(as);
    }
  }
}

function readWhole(kind: AnswerKind, answer: unknown): UsageReading | undefined {
  return isObject(answer) ? readUsage(kind, answer) : undefined;
}

/** All of a Gemini answer that did not come as events: one piece, or a list of them. */
function readPieces(pieces: readonly unknown[]): UsageReading | undefined {
  const last = pieces.at(-1);
  if (!isObject(last) || !isLast(last)) return undefined;
  return pieces.every(isObject) ? readUsage("generate", last) : undefined;
}

/** Whether a piece ends a Gemini answer: it says why it ends, or why nothing was asked at all. */
function isLast(piece: JsonObject): boolean {
  const ended = listOf(piece["candidates"]).some((each) => typeof objectOf(each)?.["finishReason"] === "string");
  return ended || objectOf(piece["promptFeedback"])?.["blockReason"] !== undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the caller counts it as an answer that does not say what it cost.
    return undefined;
  }
}
