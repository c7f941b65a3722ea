import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { showRun } from "../../../src/cli/dashboard/watch.ts";
import { createDashboardStore } from "../../../src/store/dashboard-store.ts";
import { until } from "../../e2e/actors.ts";
import { record } from "../../helpers/recorded-run.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { plumbing, plumbingEnded } from "../../store/scenes.ts";

const home = scratchFolder();
beforeEach(() => void vi.stubEnv("LOOPDASH_HOME", home()));
afterEach(() => void vi.unstubAllEnvs());

/** A run that was at work when it was looked up, and whose engine is gone when it is to be shown. */
function justGone(built = plumbingEnded()) {
  const { run, state } = record(home(), built);
  const folder = join(home(), "runs", run);
  mkdirSync(folder, { recursive: true });
  const store = createDashboardStore({ now: 0 });
  return { state, store, shown: showRun({ run, folder, live: true }, store) };
}

test("a run that ends between the look-up and the connection is shown, and left, as it ended", async () => {
  const { state, store, shown } = justGone();
  await until(() => store.getState().run?.end !== undefined, "the end on the screen");
  expect(await shown.last()).toEqual(state);
});

test("one whose engine was killed in between is shown as far as it had come, and as lost", async () => {
  const { state, store, shown } = justGone(plumbing());
  await until(() => store.getState().run !== undefined, "the run on the screen");
  expect(store.getState().ui.connection).toMatchObject({ state: "lost", reason: expect.stringContaining("engine is gone") });
  expect(await shown.last()).toEqual(state);
  expect(store.getState().ui.connection.state).toBe("lost");
});
