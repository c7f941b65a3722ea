import { type RefusalReason, type RunActions, runActions } from "../../domain/run/command.ts";
import type { RunId } from "../../domain/values/ids.ts";
import type { UiAction } from "../ui.ts";
import type { ViewName } from "../views/view-name.ts";

/** Keys that are neither characters nor held with Ctrl, by name. */
const PLAIN_NAMES = [
  "up",
  "down",
  "left",
  "right",
  "pageup",
  "pagedown",
  "home",
  "end",
  "enter",
  "escape",
  "tab",
  "shift-tab",
  "backspace",
  "delete",
] as const;

/** Letters that can be recognised with Ctrl: terminals send Ctrl-H, -I, -J and -M for backspace, tab and enter. */
export const CTRL_LETTERS = [..."abcdefgklnopqrstuvwxyz"];

/** A key that is not a character, by name. */
export type KeyName = (typeof PLAIN_NAMES)[number] | `ctrl-${string}`;

/** Every key that has a name. */
export const KEY_NAMES: readonly KeyName[] = [...PLAIN_NAMES, ...CTRL_LETTERS.map((letter) => `ctrl-${letter}` as const)];

/** One press: a named key, or one character. */
export type KeyPress = { readonly key: KeyName } | { readonly char: string };

/** The state of the run when the dashboard exits: it goes on, it was told to stop and has ended, or it had ended by itself. */
export type LeaveHow = "detach" | "stop-requested" | "ended";

/** Commands that a person can give to runs from a dashboard. The composition root makes it once. */
export interface Actions extends RunActions {
  /** Shows another run. */
  switchRun(run: RunId): RefusalReason;
  /** Plays or pauses a replay, changes its speed, or seeks in its run. */
  play(action: PlayAction): RefusalReason;
}

/** Actions that are all refused for one reason. */
export function refusedActions(why: string): Actions {
  const refuse = (): RefusalReason => why;
  return { ...runActions(refuse), switchRun: refuse, play: refuse };
}

/** Actions on the terminal that the dashboard is drawn on. */
export interface TerminalActions {
  leave(how: LeaveHow): void;
  /** Opens a page in a browser, or else gives its address to the terminal's clipboard. `name` says what it is. */
  open?(page: { readonly name: string; readonly url: string }): void;
  /** Copies the text to the terminal's clipboard (OSC 52). */
  copy?(text: string): void;
  /** Gives the terminal back to the shell until the dashboard is in the foreground again. */
  suspend?(): void;
}

/** An effect of a key. If an action is refused, the effects after it are skipped. */
export type Effect =
  | { readonly do: "ui"; readonly action: UiAction }
  | { readonly do: "act"; readonly act: (actions: Actions) => RefusalReason }
  | { readonly do: "terminal"; readonly act: (terminal: TerminalActions) => void };

/** `by` is milliseconds of the run; `faster` and `slower` are steps of the speed; `idle` toggles the skipping of idle time. */
export type PlayAction =
  | { readonly type: "toggle" | "faster" | "slower" | "idle" }
  | { readonly type: "by"; readonly ms: number }
  | { readonly type: "to-share"; readonly share: number };

/**
 * The meaning of keys depends on the modal in front, else on the view. `small`: the terminal is too small to show anything;
 * `replay`: never in front by itself, its keys come before those of every view of a replay.
 */
export type Mode =
  | ViewName
  | "summary"
  | "small"
  | "kill"
  | "retry"
  | "approve"
  | "revert"
  | "heal"
  | "gate"
  | "note"
  | "add"
  | "review"
  | "filter"
  | "palette"
  | "search"
  | "leave"
  | "away"
  | "help"
  | "help-search"
  | "replay";

/** One row of the keymap: the keys, their names in footer and help, and their effects. `State` is the state on the screen. */
export interface BindingOf<State> {
  /** The name by which a person rebinds it: `kill`, `select-next`. A name has the same meaning in every mode. */
  readonly name: string;
  readonly keys: readonly (KeyName | (string & {}))[];
  /** One word or two for the footer; without it only the help shows the key. */
  readonly short?: (state: State) => string;
  /** The name of the binding whose key the footer shows behind this one's first key, as `j/k`. */
  readonly pair?: string;
  /** One sentence for the help and the palette. */
  readonly help: string;
  /** Lower is dropped last when the footer has no room for all. */
  readonly keep?: number | ((state: State) => number);
  /** Ignored within the burst that opened the question: pasted text must never confirm anything. */
  readonly confirms?: boolean;
  /** Not in the palette: bindings that move a selection or a pane, or answer a question. */
  readonly silent?: boolean;
  readonly act: (state: State) => readonly Effect[];
}

/** Every key of the dashboard, by mode. */
export type KeymapOf<State> = Readonly<Record<Mode, readonly BindingOf<State>[]>>;
