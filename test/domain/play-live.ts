import { ticketOf as stateOf } from "../../src/domain/run/state.ts";
import { RepoId, type TicketId } from "../../src/domain/values/ids.ts";
import { vecItems } from "../../src/domain/values/vec.ts";
import type { Simulation } from "./simulate.ts";

/** What the attempt built lands, and its verify fails. */
export function landNotLive(sim: Simulation, id: TicketId): void {
  const { attempt, unfinished } = stateOf(sim.state, id);
  if (attempt?.slotLeftAt === undefined && unfinished === undefined) sim.endAgent(id);
  const move = { repo: RepoId.parse("app"), from: "a", to: `landed-${id}` };
  sim.report({ type: "merge-intended", ...sim.of(id), ...move });
  sim.report({ type: "merge-landed", ...sim.of(id), ...move });
  const evidence = { step: "verify", name: "live", summary: "it is down", detail: "" } as const;
  sim.report({ type: "attempt-ended", ...sim.of(id), outcome: "landed", evidence });
}

/** A live check that runs ends. False if none runs. */
export function look(sim: Simulation, which: number, result: string): boolean {
  const running = [...vecItems(sim.state.tickets)].filter(({ live }) => live?.checking);
  const ticket = running[which % Math.max(1, running.length)]?.id;
  if (ticket === undefined) return false;
  const said = { ticket, summary: result, detail: "", ok: result === "ok" };
  const problem = result === "unfinished" || result === "gone" ? { problem: result as "unfinished" | "gone" } : {};
  sim.report({ type: "live-check-ended", ...said, ...problem });
  return true;
}
