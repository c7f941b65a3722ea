import type { Binding, DashboardState } from "../dashboard-state.ts";
import { displayText } from "../format.ts";
import { ticketOrder } from "../lists.ts";
import { leftSteps, stepToCopy } from "../views/step-to-copy.ts";
import type { Effect } from "./binding.ts";
import { hint, paneKeys, selectedIn, ui } from "./effects.ts";
import { OPEN_KEY, SELECT_KEYS } from "./overview-keys.ts";

/** Copied text has no control characters: it may be pasted into a shell. */
function copy(state: DashboardState): readonly Effect[] {
  const { run } = state;
  const step = run && stepToCopy(run, state.ui.selected);
  if (step === undefined) return hint(state, "no step is left to a person");
  return [
    { do: "terminal", act: (terminal) => terminal.copy?.(displayText(step.step)) },
    ...hint(state, `given to the terminal's clipboard: the step of ${step.ticket}`),
  ];
}

const steps = ({ run }: DashboardState): number => (run === undefined ? 0 : leftSteps(run).length);

/** Opens the selected ticket, or the first one. */
function openShown(state: DashboardState): readonly Effect[] {
  const ticket = selectedIn(state) ?? ticketOrder(state)[0];
  return ticket === undefined ? [] : [...ui({ type: "select", ticket }), ...ui({ type: "view", view: "ticket" })];
}

/** Keys of the summary after the run. */
export const SUMMARY_KEYS: readonly Binding[] = [
  {
    name: "copy-step",
    keys: ["y"],
    short: (state) => (steps(state) > 0 ? "copy step" : ""),
    keep: 3,
    help: "copy the step that is left to a person: the selected ticket's, or the first",
    act: copy,
  },
  ...SELECT_KEYS.slice(0, 2),
  { ...OPEN_KEY, keep: 3, act: openShown },
  ...paneKeys("summary").filter(({ name }) => name !== "down" && name !== "up"),
];
