import { UserError } from "../../domain/values/user-error.ts";
import type { DashboardState } from "../../store/dashboard-state.ts";
import { createLiveness, listedRuns } from "../find-run.ts";
import type { Reader } from "./reader.ts";

/** How often the list is read anew while it is shown. Milliseconds. */
const EVERY_MS = 2_000;

/** All runs of this machine: read while the view of them is shown. */
export const readRuns: Reader = ({ store }) => {
  const liveness = createLiveness();
  let timer: NodeJS.Timeout | undefined;
  const list = (): ReturnType<typeof listedRuns> | undefined => {
    try {
      return listedRuns(liveness);
    } catch (error) {
      // The records cannot be read just now: what was read before stays.
      if (error instanceof UserError) return undefined;
      throw error;
    }
  };
  const read = (): void => {
    const runList = list();
    if (runList === undefined) return;
    const known = store.getState().runList;
    const kept = runList.map((run) => known?.find((other) => JSON.stringify(other) === JSON.stringify(run)) ?? run);
    // The same list again changes nothing on the screen, and a row that is as it was is not drawn anew.
    if (known === undefined || kept.length !== known.length || kept.some((run, i) => run !== known[i]))
      store.setState({ runList: kept });
  };
  const look = ({ ui }: DashboardState): void => {
    const wanted = ui.view === "runs";
    if (wanted === (timer !== undefined)) return;
    clearInterval(timer);
    timer = wanted ? setInterval(read, EVERY_MS) : undefined;
    if (wanted) read();
  };
  look(store.getState());
  const unsubscribe = store.subscribe(look);
  return () => {
    unsubscribe();
    clearInterval(timer);
  };
};
