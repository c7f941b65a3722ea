import { createHmac } from "node:crypto";
import type { NotifyRoute } from "../../domain/batch/notify-spec.ts";
import type { NoticeMessage } from "../../domain/notice/notices.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { runBriefly } from "../executor/brief-run.ts";
import { allowedEnvironment } from "../executor/environment.ts";

/** A receiver with the secrets that it needs. */
export interface OpenRoute {
  /** Its kind, and its place in the batch: `slack 2`. */
  readonly name: string;
  readonly spec: NotifyRoute;
  readonly url?: string | undefined;
  readonly signKey?: string | undefined;
  readonly token?: string | undefined;
}

/** A receiver did not take a message. Its text has no secret and no answer of the receiver. */
export class NoticeFailed extends Error {
  override readonly name = "NoticeFailed";
  /** Milliseconds for which the receiver wants no other; 0 if it did not say. */
  readonly waitMs: number;
  constructor(why: string, waitMs = 0) {
    super(why);
    this.waitMs = waitMs;
  }
}

/** The time for one message. Milliseconds. */
const POST_MS = 15_000;
/** The longest wait that a receiver may ask for. Milliseconds. */
const MOST_WAIT_MS = 60 * 60_000;

/** Sends a message to a receiver, once. Throws NoticeFailed if it does not take it. */
export async function postNotice(route: OpenRoute, message: NoticeMessage, now: number): Promise<void> {
  const { spec } = route;
  if (spec.kind === "command") return runNotice(spec.command, message);
  const { url, body, headers } = requestFor(route, message, now);
  const answer = await fetch(url, {
    method: "POST",
    body,
    headers,
    redirect: "error",
    signal: AbortSignal.timeout(POST_MS),
  }).catch((error: unknown) => {
    throw new NoticeFailed(`it cannot be reached: ${describeCause(error)}`);
  });
  await answer.body?.cancel();
  if (answer.ok) return;
  const seconds = Number(answer.headers.get("retry-after") ?? 0);
  throw new NoticeFailed(`it answered ${answer.status}`, Math.min(Number.isFinite(seconds) ? seconds * 1_000 : 0, MOST_WAIT_MS));
}

interface NoticeRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The request of a receiver's own form. What stands in the text pings nobody and is no markup. */
function requestFor({ spec, url = "", signKey = "", token }: OpenRoute, message: NoticeMessage, now: number): NoticeRequest {
  const json = { "content-type": "application/json" };
  switch (spec.kind) {
    case "slack": {
      const text = message.text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      return { url, body: JSON.stringify({ text, mrkdwn: false, unfurl_links: false }), headers: json };
    }
    case "discord": {
      // Flag 4 shows no previews of links.
      const body = { content: message.text.replace(/[\\*_~`|>#[\]]/g, "\\$&"), allowed_mentions: { parse: [] }, flags: 4 };
      return { url, body: JSON.stringify(body), headers: json };
    }
    case "ntfy": {
      const headers = {
        "content-type": "text/plain; charset=utf-8",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      return { url, body: message.text, headers };
    }
    default: {
      const body = JSON.stringify(message);
      const time = String(Math.floor(now / 1_000));
      const signature = createHmac("sha256", signKey).update(`${time}.${body}`).digest("hex");
      return { url, body, headers: { ...json, "loopdash-timestamp": time, "loopdash-signature": `sha256=${signature}` } };
    }
  }
}

async function runNotice(command: readonly string[], message: NoticeMessage): Promise<void> {
  const env = { ...allowedEnvironment(process.env, {}), LOOPDASH_NOTICE_TITLE: message.title };
  const { exitCode } = await runBriefly(command, { env, timeoutMs: POST_MS, input: `${message.text}\n` });
  if (exitCode === 0) return;
  throw new NoticeFailed(exitCode === undefined ? "it did not start, or not end in time" : `it exited with code ${exitCode}`);
}

/** The innermost reason of a failed request: fetch wraps it. */
function describeCause(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return plainText(errorMessage(cause), 200);
}
