import { randomInt } from "node:crypto";
import { discoveredId } from "../../domain/outbox/discovery.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import type { ServicePlace, TrackerPlace } from "../../ports/oracle.ts";
import { AGES, type Age, type Canary, type CanaryTicket, type Scene, type TrackerKind } from "./canary.ts";
import { idsLike, type Likeness, stepLike, titleLike } from "./likeness.ts";
import { chooseOne, flipCoin, shuffled } from "./random.ts";
import { reopenings } from "./reopenings.ts";

/** States that look like done but are not the exact word: each reveals one kind of lenience. */
const LOOK_ALIKES = ["Done", "done ", "d\u043ene"];
/** Variants: one of each list, another each time. */
const MORE = [
  ["closed", "completed", "resolved", "merged", "finished", "shipped", "cancelled", "ok", "true"],
  ["DONE", " done", "done.", "done!", "doned", "\uff44one", "Human-gated", "human_gated", "human-gated "],
];

/** Every scenario of the proof, in random order, for the run's kind of tracker. */
export function allCanaries(place: TrackerPlace, like: Likeness, plain: boolean): Canary[] {
  const ofService = "keys" in place ? [canceled(place, like)] : [];
  return shuffled(ofAllAges([...own(place.kind, like, plain), ...ofService]));
}

/** A canary without an age. */
type Undated = Omit<Canary, "age">;

/** Assigns the ages in turn, from a random one on: an oracle that goes by the age of a tracker meets open ones of every age. */
function ofAllAges(canaries: readonly Undated[]): Canary[] {
  const first = randomInt(AGES.length);
  return canaries.map((canary, i) => ({ ...canary, age: AGES[(first + i) % AGES.length] as Age }));
}

function own(kind: TrackerKind, like: Likeness, plain: boolean): Undated[] {
  return [
    withStrangersBeyond(kind, like),
    ...eachOpen(kind, clonedTickets(like), plain),
    gated(kind, like),
    gatedWithout(kind, like),
    ...lookAlikes(kind, like, [...LOOK_ALIKES, ...MORE.map((list) => chooseOne(list))]),
    missing(kind, like),
    damaged(kind, like, "gone"),
    damaged(kind, like, "half"),
    damaged(kind, like, "huge"),
    changing(kind, like),
    wrongThenRight(kind, like),
    empty(kind, like),
    grown(kind, like),
    twiceInBatch(kind, like),
    twiceInTracker(kind, like),
  ];
}

/** Tickets in the tracker that are not in the batch do not matter. */
function withStrangersBeyond(kind: TrackerKind, like: Likeness): Undated {
  const [last, ...tickets] = unrelatedTickets(like) as [CanaryTicket, ...CanaryTicket[]];
  const beyond = [{ id: last.id, title: last.title, body: last.body, state: "open" }];
  return { name: "all done, others open", kind, batch: canaryIds(tickets), scenes: [scene(tickets, [], beyond)] };
}

/** The batch's own tickets: each of them is open in one tracker, alone if they are few. */
function eachOpen(kind: TrackerKind, settled: readonly CanaryTicket[], plain: boolean): Undated[] {
  return reopenings(canaryIds(settled), plain).map((ids) => {
    const opened = new Set(ids);
    const tickets = settled.map((t) => (opened.has(t.id) ? { id: t.id, title: t.title, body: t.body, state: "open" } : t));
    const name = ids.length === 1 ? "one open" : `${ids.length} open`;
    return { name, kind, batch: canaryIds(settled), scenes: [scene(tickets, ids)] };
  });
}

function gated(kind: TrackerKind, like: Likeness): Undated {
  const { tickets } = but(unrelatedOrCloned(like), "human-gated", "press the button");
  return { name: "gated with a recorded step", kind, batch: canaryIds(tickets), scenes: [scene(tickets, [])] };
}

function gatedWithout(kind: TrackerKind, like: Likeness): Undated {
  const { tickets, id } = but(unrelatedOrCloned(like), "human-gated", chooseOne([undefined, "", "   "]));
  return { name: "gated without a recorded step", kind, batch: canaryIds(tickets), scenes: [scene(tickets, [id])] };
}

function lookAlikes(kind: TrackerKind, like: Likeness, states: readonly string[]): Undated[] {
  return states.map((state) => {
    const { tickets } = but(unrelatedOrCloned(like), state, /gated/i.test(state) ? "press the button" : undefined);
    const name = `a state that only looks like done (${JSON.stringify(state)})`;
    return { name, kind, batch: canaryIds(tickets), scenes: [unreadableScene(tickets)] };
  });
}

function missing(kind: TrackerKind, like: Likeness): Undated {
  const tickets = unrelatedTickets(like);
  const batch = canaryIds(tickets);
  return { name: "a ticket that is not there", kind, batch: shuffled(batch), scenes: [unreadableScene(tickets.slice(1))] };
}

/** A ticket that a person canceled is done only if the batch says so. */
function canceled({ kind, canceled: as }: ServicePlace, like: Likeness): Undated {
  const settled = unrelatedOrCloned(like).map(({ step: _, ...ticket }) => ({ ...ticket, state: "done" }));
  const { tickets, id } = but(settled, "canceled");
  return { name: "a canceled ticket", kind, batch: canaryIds(tickets), scenes: [scene(tickets, as === "open" ? [id] : [])] };
}

const DAMAGES = { gone: "tracker down", half: "half a page", huge: "a tracker without end" };

function damaged(kind: TrackerKind, like: Likeness, damage: keyof typeof DAMAGES): Undated {
  const tickets = unrelatedOrCloned(like);
  return { name: DAMAGES[damage], kind, batch: canaryIds(tickets), damage, scenes: [unreadableScene(tickets)] };
}

/** Rewritten while it is read: half of it is there, or nothing, or all. At no instant is it done. */
function changing(kind: TrackerKind, like: Likeness): Undated {
  const { tickets } = but(unrelatedOrCloned(like), "open");
  const expected = { verdict: "not-done-or-unjudged" } as const;
  return {
    name: "changing while it is read",
    kind,
    batch: canaryIds(tickets),
    damage: "changing",
    scenes: [{ tickets, expected }],
  };
}

/** One open, all done, another one open: an oracle that answers from memory is wrong about the second or the third scene. */
function wrongThenRight(kind: TrackerKind, like: Likeness): Undated {
  const settled = unrelatedTickets(like);
  const first = but(settled, "open");
  const third = but(settled, "open");
  const scenes = [scene(first.tickets, [first.id]), scene(settled, []), scene(third.tickets, [third.id])];
  return { name: "wrong, then right, then wrong again", kind, batch: canaryIds(settled), scenes };
}

function empty(kind: TrackerKind, like: Likeness): Undated {
  return { name: "an empty batch", kind, batch: [], scenes: [unreadableScene(unrelatedOrCloned(like))] };
}

/** A late ticket: it is the last of the batch, open, and named as the engine names tickets that a worker found. */
function grown(kind: TrackerKind, like: Likeness): Undated {
  const before = unrelatedOrCloned(like);
  const id = discoveredId(chooseOne(before).id, canaryIds(before));
  const tickets = [...before, { id, title: titleLike(like), body: "", state: "open" }];
  return { name: "a grown batch", kind, batch: canaryIds(tickets), scenes: [scene(tickets, [id])] };
}

function twiceInBatch(kind: TrackerKind, like: Likeness): Undated {
  const tickets = unrelatedOrCloned(like);
  const batch = shuffled([...canaryIds(tickets), chooseOne(tickets).id]);
  return { name: "a ticket twice in the batch", kind, batch, scenes: [unreadableScene(tickets)] };
}

/** The second of two entries is open: an oracle that takes either one is wrong. */
function twiceInTracker(kind: TrackerKind, like: Likeness): Undated {
  const settled = unrelatedOrCloned(like);
  const twice = chooseOne(settled);
  const tickets = shuffled([...settled, ...withTicketIn([twice], twice.id, "open")]);
  return { name: "a ticket twice in the tracker", kind, batch: canaryIds(settled), scenes: [unreadableScene(tickets)] };
}

/** Limits of a canary that repeats the batch's own tickets: beyond them it would cost more than it shows. */
const MAX_CLONED = 1_000;
const MAX_OFTEN_CLONED = 200;
const MAX_CLONED_TEXT = 1024 * 1024;

/** Settled tickets: a random number of them, with ids that look like the batch's. */
function unrelatedTickets(like: Likeness): CanaryTicket[] {
  const most = Math.min(40, Math.max(8, 2 * like.tickets.length));
  const ids = idsLike(
    like.tickets.map((t) => t.id),
    2 + randomInt(most - 1),
  );
  return ids.map((id) => settled({ id, title: titleLike(like), body: flipCoin() ? "" : titleLike(like) }));
}

/** The batch's own tickets, all settled: only their states differ from the real ones. */
function clonedTickets(like: Likeness): CanaryTicket[] {
  const text = like.tickets.reduce((sum, t) => sum + t.body.length, 0);
  if (like.tickets.length > MAX_CLONED) return unrelatedTickets(like);
  return like.tickets.map(({ id, title, body }) => settled({ id, title, body: text > MAX_CLONED_TEXT ? "" : body }));
}

function unrelatedOrCloned(like: Likeness): CanaryTicket[] {
  return flipCoin() && like.tickets.length <= MAX_OFTEN_CLONED ? clonedTickets(like) : unrelatedTickets(like);
}

function settled(canaryTicket: Omit<CanaryTicket, "state" | "step">): CanaryTicket {
  return randomInt(4) === 0 ? { ...canaryTicket, state: "human-gated", step: stepLike() } : { ...canaryTicket, state: "done" };
}

/** Changes the state of one random ticket. */
function but(tickets: readonly CanaryTicket[], state: string, step?: string): { tickets: CanaryTicket[]; id: TicketId } {
  const { id } = chooseOne(tickets);
  return { tickets: withTicketIn(tickets, id, state, step), id };
}

function withTicketIn(tickets: readonly CanaryTicket[], id: TicketId, state: string, step?: string): CanaryTicket[] {
  return tickets.map((t) => (t.id === id ? { id, title: t.title, body: t.body, state, step } : t));
}

const canaryIds = (tickets: readonly CanaryTicket[]): TicketId[] => tickets.map((t) => t.id);

/** A scene in which every ticket except those in `open` is settled; `beyond` are in the tracker and not in the batch. */
function scene(tickets: readonly CanaryTicket[], open: readonly TicketId[], beyond: readonly CanaryTicket[] = []): Scene {
  const gated = tickets.filter((t) => t.state === "human-gated" && !open.includes(t.id)).length;
  const counts = { done: tickets.length - gated - open.length, gated, open: open.length };
  const all = beyond.length === 0 ? tickets : shuffled([...tickets, ...beyond]);
  return { tickets: all, expected: { verdict: open.length === 0 ? "done" : "not-done", counts, open } };
}

function unreadableScene(tickets: readonly CanaryTicket[]): Scene {
  return { tickets, expected: { verdict: "unjudged" } };
}
