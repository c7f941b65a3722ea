import { isResumable } from "../../domain/results/next-steps.ts";
import { whyNoRevert } from "../../domain/run/admit-revert.ts";
import type { Binding, DashboardState } from "../dashboard-state.ts";
import type { Effect } from "./binding.ts";
import { CLOSE, command, confirmKeys, hint, leaveAs, open, selectedIn, selectFirst, TICKET_VIEWS } from "./effects.ts";
import { whyNotLive } from "./live.ts";

/** True if the run has ended for good: another run of its batch reverts then, and the dashboard makes room for it. */
export function revertsByNewRun({ playback, run }: Pick<DashboardState, "playback" | "run">): boolean {
  return playback === undefined && run?.end !== undefined && !isResumable(run);
}

function revert(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  if (id === undefined || state.run === undefined) return hint(state, selectFirst(state, "ticket"));
  const why = (revertsByNewRun(state) ? undefined : whyNotLive(state)) ?? whyNoRevert(state.run, id);
  return why === undefined ? open({ kind: "revert", ticket: id }) : hint(state, why);
}

/** The footer names the key only where it would do something. */
function revertWord(state: DashboardState): string {
  const id = TICKET_VIEWS.has(state.ui.view) ? selectedIn(state) : undefined;
  if (id === undefined || state.run === undefined || whyNoRevert(state.run, id) !== undefined) return "";
  return revertsByNewRun(state) || whyNotLive(state) === undefined ? "revert" : "";
}

/** The key by which a person takes a landed change back. */
export const REVERT_KEY: Binding = {
  name: "revert",
  keys: ["u"],
  short: revertWord,
  keep: (state) => (revertsByNewRun(state) ? 4 : 11),
  help: "take back what the selected ticket has landed, and open it again; asks first",
  act: revert,
};

export const REVERT_KEYS = confirmKeys("revert", "keep", (state) => {
  const { modal } = state.ui;
  if (modal?.kind !== "revert") return [];
  const after = revertsByNewRun(state) ? leaveAs("ended") : CLOSE;
  return [...command((run) => run.revert(modal.ticket)), ...after];
});
