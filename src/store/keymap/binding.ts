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

/** Letters that are told apart with Ctrl: Ctrl-H, -I, -J and -M are what terminals send for backspace, tab and enter. */
export const CTRL_LETTERS = [..."abcdefgklnopqrstuvwxyz"];

/** A key that is not a character, by name. */
export type KeyName = (typeof PLAIN_NAMES)[number] | `ctrl-${string}`;

/** Every key that has a name. */
export const KEY_NAMES: readonly KeyName[] = [...PLAIN_NAMES, ...CTRL_LETTERS.map((letter) => `ctrl-${letter}` as const)];

/** One press: a named key, or one character. */
export type KeyPress = { readonly key: KeyName } | { readonly char: string };

/** How the dashboard is left: the run goes on, the run was told to stop and has ended, or the run had ended by itself. */
export type LeaveHow = "detach" | "stop-requested" | "ended";

/** What a person can do to runs from a dashboard. The composition root makes it once. */
export interface Actions extends RunActions {
  /** Shows another run. */
  switchRun(run: RunId): RefusalReason;
  /** A replay plays on or stops, plays faster or slower, or goes elsewhere in its run. */
  play(action: PlayAction): RefusalReason;
}

/** Actions that are all refused for one reason. */
export function refusedActions(why: string): Actions {
  const refuse = (): RefusalReason => why;
  return { ...runActions(refuse), switchRun: refuse, play: refuse };
}

/** What a person can do to the terminal that the dashboard is drawn on. */
export interface TerminalActions {
  leave(how: LeaveHow): void;
  /** The text goes to the terminal's clipboard (OSC 52). */
  copy?(text: string): void;
  /** The dashboard gives the terminal back to the shell until it is brought to the front again. */
  suspend?(): void;
}

/** What a key does. Where an action is refused, what would come after it is left out. */
export type Effect =
  | { readonly do: "ui"; readonly action: UiAction }
  | { readonly do: "act"; readonly act: (actions: Actions) => RefusalReason }
  | { readonly do: "terminal"; readonly act: (terminal: TerminalActions) => void };

/** `by` is milliseconds of the run; `faster` and `slower` are steps of the speed; `idle`: what is idle is passed over, or no more. */
export type PlayAction =
  | { readonly type: "toggle" | "faster" | "slower" | "idle" }
  | { readonly type: "by"; readonly ms: number }
  | { readonly type: "to-share"; readonly share: number };

/**
 * What keys mean depends on what stands in front: a modal, else the view. `small`: a terminal that shows nothing; `replay`: never in
 * front by itself, its keys come before those of every view of a replay.
 */
export type Mode =
  | ViewName
  | "summary"
  | "small"
  | "kill"
  | "retry"
  | "heal"
  | "gate"
  | "note"
  | "filter"
  | "palette"
  | "search"
  | "leave"
  | "help"
  | "help-search"
  | "replay";

/** One row of the keymap: the keys, how footer and help name them, and what they do. `State` is what stands on the screen. */
export interface BindingOf<State> {
  /** By which a person binds it to other keys: `kill`, `select-next`. One name means one thing in every mode. */
  readonly name: string;
  readonly keys: readonly (KeyName | (string & {}))[];
  /** One word or two for the footer; without it the footer leaves the key to the help. */
  readonly short?: (state: State) => string;
  /** Stands behind the first key in the footer, as `j/k`: the name of the binding that it goes with. */
  readonly pair?: string;
  /** One sentence for the help and the palette. */
  readonly help: string;
  /** Lower goes last when the footer has no room for all. */
  readonly keep?: number;
  /** Cannot be pressed within the burst that opened what it answers: pasted text must never confirm anything. */
  readonly confirms?: boolean;
  /** Left out of the palette: what moves a selection or a pane, and what answers a question. */
  readonly silent?: boolean;
  readonly act: (state: State) => readonly Effect[];
}

/** Every key of the dashboard, by mode. */
export type KeymapOf<State> = Readonly<Record<Mode, readonly BindingOf<State>[]>>;
