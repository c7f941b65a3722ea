import type { DashboardStore } from "./dashboard-store.ts";
import { NO_LISTS } from "./lists.ts";
import { INITIAL_UI } from "./ui.ts";

/** Empties the dashboard for another run, or for none: nothing of the one that was shown stays but the terminal it was shown on. */
export function resetDashboard(store: DashboardStore): void {
  const { run: _, evidence: __, earlier: ___, playback: ____, viewed: _____, ...kept } = store.getState();
  store.setState({ ...kept, lists: NO_LISTS, feed: [], ui: { ...INITIAL_UI, tooSmall: kept.ui.tooSmall } }, true);
}
