import { randomInt } from "node:crypto";
import type { TicketId } from "../../domain/values/ids.ts";
import type { CanaryTicket, Scene } from "./canary.ts";
import { idsLike, type Likeness, stepLike, titleLike } from "./likeness.ts";
import { flipCoin, oneOf, shuffled } from "./random.ts";

/** Limits of a canary that repeats the batch's own tickets: beyond them it would cost more than it shows. */
const MAX_CLONED = 1_000;
const MAX_OFTEN_CLONED = 200;
const MAX_CLONED_TEXT = 1024 * 1024;

/** Settled tickets: a random number of them, with ids that look like the batch's. */
export function unrelatedTickets(like: Likeness): CanaryTicket[] {
  const most = Math.min(40, Math.max(8, 2 * like.tickets.length));
  const ids = idsLike(
    like.tickets.map((t) => t.id),
    2 + randomInt(most - 1),
  );
  return ids.map((id) => settled({ id, title: titleLike(like), body: flipCoin() ? "" : titleLike(like) }));
}

/** The batch's own tickets, all settled: only their states differ from the real ones. */
export function clonedTickets(like: Likeness): CanaryTicket[] {
  const text = like.tickets.reduce((sum, t) => sum + t.body.length, 0);
  if (like.tickets.length > MAX_CLONED) return unrelatedTickets(like);
  return like.tickets.map(({ id, title, body }) => settled({ id, title, body: text > MAX_CLONED_TEXT ? "" : body }));
}

export function unrelatedOrCloned(like: Likeness): CanaryTicket[] {
  return flipCoin() && like.tickets.length <= MAX_OFTEN_CLONED ? clonedTickets(like) : unrelatedTickets(like);
}

function settled(canaryTicket: Omit<CanaryTicket, "state" | "step">): CanaryTicket {
  return randomInt(4) === 0 ? { ...canaryTicket, state: "human-gated", step: stepLike() } : { ...canaryTicket, state: "done" };
}

/** Changes the state of one random ticket. */
export function but(tickets: readonly CanaryTicket[], state: string, step?: string): { tickets: CanaryTicket[]; id: TicketId } {
  const { id } = oneOf(tickets);
  return { tickets: withTicketIn(tickets, id, state, step), id };
}

export function withTicketIn(tickets: readonly CanaryTicket[], id: TicketId, state: string, step?: string): CanaryTicket[] {
  return tickets.map((t) =>
    t.id === id ? { id, title: t.title, body: t.body, state, ...(step === undefined ? {} : { step }) } : t,
  );
}

export const idsOf = (tickets: readonly CanaryTicket[]): TicketId[] => tickets.map((t) => t.id);

/** A scene in which every ticket except those in `open` is settled; `beyond` are in the tracker and not in the batch. */
export function scene(tickets: readonly CanaryTicket[], open: readonly TicketId[], beyond: readonly CanaryTicket[] = []): Scene {
  const gated = tickets.filter((t) => t.state === "human-gated" && !open.includes(t.id)).length;
  const counts = { done: tickets.length - gated - open.length, gated, open: open.length };
  const all = beyond.length === 0 ? tickets : shuffled([...tickets, ...beyond]);
  return { tickets: all, expected: { verdict: open.length === 0 ? "done" : "not-done", counts, open } };
}

export function unreadableScene(tickets: readonly CanaryTicket[]): Scene {
  return { tickets, expected: { verdict: "unjudged" } };
}
