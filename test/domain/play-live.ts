import fc from "fast-check";
import { ticketById as stateOf } from "../../src/domain/run/state.ts";
import { RepoId, type TicketId } from "../../src/domain/values/ids.ts";
import { vecAt, vecItems } from "../../src/domain/values/vec.ts";
import type { Simulation } from "./simulate.ts";

/** What happens to live checks and reverts. */
export const liveTurns = [
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("look" as const),
      which: fc.nat(),
      result: fc.constantFrom("ok", "failed", "failed", "inconclusive", "gone", "waits"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("revert" as const),
      which: fc.nat(),
      result: fc.constantFrom("ended", "ended", "failed", "intended", "landed"),
    }),
  },
] as const;

/** What the attempt built lands, and its verify fails. */
export function landNotLive(sim: Simulation, id: TicketId): void {
  const { attempt, pendingWork } = stateOf(sim.state, id);
  if (attempt?.slotLeftAt === undefined && pendingWork === undefined) sim.endAgent(id);
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
  const problem = result === "inconclusive" || result === "gone" || result === "waits" ? ({ problem: result } as const) : {};
  sim.report({ type: "live-check-ended", ...said, ...problem });
  return true;
}

/** A revert that runs goes on to this result. False if none runs. */
export function takeBack(sim: Simulation, which: number, result: string): boolean {
  const { reverting, tickets } = sim.state;
  const index = reverting[which % Math.max(1, reverting.length)];
  if (index === undefined) return false;
  const { id: ticket, live } = vecAt(tickets, index);
  if (result === "failed") return sim.report({ type: "revert-failed", ticket, reason: "it conflicts", detail: "" });
  const move = { ticket, repo: RepoId.parse("app"), from: live?.sha ?? "", to: `reverted-${ticket}` };
  if (live?.revert?.to === undefined && !sim.report({ type: "revert-intended", ...move }))
    return sim.report({ type: "revert-failed", ticket, reason: "it is settled", detail: "" });
  if (result === "intended") return sim.report({ type: "revert-stopped", ticket });
  sim.report({ type: "revert-landed", ...move });
  if (result === "landed") return sim.report({ type: "revert-stopped", ticket });
  return sim.report({ type: "revert-ended", ticket, ok: true, summary: "it passes" });
}
