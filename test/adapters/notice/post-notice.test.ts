import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NoticeFailed, postNotice } from "../../../src/adapters/notice/post-notice.ts";
import type { NotifyRoute } from "../../../src/domain/batch/notify-spec.ts";

interface Seen {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The text of an agent that would ping all, and be a link. */
const MESSAGE = {
  ...{ run: "r-1", batch: "b", title: "loopdash b: 1 landed" },
  text: "loopdash b: 1 landed\n<!channel> @everyone **bold** [x](http://evil)",
  notices: [],
};

let seen: Seen[] = [];
let answer: { status: number; headers: Record<string, string> } = { status: 200, headers: {} };
const server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  seen.push({ headers: request.headers, body });
  response.writeHead(answer.status, answer.headers).end("no");
});

beforeAll(() => new Promise<void>((settle) => void server.listen(0, "127.0.0.1", settle)));
afterAll(() => void server.close());

function post(spec: Partial<NotifyRoute>, more: { readonly token?: string } = {}): Promise<void> {
  seen = [];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return postNotice({ name: "x 1", spec: spec as NotifyRoute, url, ...more }, MESSAGE, 1_000_000);
}

describe("a message", () => {
  test("pings nobody in Slack and is no markup there", async () => {
    answer = { status: 200, headers: {} };
    await post({ kind: "slack" });
    const body = JSON.parse(seen[0]?.body ?? "");
    expect(body).toMatchObject({ mrkdwn: false, text: expect.stringContaining("&lt;!channel&gt;") });
  });

  test("pings nobody in Discord and is no markup there", async () => {
    answer = { status: 204, headers: {} };
    await post({ kind: "discord" });
    const body = JSON.parse(seen[0]?.body ?? "");
    expect(body.allowed_mentions).toEqual({ parse: [] });
    expect(body.content).toContain("\\*\\*bold\\*\\* \\[x\\](http://evil)");
  });

  test("goes to ntfy as text, with its token", async () => {
    answer = { status: 200, headers: {} };
    await post({ kind: "ntfy" }, { token: "tk" });
    expect(seen[0]?.body).toBe(MESSAGE.text);
    expect(seen[0]?.headers["authorization"]).toBe("Bearer tk");
  });

  test.each([
    [{ status: 429, headers: { "retry-after": "7" } }, 7_000],
    [{ status: 500, headers: {} }, 0],
    [{ status: 429, headers: { "retry-after": "999999999" } }, 3_600_000],
    [{ status: 429, headers: { "retry-after": "soon" } }, 0],
  ])("that is not taken fails with the wait that the receiver wants: %j", async (given, waitMs) => {
    answer = given;
    const failed = await post({ kind: "ntfy" }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(NoticeFailed);
    expect(failed).toMatchObject({ waitMs, message: `it answered ${given.status}` });
  });

  test("follows no redirect, which would carry it to another host", async () => {
    answer = { status: 307, headers: { location: "http://127.0.0.1:1/" } };
    await expect(post({ kind: "slack" })).rejects.toThrow("it cannot be reached: unexpected redirect");
    expect(seen).toHaveLength(1);
  });

  test("reaches a program on its standard input, and its exit code counts", async () => {
    await postNotice({ name: "c", spec: { kind: "command", command: ["grep", "-q", "1 landed"] } }, MESSAGE, 0);
    const route = { name: "c", spec: { kind: "command", command: ["grep", "-q", "absent"] } } as const;
    await expect(postNotice(route, MESSAGE, 0)).rejects.toThrow("it exited with code 1");
  });
});
