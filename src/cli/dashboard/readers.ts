import { readEvidence } from "../../adapters/oracle/evidence-file.ts";
import type { OracleEvidence } from "../../domain/run/oracle-evidence.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { UserError } from "../../domain/values/user-error.ts";
import type { DashboardState } from "../../store/dashboard-state.ts";
import { earlierRuns } from "../earlier-runs.ts";
import { createLiveness, listedRuns } from "../find-run.ts";
import { folderUrl } from "../links.ts";
import { type ReaderOptions, readTicketText } from "./ticket-reader.ts";

/** Interval between reads of the list while it is shown. Milliseconds. */
const EVERY_MS = 2_000;

/** Watches the store and loads the data that a view asks for. Returns a function that ends it. */
type Reader = (options: ReaderOptions) => () => void;

/** Earlier runs of the same batch file: read once per shown run, as soon as a view that shows them opens. */
export const readEarlier: Reader = ({ store }) => {
  const look = (state: DashboardState): void => {
    const run = state.run?.run;
    if (run === undefined || run === state.earlier?.run || !showsEarlier(state)) return;
    store.setState({ earlier: { run, ...earlierRuns(run) } });
  };
  look(store.getState());
  return store.subscribe(look);
};

function showsEarlier({ run, ui }: DashboardState): boolean {
  return ui.view === "ledger" || run?.end !== undefined;
}

/** Reads the oracle's evidence for each ticket while its view or the overview is shown: at once, and after each judgement. */
export const readOracleEvidence: Reader = ({ store, folder }) => {
  let read = "";
  let shown: RunId | undefined;
  let ended = false;
  const look = (state: DashboardState): void => {
    if (state.run === undefined) return;
    if (shown !== state.run.run) {
      shown = state.run.run;
      read = "";
      if (state.evidence !== undefined) store.setState(withEvidence(undefined), true);
    }
    if (state.ui.view !== "oracle" && state.ui.view !== "overview") return;
    const wanted = `${state.run.run} ${state.run.oracle.judged}`;
    if (wanted === read) return;
    read = wanted;
    const { run } = state.run;
    void readEvidence(folder()).then((evidence) => {
      // The view may want another run or a later judgement by now.
      if (!ended && read === wanted && store.getState().run?.run === run) store.setState(withEvidence(evidence), true);
    });
  };
  look(store.getState());
  const unsubscribe = store.subscribe(look);
  return () => {
    ended = true;
    unsubscribe();
  };
};

/** Replaces the whole state, because evidence that is no longer known has to go. */
function withEvidence(evidence: OracleEvidence | undefined): (state: DashboardState) => DashboardState {
  return ({ evidence: _, ...rest }) => (evidence === undefined ? rest : { ...rest, evidence });
}

/** Where the files of the shown run are, for the summary: looked for once it has ended. */
export const readRunUrl: Reader = ({ store, folder }) => {
  const look = ({ run, runUrl }: DashboardState): void => {
    if (run?.end === undefined || runUrl?.run === run.run) return;
    store.setState({ runUrl: { run: run.run, url: folderUrl(folder()) } });
  };
  look(store.getState());
  return store.subscribe(look);
};

/** All runs of this machine: read while the view of them is shown. */
export const readRuns: Reader = ({ store }) => {
  const liveness = createLiveness();
  let timer: NodeJS.Timeout | undefined;
  const list = (): ReturnType<typeof listedRuns> | undefined => {
    try {
      return listedRuns(liveness);
    } catch (error) {
      // The records cannot be read now: the previous list stays.
      if (error instanceof UserError) return undefined;
      throw error;
    }
  };
  const read = (): void => {
    const runList = list();
    if (runList === undefined) return;
    const known = store.getState().runList;
    const kept = runList.map((run) => known?.find((other) => JSON.stringify(other) === JSON.stringify(run)) ?? run);
    // An unchanged list changes nothing on the screen, and an unchanged row is not redrawn.
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

/** All readers, one for each kind of data outside the run's events. */
const READERS: readonly Reader[] = [readEarlier, readRunUrl, readOracleEvidence, readRuns, readTicketText];

/** Starts all readers; the returned function ends them. */
export function startReaders(options: ReaderOptions): () => void {
  const ends = READERS.map((start) => start(options));
  return () => {
    for (const end of ends) end();
  };
}
