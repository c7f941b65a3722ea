import type { Binding, DashboardState } from "../dashboard-state.ts";
import { displayText } from "../format.ts";
import { leftSteps, stepAfter, stepToCopy } from "../views/step-to-copy.ts";
import type { Effect } from "./binding.ts";
import { hint, paneKeys, ui } from "./effects.ts";

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

function next({ run, ui: { selected } }: DashboardState): readonly Effect[] {
  const step = run && stepAfter(run, selected);
  return step === undefined ? [] : ui({ type: "select", ticket: step.ticket });
}

const steps = ({ run }: DashboardState): number => (run === undefined ? 0 : leftSteps(run).length);

/** Keys of the summary after the run. */
export const SUMMARY_KEYS: readonly Binding[] = [
  {
    name: "copy-step",
    keys: ["y"],
    short: (state) => (steps(state) > 0 ? "copy step" : ""),
    keep: 3,
    help: "copy the marked step that is left to a person",
    act: copy,
  },
  {
    name: "next-step",
    keys: ["n"],
    short: (state) => (steps(state) > 1 ? "next step" : ""),
    keep: 7,
    help: "mark the next step that is left to a person",
    silent: true,
    act: next,
  },
  ...paneKeys("summary"),
];
