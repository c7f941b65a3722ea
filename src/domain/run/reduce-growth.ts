import type { TestCommands } from "../batch/prepare-command.ts";
import type { Ticket } from "../batch/schema.ts";
import { grownPlan } from "../schedule/plan.ts";
import { requeue, withTicket } from "../schedule/queue.ts";
import type { TicketId } from "../values/ids.ts";
import { vecAt, vecPush } from "../values/vec.ts";
import type { RunEvent } from "./event.ts";
import type { GrowthFact } from "./growth-fact.ts";
import { newTicket } from "./reduce-start.ts";
import { indexOf, type RunState } from "./state.ts";
import type { TicketState } from "./ticket-state.ts";

/** Events by which a batch grows or changes: a worker found a ticket, a person added one, the engine files it. */
export type GrowthEvent = Extract<RunEvent, { type: "ticket-discovered" | "discovery-filed" | GrowthFact["type"] }>;

/**
 * Folds growth. The ticket belongs to the batch from its discovery on, and nothing takes it out again. It can start once the
 * tracker holds it. Throws a RangeError if its id is taken.
 */
export function reduceGrowth(state: RunState, event: GrowthEvent): RunState {
  switch (event.type) {
    case "ticket-discovered":
      return discovered(state, event);
    case "ticket-added":
      return grown(state, event.added, { plan: grownPlan(state.plan, event.added) });
    case "discovery-filed":
      return filed(state, indexOf(state, event.ticket));
    case "batch-changed":
      return changed(state, event);
  }
}

/** The state with one ticket more, which is to be filed. */
function grown(state: RunState, ticket: Ticket, { plan }: Pick<RunState, "plan">, finder?: TicketState): RunState {
  const isOpen = (id: TicketId) => vecAt(state.tickets, indexOf(state, id)).phase !== "done";
  const fresh = newTicket(state.batch, ticket, ticket.dependsOn.filter(isOpen).length, finder);
  return {
    ...state,
    plan,
    tickets: vecPush(state.tickets, { ...fresh, unfiled: true }),
    counts: { ...state.counts, [fresh.phase]: state.counts[fresh.phase] + 1 },
    filing: [...state.filing, state.plan.tickets.length],
    reverified: false,
  };
}

/** A person changed the bounds. The frozen set follows: from here on, it is what the tripwire compares. */
function changed(
  state: RunState,
  { limits, protect, finish, contracts, frozen }: Extract<GrowthEvent, { type: "batch-changed" }>,
): RunState {
  const lineOf = (ticket: Ticket): Ticket => {
    const line = finish !== undefined && Object.hasOwn(finish.tickets, ticket.id) ? finish.tickets[ticket.id] : undefined;
    return withContractOf(line === undefined ? ticket : { ...ticket, finish: line }, contracts);
  };
  const { testCommands, ...before } = state.batch;
  const commands = finish === undefined ? testCommands : finish.testCommands;
  return {
    ...state,
    batch: {
      ...before,
      ...(limits && { limits }),
      ...(protect && { protect }),
      ...(finish && { finish: finish.batch }),
      ...(commands && { testCommands: commands as TestCommands }),
      tickets: before.tickets.map(lineOf),
    },
    plan: { ...state.plan, tickets: state.plan.tickets.map(lineOf) },
    frozen: frozen.after,
    isBatchChanged: true,
    reverified: false,
  };
}

function withContractOf(ticket: Ticket, contracts: Extract<GrowthEvent, { type: "batch-changed" }>["contracts"]): Ticket {
  if (contracts === undefined || !Object.hasOwn(contracts, ticket.id)) return ticket;
  const { contract: _, ...bare } = ticket;
  const contract = contracts[ticket.id];
  return contract == null ? bare : { ...bare, contract };
}

function discovered(state: RunState, event: Extract<GrowthEvent, { type: "ticket-discovered" }>): RunState {
  const finder = indexOf(state, event.ticket);
  const ticket = vecAt(state.tickets, finder);
  if (ticket.attempt?.fence !== event.fence) throw new RangeError(`no attempt with fence ${event.fence}`);
  const plan = grownPlan(state.plan, event.discovered, event.blocks ? finder : undefined);
  const next = grown(state, event.discovered, { plan }, ticket);
  if (!event.blocks) return next;
  // The ticket has a part: if this attempt is lost, the next one is not asked for parts again.
  const { due, ...rest } = ticket;
  const left = due === undefined || due.action === "split" ? rest : { ...rest, due };
  return withTicket(next, finder, { ...left, openDeps: ticket.openDeps + 1 });
}

/** The tracker holds it. A ticket that was given up because the tracker did not take it is open again. */
function filed(state: RunState, index: number): RunState {
  const { unfiled, stalledReason, endedAt: _, ...ticket } = vecAt(state.tickets, index);
  if (unfiled === undefined) return state;
  const waits = ticket.stalledBy === "origin" && stalledReason !== undefined;
  const next = withTicket(state, index, waits ? { ...ticket, stalledReason } : { ...ticket, phase: "waiting" });
  const { discoveries, filing } = state;
  const isDiscovery = ticket.foundBy !== undefined;
  return requeue(
    {
      ...next,
      filing: filing.filter((other) => other !== index),
      discoveries: { ...discoveries, filed: discoveries.filed + Number(isDiscovery) },
      reverified: false,
    },
    index,
  );
}
