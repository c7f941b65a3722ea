import type { Batch } from "../../src/domain/batch/schema.ts";
import { admitDiscovery } from "../../src/domain/outbox/discovery.ts";
import { Discovery } from "../../src/domain/outbox/schema.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "./simulate.ts";

export const T1 = TicketId.parse("T-1");
export const T2 = TicketId.parse("T-2");
export const D1 = TicketId.parse("T-1-d1");
/** The batch's own finish line. */
export const FINISH = [{ step: "gates" }, { step: "merge" }, { step: "assert" }] as const;

/** What a worker writes. */
export const found = (over: Record<string, unknown> = {}): Discovery =>
  Discovery.parse({ title: "A leak", body: "in the cellar", reason: "seen under way", ...over });

/** A run with T-1 on its finish line and T-2 waiting for it; T-1 has a finish line of its own, which is easy. */
export function atWork(limits: Partial<Batch["limits"]> = {}): Simulation {
  const easy = ticketOf("T-1", { finish: [{ step: "assert" }], allow: { testsRemoved: ["*"], testsSkipped: [] } as never });
  const batch = batchOf([{ ...easy, exclusive: ["db"] }, ticketOf("T-2", { dependsOn: [T1] })], { discoveries: 2, ...limits });
  const repos = { ...batch.repos, web: { path: "/web", base: "main", prepare: [] } };
  const sim = new Simulation({ ...batch, repos, finish: FINISH }, undefined, { "T-1": 700, "T-2": 300 });
  sim.decide();
  sim.endAgent(T1);
  return sim;
}

/** Reports what the worker on T-1 found; throws where it is refused. */
export function discover(sim: Simulation, over: Record<string, unknown> = {}): TicketId {
  const discovery = found(over);
  const admission = admitDiscovery(sim.state, T1, discovery);
  if (!admission.ok) throw new Error(admission.why);
  const { reason, blocks } = discovery;
  sim.report({ type: "ticket-discovered", ...sim.of(T1), discovered: admission.ticket, reason, blocks });
  return admission.ticket.id;
}
