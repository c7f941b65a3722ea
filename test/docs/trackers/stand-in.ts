import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** A request to a stand-in for a tracker's API. */
export interface ApiRequest {
  readonly method: string;
  /** The path below the base, decoded, and its parts between slashes. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ApiAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A server on loopback that answers as a tracker's API does. */
export interface StandIn extends AsyncDisposable {
  readonly url: string;
}

/** Starts a stand-in. `base` is the part of the path that all its requests begin with; others are not found. */
export async function serve(base: string, answer: (request: ApiRequest) => ApiAnswer): Promise<StandIn> {
  const server = createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? "/", "http://stand-in");
    const { headers, method = "GET" } = incoming;
    const hasBody = method === "POST" || method === "PUT";
    const body = hasBody ? ((await json(incoming)) as ApiRequest["body"]) : {};
    const path = url.pathname.slice(base.length);
    const isKnown = url.pathname.startsWith(base);
    const given = isKnown ? answer({ method, path, query: url.searchParams, headers, body }) : { status: 404 };
    outgoing.writeHead(given.status ?? 200, { "content-type": "application/json", ...given.headers });
    outgoing.end(given.body === undefined ? "" : JSON.stringify(given.body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
