import { mkdirSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLocks } from "../../src/adapters/locks/sqlite-locks.ts";
import { exitMessage } from "../../src/cli/dashboard/watch.ts";
import { batchLock } from "../../src/cli/engine/engine-locks.ts";
import { stateHome } from "../../src/cli/state-home.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { plumbingEnded } from "../store/scenes.ts";

const printed = vi.hoisted(() => [] as string[]);
vi.mock("../../src/cli/print.ts", () => ({ writeAll: (_: number, text: string) => void printed.push(text) }));

const home = scratchFolder();
beforeEach(() => void vi.stubEnv("LOOPDASH_HOME", home()));
afterEach(() => void vi.unstubAllEnvs());

// To wait for the lock takes five seconds, and then goes on all the same.
test("a run that ended long ago is left at once, though a later run of its batch is at work", { timeout: 4_000 }, async () => {
  const { state } = plumbingEnded("not-done");
  const { locks } = stateHome(process.env, home());
  mkdirSync(locks);
  const later = createLocks(locks).take([batchLock(state.batchPath)], { pid: process.pid, run: "later", since: 1 });
  expect(later.ok).toBe(true);
  expect(await exitMessage(state.run, state, false)).toBe(1);
  expect(printed.join("")).toContain("NOT DONE, says the oracle");
  if (later.ok) for (const lock of later.locks) lock[Symbol.dispose]();
});
