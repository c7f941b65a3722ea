import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { openWebhook } from "../../../../src/adapters/tracker/webhook/open-webhook.ts";
import { UserError } from "../../../../src/domain/values/user-error.ts";
import { connected, headersOf, opened, SECRET } from "./webhook-stage.ts";

describe("a receiver", () => {
  test("has only POST to /", async () => {
    const { send } = await opened();
    expect(await send({ method: "GET" })).toBe(405);
    expect(await send({ method: "PUT", headers: headersOf("github", "x"), body: "x" })).toBe(405);
    for (const path of ["/x", "/?a=1", "//"])
      expect(await send({ path, headers: headersOf("github", "x"), body: "x" })).toBe(404);
  });

  test("takes a megabyte, and no byte more, whether its length is told or not", async () => {
    const { deliver, send, webhook } = await opened();
    expect(await deliver("x".repeat(1024 * 1024), "d-1")).toBe(202);
    const long = "x".repeat(1024 * 1024 + 1);
    expect(await send({ headers: { ...headersOf("github", long, "d-2"), "content-length": String(long.length) } })).toBe(413);
    const socket = await connected(webhook.port);
    const headers = Object.entries({ ...headersOf("github", long, "d-3"), "transfer-encoding": "chunked" });
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
    socket.write(`${long.length.toString(16)}\r\n${long}\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("lets no connection live longer than 5 s, whatever it waits for", async () => {
    const never = Promise.withResolvers<string>();
    let asked = 0;
    const secret = () => (asked++ === 0 ? Promise.resolve(SECRET) : never.promise);
    const { webhook, clock } = await opened("github", { secret });
    const begun = [
      "",
      "POST / HTTP/1.1\r\nhost: x\r\n",
      `POST / HTTP/1.1\r\nhost: x\r\nx-hub-signature-256: sha256=${"0".repeat(64)}\r\ncontent-length: 9\r\n\r\nhalf`,
      `POST / HTTP/1.1\r\nhost: x\r\nx-hub-signature-256: sha256=${"0".repeat(64)}\r\ncontent-length: 4\r\n\r\nall.`,
    ];
    const sockets = await Promise.all(begun.map(() => connected(webhook.port)));
    const ends = sockets.map((socket) => once(socket, "close"));
    sockets.forEach((socket, i) => void socket.write(begun[i] ?? ""));
    await expect.poll(() => asked).toBe(2);
    await expect.poll(() => clock.waiting).toBe(4);
    clock.advance(4_999);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, false, false]);
    clock.advance(1);
    await Promise.all(ends);
  });

  test("has 16 connections, and the next one once one of them is over", async () => {
    const { webhook, deliver, clock } = await opened();
    const first = await Promise.all(Array.from({ length: 16 }, () => connected(webhook.port)));
    await expect.poll(() => clock.waiting).toBe(16);
    await expect(deliver("a", "d-1")).rejects.toThrow();
    first[0]?.destroy();
    await expect.poll(() => clock.waiting).toBe(15);
    expect(await deliver("b", "d-2")).toBe(202);
  });

  test("answers each connection once", async () => {
    const { webhook } = await opened();
    const socket = await connected(webhook.port);
    const end = once(socket, "close");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(3));
    await end;
    expect(
      Buffer.concat(chunks)
        .toString()
        .match(/HTTP\/1\.1 /g),
    ).toHaveLength(1);
  });

  test("causes one reading a second at most, and one more for all that came in between", async () => {
    const { deliver, seen, clock } = await opened();
    for (let i = 0; i < 20; i++) expect(await deliver(`body ${i}`, `d-${i}`)).toBe(202);
    expect(seen.changes).toBe(1);
    clock.advance(999);
    expect(seen.changes).toBe(1);
    clock.advance(1);
    expect(seen.changes).toBe(2);
    clock.advance(5_000);
    expect(seen.changes).toBe(2);
    await deliver("later", "d-later");
    expect(seen.changes).toBe(3);
  });

  test("is reached on 127.0.0.1 alone", async () => {
    const { webhook } = await opened();
    const socket = connect({ host: "127.0.0.2", port: webhook.port });
    await expect(once(socket, "connect")).rejects.toThrow("ECONNREFUSED");
  });

  test("asks for its secret each time, and says in one line if it can no longer be had", async () => {
    const secrets: (string | Error)[] = [SECRET, "the-next-secret", new Error("the vault\u001b[2J is away"), ""];
    const secret = async () => {
      const next = secrets.shift() ?? SECRET;
      if (next instanceof Error) throw next;
      return next;
    };
    const { send, seen } = await opened("github", { secret });
    const deliver = (body: string, id: string, by: string) => send({ headers: headersOf("github", body, id, by), body });
    expect(await deliver("a", "d-1", "the-next-secret")).toBe(202);
    expect(await deliver("b", "d-2", SECRET)).toBe(503);
    expect(await deliver("c", "d-3", "")).toBe(503);
    expect(seen.problems).toEqual([
      "a webhook could not be checked: the vault is away",
      "a webhook could not be checked: the secret is empty",
    ]);
    expect(await deliver("b", "d-2", SECRET)).toBe(202);
  });

  test("is not opened without a secret, nor on a port that another program has", async () => {
    const { webhook } = await opened();
    const again = { kind: "github" as const, changed: () => undefined };
    await expect(openWebhook({ ...again, port: webhook.port, secret: async () => SECRET })).rejects.toMatchObject({
      what: `the webhook cannot listen on 127.0.0.1:${webhook.port}`,
      exitCode: 4,
    });
    await expect(openWebhook({ ...again, port: 0, secret: async () => "" })).rejects.toMatchObject({
      what: "the webhook has no secret",
      why: "the secret is empty",
    });
    const known = new UserError({ what: "a", why: "b", todo: "c", exitCode: 4 });
    await expect(openWebhook({ ...again, port: 0, secret: () => Promise.reject(known) })).rejects.toBe(known);
  });

  test("that is closed ends its connections, and causes no reading any more", async () => {
    const { webhook, deliver, seen, clock } = await opened();
    await deliver("a", "d-1");
    await deliver("b", "d-2");
    const socket = await connected(webhook.port);
    const end = once(socket, "close");
    await webhook.close();
    await end;
    clock.advance(10_000);
    expect(seen.changes).toBe(1);
    await expect(deliver("c", "d-3")).rejects.toThrow();
  });

  test("that is closed while a delivery waits for the secret causes no reading for it", async () => {
    const late = Promise.withResolvers<string>();
    let asked = 0;
    const secret = () => (asked++ === 0 ? Promise.resolve(SECRET) : late.promise);
    const { webhook, deliver, seen } = await opened("github", { secret });
    const delivery = deliver("a", "d-1");
    await expect.poll(() => asked).toBe(2);
    await Promise.all([webhook.close(), expect(delivery).rejects.toThrow()]);
    late.resolve(SECRET);
    await new Promise(setImmediate);
    expect(seen.changes).toBe(0);
  });
});
