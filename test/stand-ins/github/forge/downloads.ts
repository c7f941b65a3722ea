import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Logs and artifacts, at an address of their own, as GitHub has them in a cloud's storage. It refuses requests that carry the token for
 * GitHub, as that storage does.
 */
export class Downloads {
  /** How many requests carried an `Authorization` header. */
  refused = 0;
  /** Called for each request: true if it gets no answer. */
  hangs: () => boolean = () => false;
  readonly #contents = new Map<string, { readonly type: string; readonly bytes: Buffer }>();
  readonly #server: Server = createServer((request, response) => {
    if (this.hangs()) return;
    const found = this.#contents.get(new URL(request.url ?? "/", "http://download.test").pathname.slice(1));
    if (request.headers.authorization !== undefined) {
      this.refused += 1;
      response.writeHead(400).end("Authentication information is not given in the correct format.");
    } else if (found === undefined) response.writeHead(404).end("The specified blob does not exist.");
    else response.writeHead(200, { "content-type": found.type, "content-length": found.bytes.length }).end(found.bytes);
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.#server.unref();
  }

  /** An address from which these bytes can be had without a token. */
  offer(type: string, bytes: Buffer): string {
    const key = randomUUID();
    this.#contents.set(key, { type, bytes });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${key}?sig=${key.slice(0, 8)}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
