import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";

/**
 * Headers of a model request that are passed on. All others stay behind, whatever their names: credentials, cookies, the choice
 * of an organisation that pays, and everything about the connection.
 */
const TO_MODEL =
  /^(?:accept|accept-language|content-type|user-agent|x-app|x-stainless-[\w-]+|x-claude-code-[\w-]+|anthropic-(?:version|beta|dangerous-direct-browser-access)|openai-beta|originator|version|session[_-]id|conversation[_-]id|thread[_-]id|x-codex-[\w-]+|x-openai-internal-codex-[\w-]+|x-client-request-id)$/;

/** About one connection only (RFC 9110, 7.6.1, and headers of old proxies). */
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

/** The headers of a model request for the vendor. They ask for an uncompressed answer, so that it can be read. */
export function headersToModel(req: IncomingMessage): OutgoingHttpHeaders {
  const kept = Object.entries(req.headers).filter(([name]) => TO_MODEL.test(name));
  return { ...Object.fromEntries(kept), "accept-encoding": "identity" };
}

/** The headers of a model's answer for the program inside; without length and coding if the bytes have changed. */
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
