import { admitCommand } from "../../src/domain/run/admit.ts";
import type { Command } from "../../src/domain/run/command.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "./simulate.ts";

const ids = (...names: string[]) => names.map((name) => TicketId.parse(name));
export const [T1, T2, T3, T4, T5] = ids("T-1", "T-2", "T-3", "T-4", "T-5") as [TicketId, TicketId, TicketId, TicketId, TicketId];
export type Limits = NonNullable<Parameters<typeof batchOf>[1]>;

/** A run of five tickets that wait for nobody, but for what `over` says of the second, which has begun. */
export function begun(limits: Limits = {}, usdPerAttempt = 0, over: Parameters<typeof ticketOf>[1] = {}): Simulation {
  const tickets = [ticketOf("T-1"), ticketOf("T-2", over), ticketOf("T-3"), ticketOf("T-4"), ticketOf("T-5")];
  const batch = batchOf(tickets, { attempts: 1, workers: 2, ...limits });
  const sim = new Simulation({ ...batch, agent: { kind: "command", command: ["x"], usdPerAttempt } });
  sim.decide();
  // The first look, which ends nothing.
  sim.report({ type: "oracle-judged", final: false, judgement: honestJudgement(sim.state) });
  return sim;
}

/** Why a command is refused; undefined where it is granted. */
export const refusal = (sim: Simulation, command: Command) => {
  const [fact] = admitCommand(sim.state, command);
  return fact?.type === "command-refused" ? fact.reason : undefined;
};
/** Which tickets start now, and in which slots. */
export const starts = (sim: Simulation) =>
  sim.decide().flatMap((action) => (action.do === "start" ? [[action.ticket, action.slot]] : []));
/** What of it was counted as interventions. */
export const counted = (sim: Simulation) => sim.state.interventions.map((i) => `${i.class} ${i.target}: ${i.note}`);
