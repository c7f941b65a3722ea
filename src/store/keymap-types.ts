import type { Command } from "../domain/command.ts";
import type { DashboardState } from "./dashboard-store.ts";
import type { KeyName } from "./keys.ts";
import type { UiAction } from "./ui.ts";

/** How the dashboard is left: the run goes on, the run was told to stop and has ended, or the run had ended by itself. */
export type LeaveHow = "detach" | "stop-requested" | "ended";

/** What a key does. */
export type Effect =
  | { readonly do: "ui"; readonly action: UiAction }
  | { readonly do: "send"; readonly command: Command }
  | { readonly do: "leave"; readonly how: LeaveHow };

/** What keys mean depends on what stands in front. */
export type Mode = "list" | "kill" | "gate" | "leave" | "help" | "details" | "summary" | "small";

/** One row of the keymap: the keys, how footer and help name them, and what they do. */
export interface Binding {
  readonly keys: readonly (KeyName | (string & {}))[];
  /** As shown: `j/k`, `x`, `Ctrl-C`. */
  readonly show: string;
  /** One word or two for the footer; without it the footer leaves the key to the help. */
  readonly short?: (state: DashboardState) => string;
  /** One sentence for the help. */
  readonly help: string;
  /** Lower goes first when the footer has no room for all. */
  readonly keep?: number;
  /** Cannot be pressed within the burst that opened what it answers: pasted text must never confirm anything. */
  readonly confirms?: boolean;
  readonly act: (state: DashboardState) => readonly Effect[];
}
