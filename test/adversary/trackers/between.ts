import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Service } from "../../e2e/services.ts";

/** A request as it passed. It has no token. */
export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Who says to ask: the header User-Agent. */
  readonly agent: string;
  readonly hasToken: boolean;
  /** True for the oracle's document. */
  readonly isOracle: boolean;
  readonly isWrite: boolean;
}

/** What comes back in place of the true answer: another answer, the true one with another text, half of it, or one without an end. */
export type Lie =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }
  | ((answer: string) => string)
  | "half"
  | "endless";

/** An answer without an end has no more than this, so that no test fills the machine. Bytes. */
const MOST_SENT = 2 ** 30;

/** A server between loopdash and a service. It passes all on, unless it lies. */
export class Between {
  readonly heard: Heard[] = [];
  /** What it does with a request. It may take its time. */
  lie: (request: Heard) => Lie | undefined | Promise<undefined> = () => undefined;
  #target = "";
  #sent = 0;
  readonly #server = createServer((request, response) => void this.#serve(request, response).catch(() => response.destroy()));

  /** Opens one. It ends with the test. */
  static async open(): Promise<Between> {
    const between = new Between();
    await new Promise<void>((resolve) => between.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(async () => {
      between.#server.closeAllConnections();
      await new Promise((resolve) => between.#server.close(resolve));
    });
    return between;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The most bytes of one answer without an end. */
  get sent(): number {
    return this.#sent;
  }

  /** The key of a batch's tracker that leads here in place of the service. */
  address(kind: Service["kind"]): Readonly<Record<string, string>> {
    return kind === "linear" ? { apiUrl: `${this.origin}/graphql` } : { baseUrl: `${this.origin}/api/v3` };
  }

  /** Says where the service is. */
  leadTo({ tracker }: Service): void {
    this.#target = new URL(String(tracker["apiUrl"] ?? tracker["baseUrl"])).origin;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method = "GET", url: path = "/", headers } = request;
    const heard: Heard = {
      method,
      path,
      body,
      agent: headers["user-agent"] ?? "",
      hasToken: headers.authorization !== undefined,
      isOracle: body.includes("LoopdashOracle"),
      isWrite: path.endsWith("/graphql") ? /"query":"(?:[^"]*\\n)?\s*mutation\b/.test(body) : method !== "GET",
    };
    this.heard.push(heard);
    const lie = await this.lie(heard);
    if (lie === "endless") return await this.#pour(response);
    if (typeof lie === "object") return void response.writeHead(lie.status, lie.headers).end(lie.body);
    const { host: _, "content-length": __, connection: ___, ...kept } = headers;
    const answer = await fetch(`${this.#target}${path}`, {
      method,
      headers: kept as Record<string, string>,
      ...(body !== "" && { body }),
    });
    const said = await answer.text();
    const told = typeof lie === "function" ? lie(said) : said;
    const { "transfer-encoding": ____, ...passed } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, answer.status === 304 ? passed : { ...passed, "content-length": Buffer.byteLength(told) });
    if (lie !== "half") return void response.end(told);
    response.write(told.slice(0, told.length / 2), () => response.destroy());
  }

  /** Blanks are JSON so far, and the end never comes. */
  async #pour(response: ServerResponse): Promise<void> {
    response.writeHead(200, { "content-type": "application/json" });
    const closed = new Promise((resolve) => response.once("close", resolve));
    const blanks = Buffer.alloc(1024 * 1024, " ");
    for (let sent = 0; !response.destroyed && sent < MOST_SENT; ) {
      sent += blanks.length;
      this.#sent = Math.max(this.#sent, sent);
      if (!response.write(blanks)) await Promise.race([closed, new Promise((resolve) => response.once("drain", resolve))]);
    }
  }
}
