import { asObject } from "@loopdash/values";
import { answerText } from "../../../answer-text.ts";

/** Where a request goes, and with what. */
export interface SendOptions {
  readonly apiUrl: string;
  readonly token: string;
  readonly timeoutMs: number;
}

/** The data of an answer, and its headers. */
export interface LinearAnswer {
  readonly data: unknown;
  readonly headers: Headers;
}

/** An answer without data, or with errors. It has the form of the SDK's own errors. */
export class NoData extends Error {
  override readonly name = "NoData";
  readonly response: { readonly status: number; readonly headers: Headers; readonly errors: unknown };

  constructor({ status, headers }: Response, errors: unknown) {
    super("Linear answered without data");
    this.response = { status, headers, errors };
  }
}

/**
 * Sends one document, in place of the SDK's own client, which reads an answer to its end whatever its size. Throws a NoData for an
 * answer that is an error, and what `fetch` throws.
 */
export async function send(
  { apiUrl, token, timeoutMs }: SendOptions,
  document: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<LinearAnswer> {
  const response = await fetch(apiUrl, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: authorizationHeader(token) },
    body: JSON.stringify({ query: document, variables }),
    // A redirect could take the token elsewhere.
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await answerText(response);
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const { data, errors } = asObject(isJson ? JSON.parse(text) : undefined) ?? {};
  if (!response.ok || errors !== undefined || data === undefined || data === null) throw new NoData(response, errors);
  return { data, headers: response.headers };
}

/** The header for a token: personal keys are sent as they are, tokens of OAuth as bearers (Linear's documentation, "Authentication"). */
export function authorizationHeader(token: string): string {
  return token.startsWith("lin_api_") ? token : `Bearer ${token}`;
}
