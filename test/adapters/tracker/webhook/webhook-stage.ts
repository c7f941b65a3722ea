import { createHmac } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { openWebhook } from "../../../../src/adapters/tracker/webhook/open-webhook.ts";
import { FakeClock } from "../../../loop/fake-clock.ts";

type Options = Parameters<typeof openWebhook>[0];
export type Kind = Options["kind"];
export const SECRET = "the-secret-of-the-webhook";
export const NOW = new FakeClock().now();

export const signed = (body: string, secret = SECRET) => createHmac("sha256", secret).update(body).digest("hex");
export const linearBody = (at = NOW, action = "update") => JSON.stringify({ action, type: "Issue", webhookTimestamp: at });

/** The headers of a genuine delivery. */
export function headersOf(kind: Kind, body: string, id = "d-1", secret = SECRET): Record<string, string> {
  return kind === "linear"
    ? { "linear-signature": signed(body, secret), "linear-delivery": id, "linear-event": "Issue" }
    : { "x-hub-signature-256": `sha256=${signed(body, secret)}`, "x-github-delivery": id, "x-github-event": "issues" };
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A receiver on a real socket whose clock stands still, and what it did. */
export async function opened(kind: Kind = "github", over: Partial<Options> = {}) {
  const clock = new FakeClock();
  const seen = { changes: 0, problems: [] as string[] };
  const webhook = await openWebhook({
    port: 0,
    kind,
    secret: async () => SECRET,
    changed: () => void (seen.changes += 1),
    clock,
    onProblem: (problem) => void seen.problems.push(problem),
    ...over,
  });
  onTestFinished(() => webhook.close());
  const send = ({ method = "POST", path = "/", headers = {}, body = "" }: Sent) =>
    sent(webhook.port, method, path, headers, body);
  const deliver = (body: string, id?: string) => send({ headers: headersOf(kind, body, id), body });
  return { webhook, clock, seen, send, deliver };
}

function sent(port: number, method: string, path: string, headers: Record<string, string>, body: string) {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const req = request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (res) => {
    res.resume();
    resolve(res.statusCode ?? 0);
  });
  // Once an answer is there, the rest of the request may be cut off.
  req.once("error", reject);
  req.end(body);
  return promise;
}

/** A connection to a receiver. */
export async function connected(port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port });
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  // A connection that is cut may say so.
  socket.on("error", () => undefined);
  return socket;
}
