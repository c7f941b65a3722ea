import { HumanStep } from "../domain/command.ts";
import type { DashboardState } from "./dashboard-store.ts";
import { open } from "./keymap-list.ts";
import type { Binding, Effect } from "./keymap-types.ts";
import type { TextAction } from "./text-input.ts";

const CLOSE: readonly Effect[] = [{ do: "ui", action: { type: "close" } }];
const close = (): readonly Effect[] => CLOSE;
const word = (text: string) => () => text;
const edit = (action: TextAction) => (): readonly Effect[] => [{ do: "ui", action: { type: "text", action } }];
const scroll = (by: number) => (): readonly Effect[] => [{ do: "ui", action: { type: "scroll", by } }];

function confirmKill(state: DashboardState): readonly Effect[] {
  const modal = state.ui.modal;
  return modal?.kind === "kill" ? [{ do: "send", command: { type: "kill", ticket: modal.ticket } }, ...CLOSE] : [];
}

/** Sends the gate where its step is one that the engine takes; says what is wrong with it otherwise. */
function submitGate(state: DashboardState): readonly Effect[] {
  const modal = state.ui.modal;
  if (modal?.kind !== "gate") return [];
  const step = HumanStep.safeParse(modal.input.text);
  if (step.success) return [{ do: "send", command: { type: "gate", ticket: modal.ticket, step: step.data } }, ...CLOSE];
  return [{ do: "ui", action: { type: "text-refused", problem: step.error.issues[0]?.message ?? "this step cannot be taken" } }];
}

const DETACH: readonly Effect[] = [{ do: "leave", how: "detach" }];
/** Ctrl-C while something else stands in front: on to the leave menu, where a second one detaches. */
const TO_LEAVE: Binding = { keys: ["ctrl-c"], show: "Ctrl-C", help: "leave", act: () => open({ kind: "leave" }) };

export const CONFIRM_KILL_KEYS: readonly Binding[] = [
  { keys: ["y"], show: "y", short: word("kill"), help: "yes", confirms: true, act: confirmKill },
  { keys: ["n", "escape"], show: "n", short: word("keep"), help: "no", act: close },
  TO_LEAVE,
];

export const GATE_KEYS: readonly Binding[] = [
  { keys: ["enter"], show: "enter", short: word("gate"), help: "record the step", confirms: true, act: submitGate },
  { keys: ["escape"], show: "esc", short: word("back"), help: "back", act: close },
  { keys: ["left"], show: "left", help: "one character back", act: edit({ type: "to", place: "left" }) },
  { keys: ["right"], show: "right", help: "one character on", act: edit({ type: "to", place: "right" }) },
  { keys: ["home", "ctrl-a"], show: "home", help: "to the start", act: edit({ type: "to", place: "home" }) },
  { keys: ["end", "ctrl-e"], show: "end", help: "to the end", act: edit({ type: "to", place: "end" }) },
  { keys: ["backspace"], show: "backspace", help: "delete before the cursor", act: edit({ type: "backspace" }) },
  { keys: ["delete"], show: "delete", help: "delete at the cursor", act: edit({ type: "delete" }) },
  { keys: ["ctrl-u"], show: "Ctrl-U", help: "delete all", act: edit({ type: "clear" }) },
  TO_LEAVE,
];

export const LEAVE_KEYS: readonly Binding[] = [
  { keys: ["d"], show: "d", short: word("detach"), help: "detach: the run goes on", confirms: true, act: () => DETACH },
  {
    keys: ["s"],
    show: "s",
    short: word("stop the run"),
    help: "stop the run: agents are ended",
    confirms: true,
    act: () => [
      { do: "send", command: { type: "stop" } },
      { do: "ui", action: { type: "stop-asked" } },
    ],
  },
  { keys: ["escape", "q"], show: "esc", short: word("back"), help: "back", act: close },
  { keys: ["ctrl-c"], show: "Ctrl-C", help: "detach", act: () => DETACH },
];

export const HELP_KEYS: readonly Binding[] = [
  { keys: ["escape", "?", "q", "enter"], show: "esc", short: word("back"), help: "back", act: close },
  TO_LEAVE,
];

export const DETAILS_KEYS: readonly Binding[] = [
  { keys: ["escape", "enter", "q"], show: "esc", short: word("back"), help: "back", act: close },
  TO_LEAVE,
];

const LEAVE_ENDED = (state: DashboardState): readonly Effect[] => [
  { do: "leave", how: state.ui.stopAsked ? "stop-requested" : "ended" },
];

export const SUMMARY_KEYS: readonly Binding[] = [
  { keys: ["j", "down"], show: "j/k", short: word("scroll"), keep: 1, help: "scroll", act: scroll(1) },
  { keys: ["k", "up"], show: "k", help: "scroll back", act: scroll(-1) },
  { keys: ["pagedown", " "], show: "space", short: word("page"), keep: 2, help: "a page on", act: scroll(10) },
  { keys: ["pageup"], show: "PgUp", help: "a page back", act: scroll(-10) },
  { keys: ["home"], show: "home", help: "to the top", act: scroll(-100_000) },
  { keys: ["q", "escape", "enter"], show: "q", short: word("leave"), keep: 0, help: "leave", act: LEAVE_ENDED },
  { keys: ["ctrl-c"], show: "Ctrl-C", help: "leave", act: LEAVE_ENDED },
];

/** Keys of a terminal that shows nothing: away, and the run goes on. */
export const SMALL_KEYS: readonly Binding[] = [
  {
    keys: ["q", "ctrl-c"],
    show: "q",
    help: "leave",
    act: (state) => (state.run?.end === undefined ? DETACH : LEAVE_ENDED(state)),
  },
];
