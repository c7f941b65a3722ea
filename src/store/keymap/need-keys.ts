import type { Binding, DashboardState } from "../dashboard-state.ts";
import type { Effect } from "./binding.ts";
import { hint, ui } from "./effects.ts";

/** Selects the next ticket that needs a person, in the overview: the first one, unless one of them is selected. */
export function nextNeed(state: DashboardState): readonly Effect[] {
  const { needs, needsYou } = state.lists;
  const { selected } = state.ui;
  const at = selected === undefined ? -1 : needsYou.indexOf(selected);
  const next = needsYou[at + 1] ?? needsYou[0];
  if (next !== undefined) return [...ui({ type: "view", view: "overview" }), ...ui({ type: "select", ticket: next })];
  return needs.length === 0 ? hint(state, "nothing needs you") : ui({ type: "view", view: "overview" });
}

/** The key that leads to the next need, in every view. */
export const NEED_KEY: Binding = {
  name: "next-need",
  keys: ["n"],
  short: ({ lists: { needsYou }, ui: { selected } }) => {
    const isOnlyOne = needsYou.length === 1 && needsYou[0] === selected;
    return needsYou.length === 0 || isOnlyOne ? "" : "needs you";
  },
  keep: 3,
  help: "select the next ticket that needs you",
  act: nextNeed,
};
