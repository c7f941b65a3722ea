import { readEvidence } from "../../adapters/oracle/evidence-file.ts";
import type { OracleEvidence } from "../../domain/run/oracle-evidence.ts";
import type { RunId } from "../../domain/values/ids.ts";
import type { DashboardState } from "../../store/dashboard-state.ts";
import type { Reader } from "./reader.ts";

/** Reads what the oracle said of each ticket while its view or the overview is shown: at once, and after each judgement. */
export const readOracleEvidence: Reader = ({ store, folder }) => {
  let read = "";
  let of: RunId | undefined;
  let ended = false;
  const look = (state: DashboardState): void => {
    if (state.run === undefined) return;
    if (of !== state.run.run) {
      of = state.run.run;
      read = "";
      if (state.evidence !== undefined) store.setState(withEvidence(undefined), true);
    }
    if (state.ui.view !== "oracle" && state.ui.view !== "overview") return;
    const wanted = `${state.run.run} ${state.run.oracle.judged}`;
    if (wanted === read) return;
    read = wanted;
    const { run } = state.run;
    void readEvidence(folder()).then((evidence) => {
      // Another run, or a later judgement, may be wanted by now.
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

/** The whole state, for what is not known any more has to go. */
function withEvidence(evidence: OracleEvidence | undefined): (state: DashboardState) => DashboardState {
  return ({ evidence: _, ...rest }) => (evidence === undefined ? rest : { ...rest, evidence });
}
