import { asList, asObject, asString, isObject } from "@loopdash/values";
import { errorCode, plainText } from "../../../../domain/values/text.ts";
import { TrackerBusy } from "../../../../ports/tracker.ts";
import { AnswerTooLarge } from "../../../answer-text.ts";
import { retryTime } from "./budget.ts";

/** Characters of a service's own words in a message. */
const MAX_QUOTED = 300;

/**
 * Types of errors inside Linear (`LinearErrorType` of its SDK), which come with status 200 too. A write that ends in one may have been
 * carried out.
 */
const INTERNAL: ReadonlySet<string> = new Set(["internal error", "network error", "bootstrap error", "lock timeout"]);

/**
 * Linear refused a request for a reason of its own, and did nothing. An object whose id is taken is refused as "conflict on insert of
 * Comment", with the code INPUT_ERROR.
 */
export class LinearRefusal extends Error {
  override readonly name = "LinearRefusal";
}

/** What is known of a request that failed. */
interface Failed {
  /** Host of the API. */
  readonly host: string;
  /** Tokens that no message may have. */
  readonly tokens: readonly string[];
  readonly timeoutMs: number;
  readonly now: number;
}

/** A response as the SDK's errors hold it. */
interface Response {
  readonly status: number;
  readonly headers: Headers | undefined;
  readonly errors: readonly { readonly message: string; readonly code: string; readonly type: string }[];
}

/** True if a request failed because the token is not accepted. */
export function isRefusedToken(error: unknown): boolean {
  const response = errorResponse(error);
  if (response === undefined) return false;
  const { status, errors } = response;
  return status === 401 || errors.some(({ code, type }) => code === "AUTHENTICATION_ERROR" || type === "authentication error");
}

/**
 * What the SDK threw, as one line for people, without a token: a TrackerBusy if a rate limit is reached, a LinearRefusal if Linear
 * gave a reason and did nothing, or an Error.
 */
export function describeFailure(error: unknown, failed: Failed): Error {
  const response = errorResponse(error);
  if (response === undefined) return new Error(withoutAnswer(cause(error), failed));
  const { status, headers, errors } = response;
  const quoted = quote(errors[0]?.message ?? "", failed);
  if (isRateLimit(response))
    return new TrackerBusy("Linear's rate limit is reached for this token", retryTime(headers, failed.now));
  if (isRefusedToken(error))
    return new Error("Linear does not accept the token: it is wrong, has expired or was revoked; give loopdash another one");
  if (status === 403 || errors.some(({ code, type }) => code === "FORBIDDEN" || type === "forbidden"))
    return new Error(`Linear forbids the request: the token has too few rights${quoted === "" ? "" : ` (${quoted})`}`);
  if (status >= 500) return new Error(`Linear answered with HTTP ${status}`);
  if (errors.some(isInternal)) return new Error(`Linear failed: ${quoted}`);
  if (errors.length > 0) return new LinearRefusal(`Linear refuses the request: ${quoted}`);
  if (status >= 400) return new Error(`Linear answered with HTTP ${status}`);
  return new Error(`Linear's answer is not what its API promises: it has no data (HTTP ${status}); is apiUrl right?`);
}

function withoutAnswer(error: unknown, { host, timeoutMs, tokens }: Failed): string {
  if (error instanceof DOMException && error.name === "TimeoutError")
    return `Linear did not answer within ${Math.round(timeoutMs / 1000)} seconds`;
  if (error instanceof AnswerTooLarge) return "Linear's answer is larger than 64 MiB";
  if (error instanceof SyntaxError) return "Linear's answer is cut off or is not JSON";
  if (error instanceof TypeError && (error.message === "fetch failed" || error.message === "terminated")) {
    const code = errorCode(error.cause);
    const why = code ?? (error.cause instanceof Error ? error.cause.message : error.message);
    return `Linear cannot be reached at ${host}: ${quote(why, { tokens })}`;
  }
  return "Linear's answer is not what its API promises";
}

function isRateLimit({ status, errors }: Response): boolean {
  return status === 429 || errors.some(({ code, type }) => code === "RATELIMITED" || type === "ratelimited");
}

function isInternal({ code, type }: Response["errors"][number]): boolean {
  return code === "INTERNAL_SERVER_ERROR" || INTERNAL.has(type);
}

/** The SDK wraps what `fetch` throws, and keeps it as `raw`. */
function cause(error: unknown): unknown {
  return isObject(error) && "raw" in error && error["raw"] instanceof Error ? error["raw"] : error;
}

function errorResponse(error: unknown): Response | undefined {
  const response = asObject(asObject(cause(error))?.["response"]);
  if (response === undefined || typeof response["status"] !== "number") return undefined;
  const { headers } = response;
  return {
    status: response["status"],
    headers: headers instanceof Headers ? headers : undefined,
    errors: asList(response["errors"]).map((each) => {
      const { message, extensions } = asObject(each) ?? {};
      const { code, type, userPresentableMessage } = asObject(extensions) ?? {};
      const said = [asString(message), asString(userPresentableMessage)].filter((text) => text !== undefined && text !== "");
      return {
        message: [...new Set(said)].join(": ") || "it gives no reason",
        code: asString(code) ?? "",
        type: asString(type) ?? "",
      };
    }),
  };
}

function quote(text: string, { tokens }: Pick<Failed, "tokens">): string {
  const masked = tokens.reduce((masked, token) => (token === "" ? masked : masked.replaceAll(token, "…")), text);
  return plainText(masked, MAX_QUOTED);
}
