import type { Ticket } from "../batch/schema.ts";
import type { Plan } from "../run/state.ts";

/** Assumed work of a ticket that no earlier run has done: the median of the known ones, or one minute. */
const UNKNOWN_MS = 60_000;

/**
 * Lays out a batch: its dependencies, and the work that depends on each ticket. `durations` are milliseconds per ticket id from
 * earlier runs. Throws if the graph has a cycle (the batch check refuses cycles).
 */
export function planBatch(tickets: readonly Ticket[], durations: Readonly<Record<string, number>>): Plan {
  const index: Record<string, number> = {};
  tickets.forEach((ticket, i) => {
    index[ticket.id] = i;
  });
  const dependents: number[][] = tickets.map(() => []);
  tickets.forEach((ticket, i) => {
    for (const dep of ticket.dependsOn) dependents[index[dep] as number]?.push(i);
  });
  const works = tickets.map((ticket) => known(durations, ticket.id));
  const unknownMs = median(works.filter((ms) => ms !== undefined)) ?? UNKNOWN_MS;
  return {
    tickets,
    index,
    dependents,
    rank: rankAll(
      tickets,
      dependents,
      works.map((ms) => ms ?? unknownMs),
    ),
    unknownMs,
  };
}

/**
 * Appends one ticket that no earlier run knows. It waits for tickets of the plan, or else `dependent`, an index, waits for it from
 * now on: it makes no cycle. Throws a RangeError if the id is taken, or if it would do both.
 */
export function grownPlan(plan: Plan, ticket: Ticket, dependent?: number): Plan {
  if (Object.hasOwn(plan.index, ticket.id)) throw new RangeError(`the batch has a ticket ${ticket.id} already`);
  if (ticket.dependsOn.length > 0 && dependent !== undefined) throw new RangeError(`${ticket.id} waits, and is waited for`);
  const at = plan.tickets.length;
  const waiting = dependent === undefined ? undefined : plan.tickets[dependent];
  const tickets = waiting === undefined ? plan.tickets : plan.tickets.with(dependent as number, waitingFor(waiting, ticket.id));
  const grown: Plan = {
    tickets: [...tickets, ticket],
    index: { ...plan.index, [ticket.id]: at },
    dependents: [...plan.dependents, dependent === undefined ? [] : [dependent]],
    rank: [...plan.rank, plan.unknownMs + (dependent === undefined ? 0 : (plan.rank[dependent] ?? 0))],
    unknownMs: plan.unknownMs,
  };
  return ticket.dependsOn.length === 0 ? grown : awaiting(plan, grown);
}

/** The plan in which its last ticket is a dependent of those that it waits for. Longer paths lead to them now. */
function awaiting(before: Plan, { tickets, index, unknownMs }: Plan): Plan {
  const at = tickets.length - 1;
  const awaited = new Set(tickets[at]?.dependsOn.map((id) => index[id]));
  const dependents = [...before.dependents.map((list, i) => (awaited.has(i) ? [...list, at] : list)), []];
  const after = (i: number) => (before.dependents[i] ?? []).reduce((most, d) => Math.max(most, before.rank[d] ?? 0), 0);
  const works = [...before.rank.map((rank, i) => rank - after(i)), unknownMs];
  return { tickets, index, dependents, rank: rankAll(tickets, dependents, works), unknownMs };
}

/**
 * The plan with other dependencies of one ticket, an index. The work of each ticket follows from the ranks. Throws a RangeError on
 * a cycle, or if a dependency is not in the batch.
 */
export function withDependencies(plan: Plan, index: number, dependsOn: readonly Ticket["id"][]): Plan {
  const ticket = plan.tickets[index];
  if (ticket === undefined) throw new RangeError(`no ticket ${index}`);
  const unknown = dependsOn.find((id) => !Object.hasOwn(plan.index, id));
  if (unknown !== undefined) throw new RangeError(`${unknown} is not in the batch`);
  const works = plan.rank.map(
    (rank, i) => rank - (plan.dependents[i] ?? []).reduce((most, d) => Math.max(most, plan.rank[d] ?? 0), 0),
  );
  const tickets = plan.tickets.with(index, { ...ticket, dependsOn: [...dependsOn] });
  const dependents = plan.dependents.map((list) => list.filter((other) => other !== index));
  for (const id of dependsOn) dependents[plan.index[id] as number]?.push(index);
  return { ...plan, tickets, dependents, rank: rankAll(tickets, dependents, works) };
}

/** A ticket as the batch has it, by id. Throws a RangeError on an id that is not in the batch. */
export function plannedTicket({ tickets, index }: Pick<Plan, "tickets" | "index">, id: string): Ticket {
  const ticket = Object.hasOwn(index, id) ? tickets[index[id] as number] : undefined;
  if (ticket === undefined) throw new RangeError(`no ticket "${id}" in this batch`);
  return ticket;
}

/** The text of a ticket that people write, in one string. Two tickets of the same text ask for the same. */
export function serializeTicketText({ title, body }: Pick<Ticket, "title" | "body">): string {
  return JSON.stringify([title, body]);
}

function waitingFor(ticket: Ticket, id: Ticket["id"]): Ticket {
  return { ...ticket, dependsOn: [...ticket.dependsOn, id] };
}

/** Longest path of work from each ticket to an end of the graph, by Kahn's order taken backwards. `works` are milliseconds. */
function rankAll(tickets: readonly Ticket[], dependents: readonly (readonly number[])[], works: readonly number[]): number[] {
  const rank = new Array<number>(tickets.length).fill(0);
  for (const i of topologicalOrder(tickets, dependents).toReversed()) {
    const after = (dependents[i] ?? []).reduce((most, d) => Math.max(most, rank[d] ?? 0), 0);
    rank[i] = (works[i] as number) + after;
  }
  return rank;
}

/** Indices in which every ticket comes after its dependencies. Throws a RangeError on a cycle. */
export function topologicalOrder(tickets: readonly Ticket[], dependents: readonly (readonly number[])[]): number[] {
  const missing = tickets.map((t) => t.dependsOn.length);
  const order = missing.flatMap((n, i) => (n === 0 ? [i] : []));
  for (let at = 0; at < order.length; at++) {
    for (const d of dependents[order[at] as number] ?? []) {
      missing[d] = (missing[d] as number) - 1;
      if (missing[d] === 0) order.push(d);
    }
  }
  if (order.length !== tickets.length) throw new RangeError("the tickets depend on each other in a cycle");
  return order;
}

function known(durations: Readonly<Record<string, number>>, id: string): number | undefined {
  return Object.hasOwn(durations, id) ? durations[id] : undefined;
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
