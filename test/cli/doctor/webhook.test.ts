import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createLocks } from "../../../src/adapters/locks/sqlite-locks.ts";
import { openWebhook } from "../../../src/adapters/tracker/webhook/open-webhook.ts";
import { checkWebhook } from "../../../src/cli/doctor/tracker.ts";
import { batchLock } from "../../../src/cli/engine/engine-locks.ts";
import type { LoadedBatch } from "../../../src/cli/engine/load-batch.ts";
import type { StateHome } from "../../../src/cli/state-home.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();

/** A port of 127.0.0.1 that another program has. */
async function takenPort(): Promise<{ readonly port: number; free(): Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const free = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  onTestFinished(async () => void (server.listening && (await free())));
  return { port: (server.address() as { port: number }).port, free };
}

const check = (port: number) => {
  const home = { locks: join(folder(), "locks.db") } as StateHome;
  const webhook = { port, secret: "hook" };
  const listen = () => openWebhook({ port, kind: "linear", secret: async () => "s", changed: () => undefined });
  const loaded = {
    batch: { tracker: { kind: "linear", webhook } },
    path: "/b.json",
    outside: { listen },
  } as unknown as LoadedBatch;
  return { home, findings: () => checkWebhook(loaded, home) };
};

test("a webhook whose port another program has is bad, and a free one is left free", async () => {
  const { port, free } = await takenPort();
  const { findings } = check(port);
  expect(await findings()).toEqual([
    {
      check: "webhook",
      status: "bad",
      found: expect.stringContaining(`the webhook cannot listen on 127.0.0.1:${port}: listen EADDRINUSE`),
      fix: expect.stringContaining('Choose another "port"'),
    },
  ]);
  await free();
  expect(await findings()).toMatchObject([{ status: "ok", found: expect.stringContaining(`port ${port}`) }]);
  expect(await findings()).toMatchObject([{ status: "ok" }]);
});

test("the port of a run that goes on is that run's", async () => {
  const { port } = await takenPort();
  const { home, findings } = check(port);
  const taken = createLocks(home.locks).take([batchLock("/b.json")], { pid: process.pid, run: "r", since: 0 });
  expect(taken.ok).toBe(true);
  expect(await findings()).toMatchObject([{ status: "ok", found: expect.stringContaining("is going on") }]);
  if (taken.ok) for (const lock of taken.locks) lock[Symbol.dispose]();
});

test("a batch without a webhook has no such check", async () => {
  const loaded = { batch: { tracker: { kind: "linear" } }, outside: {} } as unknown as LoadedBatch;
  expect(await checkWebhook(loaded, {} as StateHome)).toEqual([]);
});
