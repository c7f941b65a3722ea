import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { asObject, parseJson } from "@loopdash/values";

/** A service that sends webhooks. */
export type WebhookKind = "linear" | "github";

/** Where a service puts the signature, and the id of a delivery (names in lower case). */
const HEADERS = {
  linear: { signature: "linear-signature", prefix: "", id: "linear-delivery" },
  github: { signature: "x-hub-signature-256", prefix: "sha256=", id: "x-github-delivery" },
} as const;

/**
 * The answer to a delivery that is taken. Linear counts anything but 200 as failed, sends it again, and may give the webhook up
 * (developers.linear.app/docs/graphql/webhooks). GitHub takes any 2xx.
 */
export const ACCEPTED = { linear: 200, github: 202 } as const;

/** Most milliseconds between Linear's clock at sending and ours at receiving: Linear's own advice, and that of its SDK. */
const MAX_AGE_MS = 60_000;

/** Deliveries that are remembered. */
const REMEMBERED = 10_000;
const LONGEST_ID = 200;

/** A request that is not taken. `status` is that of HTTP; the message goes to the sender. */
export class RefusedDelivery extends Error {
  override readonly name = "RefusedDelivery";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The signature that a request claims, in bytes. Throws RefusedDelivery (401) unless it has the form of one. */
export function claimedSignature(kind: WebhookKind, headers: IncomingHttpHeaders): Buffer {
  const { signature, prefix } = HEADERS[kind];
  const value = headers[signature];
  if (typeof value !== "string" || !value.startsWith(prefix)) throw new RefusedDelivery(401, "there is no signature");
  const hex = value.slice(prefix.length);
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new RefusedDelivery(401, "the signature is wrong");
  return Buffer.from(hex, "hex");
}

/**
 * Tells genuine deliveries of one service from forged and repeated ones.
 *
 * The signature covers the body alone, so whoever has caught a delivery could send it again under another id. Therefore both the id
 * and the signature of the last 10,000 deliveries are remembered. Linear's body has the time of sending as well, and no other body is
 * taken later than a minute after it. GitHub's has none: a caught delivery is taken again after 10,000 others, or by the next engine.
 * That causes one more reading of the tracker, and nothing else.
 */
export class DeliveryCheck {
  readonly #kind: WebhookKind;
  readonly #now: () => number;
  readonly #ids = new Set<string>();
  readonly #signatures = new Set<string>();

  /** `now` gives milliseconds since the epoch. */
  constructor(kind: WebhookKind, now: () => number) {
    this.#kind = kind;
    this.#now = now;
  }

  /**
   * Takes a delivery, once. Throws RefusedDelivery: 401 for a wrong signature, 400 without an id or a time, 409 for a repeated or late one.
   * Nothing of a forged delivery is looked at or remembered.
   */
  take({
    headers,
    body,
    claimed,
    secret,
  }: {
    readonly headers: IncomingHttpHeaders;
    readonly body: Buffer;
    readonly claimed: Buffer;
    readonly secret: string;
  }): void {
    const signature = createHmac("sha256", secret).update(body).digest();
    if (!timingSafeEqual(signature, claimed)) throw new RefusedDelivery(401, "the signature is wrong");
    const id = headers[HEADERS[this.#kind].id];
    if (typeof id !== "string" || id === "" || id.length > LONGEST_ID) throw new RefusedDelivery(400, "the delivery has no id");
    if (this.#kind === "linear") this.#refuseLate(body);
    const key = signature.toString("hex");
    if (this.#ids.has(id) || this.#signatures.has(key)) throw new RefusedDelivery(409, "this delivery was taken before");
    remember(this.#ids, id);
    remember(this.#signatures, key);
  }

  #refuseLate(body: Buffer): void {
    const sentAt = webhookTimestamp(body);
    if (sentAt === undefined) throw new RefusedDelivery(400, "the delivery has no time");
    if (Math.abs(this.#now() - sentAt) > MAX_AGE_MS) throw new RefusedDelivery(409, "this delivery was sent at another time");
  }
}

function webhookTimestamp(body: Buffer): number | undefined {
  const at = asObject(parseJson(body.toString("utf8")))?.["webhookTimestamp"];
  return typeof at === "number" ? at : undefined;
}

/** Adds a value, and forgets the oldest one if there are too many. */
function remember(known: Set<string>, value: string): void {
  known.add(value);
  const [oldest] = known;
  if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
}
