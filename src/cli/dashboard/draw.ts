import type { DashboardStore } from "../../store/dashboard-store.ts";
import type { LeaveHow } from "../../store/keymap/binding.ts";
import { askedToLeave } from "../signals.ts";
import { showDashboard } from "../terminal/show-dashboard.ts";

/** Draws the dashboard on this process's terminal until a person, or a signal, leaves it. */
export async function draw(store: DashboardStore, hands: Parameters<typeof showDashboard>[0]["hands"]): Promise<LeaveHow> {
  const { stdin } = process;
  const leaving = askedToLeave();
  // To the dashboard the end of its input is a terminal that has gone, which is a detach: the same is wanted here.
  const detach = (): void => void stdin.emit("end");
  leaving.addEventListener("abort", detach);
  const how = leaving.aborted ? "detach" : await showDashboard({ store, hands });
  leaving.removeEventListener("abort", detach);
  stdin.unref();
  return how;
}
