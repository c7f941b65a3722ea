import type { Duplex } from "node:stream";
import { parseJson } from "@loopdash/values";
import { z } from "zod";
import { errorMessage } from "../../domain/values/text.ts";
import type { ServicePlace } from "../../ports/oracle.ts";
import { withoutToken } from "../answer-text.ts";
import { DOCUMENTS, MOST_KEYS } from "./service-documents.ts";

/** The largest answer of a service. Bytes. */
const MAX_ANSWER = 32 * 1024 * 1024;
/** The largest request of the oracle. Characters. */
const MAX_REQUEST = 64 * 1024;
/** Time limit of one request to a service. Milliseconds. */
const TIMEOUT_MS = 30_000;

/** A service's API and the token that it is read with. */
export interface ServiceAccess {
  /** The address of its GraphQL API. */
  readonly url: string;
  /** The header that carries the token, fetched for each request. `refused`: the one that was not accepted just now. */
  readonly authorization: (refused?: string) => Promise<string>;
}

/** What a service answered: an HTTP status and the body, or why there is no answer. One line, safe for a terminal. */
export type ServiceAnswer = { readonly status: number; readonly body: string } | { readonly problem: string };

const Request = z.strictObject({ document: z.string(), ids: z.array(z.string().min(1).max(200)).max(MOST_KEYS) });

/** Why a request of the oracle is not sent. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
}

/**
 * Sends one request of the oracle. Only the documents of `DOCUMENTS` are sent, which read and never write; their only variable is a
 * list of keys. Throws a RequestRefused for every other one.
 */
export async function askService(
  { kind, access }: { readonly kind: ServicePlace["kind"]; readonly access: ServiceAccess },
  text: string,
  signal?: AbortSignal,
): Promise<ServiceAnswer> {
  const request = Request.safeParse(parseJson(text));
  if (!request.success || request.data.document !== DOCUMENTS[kind])
    throw new RequestRefused("the oracle asked for something that it may not ask");
  const body = JSON.stringify({ query: request.data.document, variables: { ids: request.data.ids } });
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const stop = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  try {
    const first = await access.authorization();
    const answer = await send(access.url, first, body, stop);
    if (!("status" in answer) || answer.status !== 401) return answer;
    return await send(access.url, await access.authorization(first), body, stop);
  } catch (error) {
    return { problem: `the tracker cannot be reached: ${fetchFailure(error)}` };
  }
}

/** Serves the requests that a process of the oracle writes to a line, until it closes it. A refused request ends the line. */
export function serveLine(line: Duplex, ask: (text: string) => Promise<ServiceAnswer>): void {
  let rest = "";
  let turn: Promise<void> = Promise.resolve();
  const answer = async (text: string): Promise<void> => {
    const said = await ask(text);
    line.write(`${JSON.stringify(said)}\n`);
  };
  line.setEncoding("utf8");
  line.on("data", (chunk: string) => {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_REQUEST) return void line.destroy();
    for (const text of lines) turn = turn.then(() => answer(text)).catch(() => void line.destroy());
  });
  // The process may end at any moment; its exit code says what there is to say.
  line.on("error", () => line.destroy());
}

async function send(url: string, authorization: string, body: string, signal: AbortSignal): Promise<ServiceAnswer> {
  const headers = { authorization, "content-type": "application/json", accept: "application/json", "user-agent": "loopdash" };
  const response = await fetch(url, { method: "POST", headers, body, redirect: "error", signal });
  const bytes: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER) return { problem: `the tracker's answer is larger than ${MAX_ANSWER} bytes` };
    bytes.push(chunk);
  }
  const said = Buffer.concat(bytes).toString("utf8");
  return { status: response.status, body: withoutToken(said, authorization.replace(/^Bearer /, "")) };
}

/** `fetch` hides the reason in the cause of its error. */
function fetchFailure(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return errorMessage(cause instanceof Error ? cause : error);
}
