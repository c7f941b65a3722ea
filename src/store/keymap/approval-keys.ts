import { whyNoApproval } from "../../domain/run/admit-approval.ts";
import type { Binding } from "../dashboard-state.ts";
import { type DashboardState, ticketIn } from "../dashboard-state.ts";
import { shownForApproval } from "../ticket-log/target.ts";
import type { Effect } from "./binding.ts";
import { CLOSE, command, confirmKeys, hint, open, selectedIn, selectFirst, TICKET_VIEWS, ui } from "./effects.ts";
import { liveWord, whenLive } from "./live.ts";

/** Shows the change that waits, and asks. The question holds the commit that the person sees, and no other is approved. */
function approve(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  if (id === undefined || state.run === undefined) return hint(state, selectFirst(state, "ticket"));
  const why = whyNoApproval(state.run, id);
  const { approval } = ticketIn(state, id) ?? {};
  if (why !== undefined || approval === undefined) return hint(state, why ?? `no change of ${id} waits for an approval`);
  return [
    ...ui({ type: "view", view: "ticket" }),
    ...ui({ type: "ticket-view", action: { type: "tab", tab: "diff" } }),
    ...ui({ type: "ticket-view", action: { type: "pick", pick: { ticket: id } } }),
    ...open({ kind: "approve", ticket: id, commit: approval.commit }),
  ];
}

/** Approves the commit of the question if all of it is shown behind it. */
function confirm(state: DashboardState): readonly Effect[] {
  const { modal } = state.ui;
  if (modal?.kind !== "approve") return [];
  const shown = shownForApproval(state, modal);
  if (typeof shown === "string") return hint(state, shown);
  return [...command((run) => run.approve(modal.ticket, shown)), ...CLOSE];
}

function approveWord(state: DashboardState): string {
  const id = TICKET_VIEWS.has(state.ui.view) ? selectedIn(state) : undefined;
  return id === undefined || state.run === undefined || whyNoApproval(state.run, id) !== undefined ? "" : "approve";
}

/** The key by which a person lets a change of danger zones land. */
export const APPROVAL_KEYS: readonly Binding[] = [
  {
    name: "approve",
    keys: ["Y"],
    short: liveWord(approveWord),
    keep: 1,
    help: "approve the selected ticket's change that waits; asks first",
    act: whenLive(approve),
  },
];

export const APPROVE_KEYS = confirmKeys("approve", "back", confirm);
