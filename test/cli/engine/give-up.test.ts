import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { giveUp } from "../../../src/cli/engine/choose-run.ts";
import type { RunEnvironment } from "../../../src/cli/engine/preflight.ts";
import { stateHome } from "../../../src/cli/state-home.ts";
import { record } from "../../helpers/recorded-run.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { plumbingEnded } from "../../store/scenes.ts";

const folder = scratchFolder();

test("a run is given up although its numbers cannot be kept to be shown", async () => {
  const { run, db } = record(folder(), plumbingEnded("stopped"));
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const store = openRunStore(db);
  const file = new DatabaseSync(db);
  file.exec("DROP TABLE numbers");
  file.close();
  const world = { repos: new Map() } as Partial<RunEnvironment> as RunEnvironment;
  await giveUp({ run, store, home: stateHome({ LOOPDASH_HOME: folder() }, "/"), world, now: 9 });
  expect(store.list()).toMatchObject([{ run, verdict: "not-done", reason: "given up for a fresh run (--fresh)" }]);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining("numbers"));
  store.close();
});

test("worktrees whose removal the engine did not live to end are removed with a run that is given up", async () => {
  const { run, db } = record(folder(), plumbingEnded("stopped"));
  const store = openRunStore(db);
  const home = stateHome({ LOOPDASH_HOME: folder() }, "/");
  mkdirSync(join(home.worktrees, run, ".removed-T-1-1-7-1", "node_modules"), { recursive: true });
  const world = { repos: new Map() } as Partial<RunEnvironment> as RunEnvironment;
  await giveUp({ run, store, home, world, now: 9 });
  expect(readdirSync(join(home.worktrees, run))).toEqual([]);
  store.close();
});
