import type { Command } from "../../domain/run/command.ts";
import type { RunId } from "../../domain/values/ids.ts";
import type { UiAction } from "../ui.ts";
import type { ViewName } from "../views/view-name.ts";
import type { KeyName } from "./press-names.ts";

/** How the dashboard is left: the run goes on, the run was told to stop and has ended, or the run had ended by itself. */
export type LeaveHow = "detach" | "stop-requested" | "ended";

/** What a key does. */
export type Effect =
  | { readonly do: "ui"; readonly action: UiAction }
  | { readonly do: "send"; readonly command: Command }
  | { readonly do: "leave"; readonly how: LeaveHow }
  /** Another run is shown. */
  | { readonly do: "switch-run"; readonly run: RunId }
  /** The text goes to the terminal's clipboard (OSC 52). */
  | { readonly do: "copy"; readonly text: string }
  /** The dashboard gives the terminal back to the shell until it is brought to the front again. */
  | { readonly do: "suspend" }
  /** A replay plays on or stops, plays faster or slower, or goes elsewhere in its run. */
  | { readonly do: "play"; readonly action: PlayAction };

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
