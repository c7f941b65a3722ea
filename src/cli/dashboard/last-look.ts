import { closeSync, openSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode } from "../../domain/values/text.ts";
import type { DashboardStore } from "../../store/dashboard-store.ts";

/** A person who was away for less needs no account of it. Milliseconds. */
const AWAY_MS = 60_000;

const lookFile = (folder: string): string => join(folder, "last-look");

/** When a dashboard of the run was left last, in milliseconds since the epoch; undefined if none was. */
function readLastLook(folder: string): number | undefined {
  try {
    return statSync(lookFile(folder)).mtimeMs;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Notes that a person leaves the run's dashboard now. The run's folder may be gone by then. */
export function noteLook(folder: string): void {
  try {
    closeSync(openSync(lookFile(folder), "a"));
    utimesSync(lookFile(folder), new Date(), new Date());
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
}

/** Tells the dashboard of a run when a person last looked, and shows what came of it if that was long ago and it goes on. */
export function showWhileAway(store: DashboardStore, folder: string): void {
  const lastLook = readLastLook(folder);
  if (lastLook !== undefined) store.setState({ lastLook });
  const show = (): void => {
    const { run } = store.getState();
    if (run === undefined) return;
    end();
    const since = lastLook ?? run.startedAt;
    if (run.end === undefined && Date.now() - since >= AWAY_MS) store.dispatch({ type: "open", modal: { kind: "away", since } });
  };
  const end = store.subscribe(show);
}
