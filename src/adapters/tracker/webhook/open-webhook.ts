import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { errorMessage, plainText } from "../../../domain/values/text.ts";
import { EXIT, UserError } from "../../../domain/values/user-error.ts";
import type { Clock } from "../../../ports/clock.ts";
import { ACCEPTED, claimedSignature, DeliveryCheck, RefusedDelivery, type WebhookKind } from "./delivery.ts";

const HOST = "127.0.0.1";
/** Longest body, in bytes. */
const MAX_BODY = 1024 * 1024;
/** Longest life of a connection, which carries one request. Milliseconds. Linear waits 5 s for an answer, GitHub 10 s. */
const REQUEST_MS = 5_000;
const MAX_CONNECTIONS = 16;
/** Least time between two calls of `changed`. Milliseconds. */
const BETWEEN_MS = 1_000;

/** A receiver of webhooks. */
export interface Webhook {
  /** The port that it listens on. */
  readonly port: number;
  /** Ends it with all its connections. `changed` is not called any more. */
  close(): Promise<void>;
}

interface WebhookOptions {
  /** The port of 127.0.0.1; 0 for any. */
  readonly port: number;
  readonly kind: WebhookKind;
  /** The secret that the service signs with, asked for at the start and for each delivery. */
  readonly secret: () => Promise<string>;
  /** Called after a delivery, at most once a second. */
  readonly changed: () => void;
  /** @default the machine's */
  readonly clock?: Clock;
  /** Told in one line, safe for a terminal, if deliveries cannot be received or checked. @default a warning of the process */
  readonly onProblem?: (problem: string) => void;
}

const CLOCK: Clock = {
  now: Date.now,
  after: (ms, then) => {
    const timer = setTimeout(then, ms).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Listens on 127.0.0.1 for the webhooks of a service, which come through a tunnel of the user. A delivery says only that something
 * may have changed: nothing of its content is used. Throws a UserError (exit 4) if there is no secret, or the port cannot be had.
 */
export async function openWebhook({
  port: wanted,
  kind,
  secret,
  changed,
  clock = CLOCK,
  onProblem = (problem) => process.emitWarning(problem),
}: WebhookOptions): Promise<Webhook> {
  await filled(secret).catch((cause: unknown) => {
    if (cause instanceof UserError) throw cause;
    throw refusal(
      "the webhook has no secret",
      'Name it in "webhook" of the tracker, and say under "secrets" where it is.',
      cause,
    );
  });
  const throttle = new Throttle(changed, BETWEEN_MS, clock);
  const check = new DeliveryCheck(kind, () => clock.now());
  const server = createServer((req, res) => void receive(req, res, { kind, secret, onProblem, check, throttle }));
  server.maxConnections = MAX_CONNECTIONS;
  server.on("connection", (socket: Socket) => {
    // Covers all of it: headers, body, the secret and the answer.
    socket.once(
      "close",
      clock.after(REQUEST_MS, () => socket.destroy()),
    );
  });
  const port = await listen(server, wanted);
  server.on("error", (error) => onProblem(`the webhook: ${plainText(errorMessage(error), 300)}`));
  return {
    port,
    close: () => {
      throttle.end();
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      return promise;
    },
  };
}

interface Receiver extends Pick<WebhookOptions, "kind" | "secret"> {
  readonly onProblem: (problem: string) => void;
  readonly check: DeliveryCheck;
  readonly throttle: Throttle;
}

/** Answers one request. Never rejects. */
async function receive(req: IncomingMessage, res: ServerResponse, receiver: Receiver): Promise<void> {
  try {
    await take(req, receiver);
  } catch (error) {
    if (error instanceof RefusedDelivery) return answer(res, error.status, error.message);
    receiver.onProblem(`a webhook could not be checked: ${plainText(errorMessage(error), 300)}`);
    return answer(res, 503, "it cannot be checked now");
  }
  answer(res, ACCEPTED[receiver.kind], "taken");
  receiver.throttle.request();
}

/** Cheap checks come first: anybody may send what fails them. */
async function take(req: IncomingMessage, { kind, check, secret }: Receiver): Promise<void> {
  if (req.url !== "/") throw new RefusedDelivery(404, "there is nothing here");
  if (req.method !== "POST") throw new RefusedDelivery(405, "webhooks are posted");
  const claimed = claimedSignature(kind, req.headers);
  const body = await readRequestBody(req);
  check.take({ headers: req.headers, body, claimed, secret: await filled(secret) });
}

/** The whole body. Rejects with RefusedDelivery: 413, or 400 if it breaks off. */
function readRequestBody(req: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const tooLong = new RefusedDelivery(413, `a delivery has at most ${MAX_BODY} bytes`);
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= MAX_BODY) return void chunks.push(chunk);
    // Not destroyed: the refusal must still be sent.
    req.off("data", take).pause();
    reject(tooLong);
  };
  if (Number(req.headers["content-length"] ?? 0) > MAX_BODY) reject(tooLong);
  else req.on("data", take);
  req.once("end", () => resolve(Buffer.concat(chunks, size)));
  // After its end, or a refusal, this has no effect.
  req.once("close", () => reject(new RefusedDelivery(400, "the delivery is not whole")));
  return promise;
}

/** A secret that is not empty: everybody could sign with an empty one. */
async function filled(secret: WebhookOptions["secret"]): Promise<string> {
  const value = await secret();
  if (value === "") throw new Error("the secret is empty");
  return value;
}

/** One request per connection: what is left of it is not read. */
function answer(res: ServerResponse, status: number, text: string): void {
  res.shouldKeepAlive = false;
  res.writeHead(status, { "content-type": "text/plain", ...(status === 405 && { allow: "POST" }) }).end(`${text}\n`);
}

async function listen(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ host: HOST, port }, resolve);
  await promise.catch((cause: unknown) => {
    const todo = 'Choose another "port" of "webhook", or end the program that has this one.';
    throw refusal(`the webhook cannot listen on ${HOST}:${port}`, todo, cause);
  });
  server.off("error", reject);
  return (server.address() as AddressInfo).port;
}

function refusal(what: string, todo: string, cause: unknown): UserError {
  return new UserError({ what, why: plainText(errorMessage(cause), 300), todo, exitCode: EXIT.refused, cause });
}

/** Calls a function at most once in `ms` milliseconds: at once for the first request, and once more for all requests meanwhile. */
class Throttle {
  readonly #call: () => void;
  readonly #ms: number;
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;
  #isRequested = false;
  #isOver = false;

  constructor(call: () => void, ms: number, clock: Clock) {
    this.#call = call;
    this.#ms = ms;
    this.#clock = clock;
  }

  request(): void {
    if (this.#isOver) return;
    this.#isRequested = true;
    if (this.#cancel === undefined) this.#next();
  }

  /** No call comes after this, whatever is requested. */
  end(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  #next(): void {
    this.#cancel = undefined;
    if (!this.#isRequested) return;
    this.#isRequested = false;
    this.#cancel = this.#clock.after(this.#ms, () => this.#next());
    this.#call();
  }
}
