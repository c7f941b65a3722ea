import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/** Bytes of the longest answer. */
const MOST_BYTES = 1024 * 1024;

/** A request with a body to a vendor. */
export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  /** The variables that name this machine's proxy. */
  readonly proxyEnv: NodeJS.ProcessEnv;
  /** Certificates (PEM) to trust in place of Node's own. */
  readonly ca?: string | undefined;
}

/** The status of an answer, and its text. */
export interface PostAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends a request from the engine. Follows no redirect. Rejects if there is no whole answer in time. The error quotes nothing of
 * it.
 */
export function post({ url, headers, body, timeoutMs, proxyEnv, ca }: PostRequest): Promise<PostAnswer> {
  const to = new URL(url);
  const isTls = to.protocol === "https:";
  const agent = isTls ? new HttpsAgent({ proxyEnv, ...(ca === undefined ? {} : { ca }) }) : new HttpAgent({ proxyEnv });
  const sent = new Promise<PostAnswer>((settle, reject) => {
    const fail = () => reject(new Error(`${to.host} did not answer`));
    const out = (isTls ? httpsRequest : httpRequest)(to, {
      agent,
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      signal: AbortSignal.timeout(timeoutMs),
    });
    out.on("error", fail);
    out.on("response", (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on("error", fail);
      answer.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > MOST_BYTES) out.destroy(new Error("too long"));
        else chunks.push(chunk);
      });
      answer.on("close", () =>
        answer.complete ? settle({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }) : fail(),
      );
    });
    out.end(body);
  });
  return sent.finally(() => agent.destroy());
}
