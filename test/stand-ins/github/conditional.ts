import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Budgets } from "./budgets.ts";
import type { RestAnswer } from "./rest.ts";

/** An answer of the REST API as it goes out. `counted` is what it took from the budget. */
export interface CountedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly counted: number;
}

/** An answer with its ETag and the address of the next page. One that the client has already is not counted. */
export function conditional(
  { status, body, next, headers: own }: RestAnswer,
  { headers, address, budgets }: { readonly headers: IncomingHttpHeaders; readonly address: string; readonly budgets: Budgets },
): CountedAnswer {
  const etag = `W/"${createHash("sha256")
    .update(JSON.stringify(body ?? null))
    .digest("hex")}"`;
  if (status === 200 && headers["if-none-match"] === etag)
    return { status: 304, headers: { ...budgets.headers("core"), etag }, counted: 0 };
  budgets.take("core", 1);
  const more = new URL(address);
  more.searchParams.set("page", String(next));
  const link: Readonly<Record<string, string>> = next === undefined ? {} : { link: `<${more.href}>; rel="next"` };
  return { status, headers: { ...budgets.headers("core"), etag, ...link, ...own }, body, counted: 1 };
}

/** A body as it goes out: JSON, unless it is bytes. */
export function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
}
