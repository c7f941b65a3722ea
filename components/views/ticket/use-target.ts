import { useMemo } from "react";
import { type DashboardState, ticketIn } from "../../../src/store/dashboard-state.ts";
import { currentTarget, type Target } from "../../../src/store/ticket-log/target.ts";
import { useStateParts } from "../../kit/dashboard-context.ts";

/** The parts of the state that a target depends on. Agent output is not among them. */
export function targetParts({ run, ui }: DashboardState): readonly unknown[] {
  const ticket = ui.selected === undefined ? undefined : ticketIn({ run }, ui.selected);
  if (ticket === undefined) return [];
  const { lastLine: _, lastOutputAt: __, lines: ___, ...attempt } = ticket.attempt ?? {};
  return [
    run?.plan,
    ui.selected,
    ui.ticket.pick,
    ui.ticket.tab,
    ticket.history,
    ticket.evidence,
    ticket.pullRequest,
    ...Object.values(attempt),
  ];
}

/** The target of the ticket view; the same object until a part of it changes. */
export function useTarget(): Target | undefined {
  const state = useStateParts(targetParts);
  return useMemo(() => currentTarget(state), [state]);
}
