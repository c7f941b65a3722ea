import type { IncomingMessage, ServerResponse } from "node:http";
import { plainText } from "@loopdash/values";
import type { ModelApi } from "../gateway.ts";

/** The number of different reasons that are remembered. */
const MOST_REASONS = 50;
const LONGEST_REASON = 160;

/** The reason why a request is not let through. `message` is sent to the client: it must not contain a secret. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  /** True if the same request may succeed a little later. */
  readonly again: boolean;

  constructor(status: number, message: string, again = false) {
    super(message);
    this.status = status;
    this.again = again;
  }
}

/** Counts refusals by reason. */
export class Refusals {
  #total = 0;
  readonly #byReason = new Map<string, number>();

  get total(): number {
    return this.#total;
  }

  get byReason(): ReadonlyMap<string, number> {
    return this.#byReason;
  }

  /** Counts a blocked connection, whose reason is kept elsewhere. */
  countBlocked(): void {
    this.#total += 1;
  }

  count(reason: string): void {
    this.#total += 1;
    const plain = plainText(reason, LONGEST_REASON);
    const known = this.#byReason.get(plain);
    if (known !== undefined || this.#byReason.size < MOST_REASONS) this.#byReason.set(plain, (known ?? 0) + 1);
  }
}

/** Anthropic's names of errors, by status (its API reference, "Errors"). */
const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  402: "billing_error",
  403: "permission_error",
  413: "request_too_large",
  429: "rate_limit_error",
};
const OPENAI_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  402: "insufficient_quota",
  403: "invalid_request_error",
  413: "invalid_request_error",
  429: "rate_limit_error",
};

/** Google's names of errors, which accompany the number (google.rpc.Code). */
const GOOGLE_STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  402: "FAILED_PRECONDITION",
  403: "PERMISSION_DENIED",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  502: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/**
 * Answers with the error in the API's own shape, so that the program inside reports it well; as plain text if no API is behind
 * it. The connection is closed afterwards: the rest of the request is not read.
 */
export function answerRefusal(res: ServerResponse, { status, message, again }: Refusal, api: ModelApi | undefined): void {
  if (res.headersSent || res.destroyed) return void res.destroy();
  const text = api === undefined ? `${message}\n` : JSON.stringify(errorBody(api, status, message));
  const headers = {
    "content-type": api === undefined ? "text/plain; charset=utf-8" : "application/json",
    "content-length": Buffer.byteLength(text),
    connection: "close",
    // The libraries of Anthropic and OpenAI obey this header: a lasting refusal is not repeated ten times.
    "x-should-retry": again ? "true" : "false",
    ...(again ? { "retry-after": "2" } : {}),
  };
  // OpenAI answers 429 if the money is used up, and distinguishes it by its code.
  res.writeHead(api === "openai" && status === 402 ? 429 : status, headers);
  res.end(text);
}

function errorBody(api: ModelApi, status: number, message: string): object {
  if (api === "anthropic") return { type: "error", error: { type: ANTHROPIC_TYPES[status] ?? "api_error", message } };
  if (api === "gemini") return { error: { code: status, message, status: GOOGLE_STATUS[status] ?? "INTERNAL" } };
  const type = OPENAI_TYPES[status] ?? "server_error";
  return { error: { message, type, param: null, code: status === 402 ? type : null } };
}

/** True if a request announces or sends a body. */
export function hasBody(req: IncomingMessage): boolean {
  return req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
}

/** The framing of a body, written again, so that no two readers can disagree about its end. Node alone would send a GET's body unframed. */
export function framing(req: IncomingMessage): Record<string, string> {
  const length = req.headers["content-length"];
  if (req.headers["transfer-encoding"] !== undefined) return { "transfer-encoding": "chunked" };
  return length === undefined ? {} : { "content-length": length };
}
