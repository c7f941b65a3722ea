import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";

/**
 * Headers of a model request that are passed on; all others stay behind, whatever they are called: credentials,
 * cookies, the choice of an organisation that pays, and everything about the connection.
 */
const TO_MODEL =
  /^(?:accept|accept-language|content-type|user-agent|x-app|x-stainless-[\w-]+|x-claude-code-[\w-]+|anthropic-(?:version|beta|dangerous-direct-browser-access)|openai-beta|originator|version|session[_-]id|conversation[_-]id|thread[_-]id|x-codex-[\w-]+|x-client-request-id)$/;

/** About one connection only (RFC 9110, 7.6.1, and what old proxies use). */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

/** Headers of a model's answer that stay outside: they would name another host, or keep a session. */
const NOT_FROM_MODEL = new Set([
  "set-cookie",
  "set-cookie2",
  "location",
  "alt-svc",
  "refresh",
  "www-authenticate",
  "clear-site-data",
]);

/** What of a model request's headers goes to the vendor. The answer is asked for uncompressed, so that it can be read. */
export function headersToModel(req: IncomingMessage): OutgoingHttpHeaders {
  const kept = Object.entries(req.headers).filter(([name]) => TO_MODEL.test(name));
  return { ...Object.fromEntries(kept), "accept-encoding": "identity" };
}

/** What of a model answer's headers goes inside; without its length and coding where the bytes are no longer the same. */
export function headersFromModel(answer: IncomingMessage, decoded: boolean): OutgoingHttpHeaders {
  const changed = decoded ? ["content-length", "content-encoding"] : [];
  return withoutHop(answer, (name) => NOT_FROM_MODEL.has(name) || changed.includes(name));
}

/** The headers of a message without those about its connection: the known ones, and those that `Connection` names. */
export function withoutHop(message: IncomingMessage, drop: (name: string) => boolean = () => false): OutgoingHttpHeaders {
  const named = new Set((message.headers.connection ?? "").toLowerCase().split(/[\s,]+/));
  const kept = Object.entries(message.headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name) && !drop(name));
  return Object.fromEntries(kept);
}
