import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { newSocketPath } from "../../src/adapters/channel/socket-client.ts";
import { journalOutage } from "../../src/cli/engine-outage.ts";
import { engine, stateAt, tempFolder } from "../adapters/channel/serving.ts";

const JOURNAL = { since: 1, why: "the disk is full", nextAt: 2, until: 3 };

test("the engine tells if its journal can be written", async () => {
  const folder = tempFolder();
  const { channel } = await engine({ socketPath: newSocketPath(folder) });
  expect(await journalOutage(folder)).toBeUndefined();
  const state = { ...stateAt(1), outages: { journal: JOURNAL } };
  channel.serve({ snapshot: () => ({ kind: "snapshot", state, recent: [] }), command: () => undefined });
  expect(await journalOutage(folder)).toEqual(JOURNAL);
});

test("an engine that is not there, or says nothing, leaves it unknown", async () => {
  const folder = tempFolder();
  expect(await journalOutage(folder)).toBe("unknown");
  const path = newSocketPath(folder);
  expect(await journalOutage(folder)).toBe("unknown");
  const silent = createServer().listen(path);
  onTestFinished(() => void silent.close());
  expect(await journalOutage(folder, 50)).toBe("unknown");
});
