import type { DashboardState } from "../dashboard-state.ts";

/** The tickets of the timeline, by index: in the order of the batch, all or those that are not done. */
export function timelineOrder({ run, lists, ui }: Pick<DashboardState, "run" | "lists" | "ui">): readonly number[] {
  const done = new Set(ui.isDoneHidden ? lists.done : []);
  return (run?.plan.tickets ?? []).flatMap(({ id }, index) => (done.has(id) ? [] : [index]));
}
