import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { allowedMethods, type HeaderHost } from "../../host-spec.ts";
import type { Masker } from "../../secret-source.ts";
import { withoutHop } from "../models/headers.ts";
import { framing, hasBody, Refusal } from "../refusals.ts";
import type { FilledHeaders, HeaderHosts } from "./header-hosts.ts";
import { type HostUpstream, isUnauthorized } from "./upstream.ts";

/**
 * Headers of a request that stay behind. The answer is searched for secrets, so it must come whole and uncompressed: a part of an
 * echo would hold a part of a secret. Some servers take a header for the method of a request.
 */
const NOT_TO_HOST = new Set([
  ...["host", "accept-encoding", "range", "if-range", "expect", "forwarded", "via", "content-length"],
  ...["x-http-method", "x-http-method-override", "x-method-override"],
]);
/** Headers of an answer that stay outside: a session would be a credential that the program holds. */
const NOT_FROM_HOST = new Set(["set-cookie", "set-cookie2", "authentication-info", "alt-svc", "clear-site-data"]);

export interface PassOptions {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly path: string;
  readonly entry: HeaderHost;
  readonly hosts: HeaderHosts;
  readonly upstream: HostUpstream;
  readonly masker: Masker;
  readonly idleMs: number;
  /** Counts bytes that came from the host. */
  readonly onBytes: (bytes: number) => void;
  /** Called with the reason if the host accepts no secret, also after it was fetched again. */
  readonly onRefused: (why: string) => void;
  /** Called with the names of secrets, as `onRefused` words them, that the host has accepted. */
  readonly onAccepted: (secrets: string) => void;
}

/**
 * Passes one request on with the headers of its entry, and the answer back without anything of them. If the host answers 401 or
 * 403 to a request without a body, the secret is fetched again and the request repeated once. Rejects with a Refusal if nothing was answered
 * yet.
 */
export async function passWithHeaders(options: PassOptions): Promise<void> {
  const { req, entry, hosts, upstream } = options;
  const method = req.method ?? "GET";
  const allowed = allowedMethods(entry);
  if (!allowed.includes(method))
    throw new Refusal(
      403,
      `${method} to ${upstream.to.host} is not open to this step: a secret is added to ${allowed.join(" and ")} only`,
    );
  if (req.headers.upgrade !== undefined)
    throw new Refusal(403, `${upstream.to.host} gets a secret, so a change of protocol (WebSocket) is not passed on`);
  const filled = await hosts.fill(entry);
  const answer = await ask(options, filled);
  if (!isUnauthorized(answer)) return passBackAccepted(answer, filled, options);
  const renewed = hasBody(req)
    ? undefined
    : await hosts.renewed(entry, filled).catch((error: unknown) => {
        answer.destroy();
        throw error;
      });
  if (renewed === undefined) return passBackRefused(answer, filled, options);
  answer.resume();
  const again = await ask(options, renewed);
  return isUnauthorized(again) ? passBackRefused(again, renewed, options) : passBackAccepted(again, renewed, options);
}

function passBackAccepted(answer: IncomingMessage, { secrets }: FilledHeaders, options: PassOptions): Promise<void> {
  options.onAccepted(joinSecretNames(secrets));
  return passBack(answer, options);
}

function joinSecretNames(secrets: FilledHeaders["secrets"]): string {
  return [...secrets.keys()].map((name) => `"${name}"`).join(" and ");
}

/** Passes an answer back that refuses the secrets, and tells so: the program knows of none, and would blame something else. */
function passBackRefused(answer: IncomingMessage, { secrets }: FilledHeaders, options: PassOptions): Promise<void> {
  const { to } = options.upstream;
  options.onRefused(`${to.host}:${to.port} answered ${answer.statusCode} to the secret ${joinSecretNames(secrets)}`);
  return passBack(answer, options);
}

/**
 * True for the line by which a host that refuses secrets is told, unless it has accepted them in another request: then it refuses
 * what was asked for, and not who asks.
 */
export function isRefusedSecret(reason: string, accepted: ReadonlySet<string>): boolean {
  const [, secrets] = /^\S+ answered 40[13] to the secret (".*)$/.exec(reason) ?? [];
  return secrets !== undefined && !accepted.has(secrets);
}

function ask({ req, path, upstream, idleMs, res }: PassOptions, { headers }: FilledHeaders): Promise<IncomingMessage> {
  return new Promise((settle, reject) => {
    const out = upstream.ask({ method: req.method ?? "GET", path, headers: { ...headersToHost(req, headers), ...framing(req) } });
    const gone = (): void => void out.destroy();
    res.once("close", gone);
    out.setTimeout(idleMs, () => out.destroy());
    out.on("error", (error) => reject(error instanceof Refusal ? error : new Refusal(502, `${upstream.to.host} broke off`)));
    // If the host asks for another protocol, Node drops the connection without an error.
    out.on("close", () => reject(new Refusal(502, `${upstream.to.host} broke off`)));
    out.on("response", settle);
    if (hasBody(req)) req.pipe(out);
    else out.end();
  });
}

/** Without those that another reader could take for one that the gateway sets (`_` for `-`, as CGI does). */
function headersToHost(req: IncomingMessage, set: FilledHeaders["headers"]): OutgoingHttpHeaders {
  const names = new Set(Object.keys(set));
  const kept = withoutHop(req, (name) => NOT_TO_HOST.has(name) || names.has(name) || names.has(name.replaceAll("_", "-")));
  return { ...kept, "accept-encoding": "identity", ...set };
}

function passBack(answer: IncomingMessage, { res, masker, upstream, onBytes }: PassOptions): Promise<void> {
  const coding = answer.headers["content-encoding"];
  if (coding !== undefined && coding !== "identity") {
    answer.destroy();
    throw new Refusal(502, `${upstream.to.host} answers compressed although it was asked not to, so secrets could not be masked`);
  }
  const headers = masker.value(withoutHop(answer, (name) => NOT_FROM_HOST.has(name)));
  const mask = masker.stream({ sameLength: true });
  return new Promise((settle) => {
    const broken = (): void => void res.destroy();
    answer.on("error", broken);
    answer.on("aborted", broken);
    res.on("close", () => {
      answer.destroy();
      settle();
    });
    try {
      res.writeHead(answer.statusCode ?? 502, headers);
    } catch {
      // Node refuses to write an ambiguous status or header; or the client is gone.
      return broken();
    }
    const write = (bytes: Buffer): boolean => bytes.length === 0 || res.write(bytes);
    answer.on("data", (chunk: Buffer) => {
      onBytes(chunk.length);
      if (write(mask.push(chunk))) return;
      answer.pause();
      res.once("drain", () => answer.resume());
    });
    answer.on("end", () => {
      write(mask.end());
      res.end();
    });
  });
}
