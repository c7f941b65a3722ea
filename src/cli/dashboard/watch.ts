import type { RunId } from "../../domain/values/ids.ts";
import { UserError } from "../../domain/values/user-error.ts";
import type { Keymap } from "../../store/dashboard-state.ts";
import { createDashboardStore } from "../../store/dashboard-store.ts";
import { KEYMAP } from "../../store/keymap/keymap.ts";
import { resetDashboard } from "../../store/reset.ts";
import { lookUpRun } from "../find-run.ts";
import { printUserError } from "../print.ts";
import { draw } from "./draw.ts";
import { exitMessage, ownExitCode } from "./exit-message.ts";
import { startReaders } from "./readers.ts";
import { type RunToShow, showRun } from "./shown-run.ts";

/** How long a message about what could not be done stays. Milliseconds. */
const TOAST_MS = 6_000;

/**
 * The dashboard of a run, and of any other that a person switches to. Gives the exit code of the run that it was opened for; 130
 * where that goes on, 1 where its engine is gone. Throws a UserError (exit 3) where its journal is broken.
 */
export async function watch(own: RunToShow, keymap: Keymap = KEYMAP): Promise<number> {
  const store = createDashboardStore({ now: Date.now(), keymap });
  let shown = showRun(own, store);
  const endReaders = startReaders({ store, folder: () => shown.folder });
  const switchRun = (run: RunId): void => {
    if (run === shown.run) return store.dispatch({ type: "view", view: "overview" });
    try {
      const { folder, live } = lookUpRun(run);
      shown.close();
      resetDashboard(store);
      shown = showRun({ run, folder, live }, store);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const until = store.getState().now + TOAST_MS;
      store.dispatch({ type: "toast", toast: { text: `${error.what}: ${error.why}`, tone: "bad", until } });
    }
  };
  await draw(store, { send: (command) => shown.send(command), switchRun });
  endReaders();
  const leave = async () => exitMessage(shown.run, await shown.last(), store.getState().ui.connection.state === "lost");
  if (shown.run === own.run) return leave();
  await leave().catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    printUserError(error);
  });
  return ownExitCode(own.run);
}
