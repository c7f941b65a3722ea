import { outcomes } from "../domain/results/outcomes.ts";
import { activeTickets, type Plan, type RunState } from "../domain/run/state.ts";
import { listNeeds, type Need } from "../domain/schedule/needs.ts";
import { describeReason, type Reason, whyNot } from "../domain/schedule/why-not.ts";
import type { TicketId } from "../domain/values/ids.ts";
import { vecAt, vecItems } from "../domain/values/vec.ts";
import { displayText } from "./format.ts";
import { attemptStage } from "./labels/progress-label.ts";
import { type OutcomeLine, outcomeLines } from "./results/outcome-lines.ts";

/** The tickets of each list, by id. An array that has not changed keeps its identity from one flush to the next. */
export interface Lists {
  /** The rows of attempts, with an agent or on the finish line. Each keeps its row until it ends; a row without one is null. */
  readonly rows: readonly (TicketId | null)[];
  /** What only a person can bring on, the most urgent first. */
  readonly needs: readonly Need[];
  /** Its tickets. They are in no other list but the rows. */
  readonly needsYou: readonly TicketId[];
  /** Landed and not live, in batch order. */
  readonly landed: readonly TicketId[];
  /** Ready tickets first, best first; then the others in batch order. */
  readonly waiting: readonly TicketId[];
  /** Last finished first. */
  readonly done: readonly TicketId[];
  /** What has become of everything, oldest first. */
  readonly outcomes: readonly OutcomeLine[];
}

/** The lists of a run without tickets. */
export const NO_LISTS: Lists = {
  ...{ rows: [], needs: [], needsYou: [], landed: [], waiting: [], done: [] },
  outcomes: [],
};

/** Sorts the tickets of a run into lists; reuses arrays that equal `previous`. */
export function sortTickets(run: RunState, previous: Lists): Lists {
  const needs = sameNeeds(previous.needs, listNeeds(run));
  const needsYou = needs.flatMap(({ ticket }) => ticket ?? []);
  const needy = new Set(needsYou);
  const landed: TicketId[] = [];
  const done: { id: TicketId; endedAt: number }[] = [];
  const ready = new Set(run.ready);
  const waiting = run.ready.flatMap((index) => run.plan.tickets[index]?.id ?? []).filter((id) => !needy.has(id));
  for (const [index, ticket] of [...vecItems(run.tickets)].entries()) {
    if (ticket.phase === "done") done.push({ id: ticket.id, endedAt: ticket.endedAt ?? 0 });
    else if (needy.has(ticket.id)) continue;
    else if (ticket.phase === "landed") landed.push(ticket.id);
    else if (ticket.phase === "waiting" && !ready.has(index)) waiting.push(ticket.id);
  }
  return {
    rows: same(previous.rows, rowsOfAttempts(run)),
    needs,
    needsYou: same(previous.needsYou, needsYou),
    landed: same(previous.landed, landed),
    waiting: same(previous.waiting, waiting),
    done: same(
      previous.done,
      done.toSorted((a, b) => b.endedAt - a.endedAt).map((d) => d.id),
    ),
    outcomes: outcomeLines(run),
  };
}

/**
 * Each attempt has the first row that was free when it began, until it ends. This follows from the attempts alone, so a dashboard that has
 * just attached shows the same.
 */
function rowsOfAttempts(run: RunState): Lists["rows"] {
  const attempts = [...vecItems(run.tickets)].flatMap(({ id, attempt, history }) => [
    ...history.map(({ startedAt, endedAt }) => ({ id: null, startedAt, endedAt })),
    ...(attempt === undefined ? [] : [{ id, startedAt: attempt.startedAt, endedAt: Number.POSITIVE_INFINITY }]),
  ]);
  const freeAt: number[] = [];
  const rows: (TicketId | null)[] = [];
  for (const { id, startedAt, endedAt } of attempts.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const free = freeAt.findIndex((at) => at <= startedAt);
    const row = free < 0 ? freeAt.length : free;
    freeAt[row] = endedAt;
    rows[row] = id;
  }
  return rows;
}

function same<T>(previous: readonly T[], next: readonly T[]): readonly T[] {
  return previous.length === next.length && previous.every((item, i) => item === next[i]) ? previous : next;
}

function sameNeeds(previous: readonly Need[], next: readonly Need[]): readonly Need[] {
  return JSON.stringify(previous) === JSON.stringify(next) ? previous : next;
}

/** The stalled tickets, in batch order. */
export function stalledTickets({ needs }: Pick<Lists, "needs">): readonly TicketId[] {
  return needs.flatMap(({ kind, ticket }) => (kind === "stalled" && ticket !== undefined ? [ticket] : []));
}

/** Slots in which an agent is at work: none while the journal cannot be written. */
export function busyAgents(run: RunState | undefined): number {
  if (run === undefined || run.outages?.journal !== undefined) return 0;
  return run.slots.filter((index) => index !== null).length;
}

/** Attempts that are held because the journal cannot be written. */
export function heldAttempts(run: RunState | undefined): number {
  return run?.outages?.journal === undefined ? 0 : activeTickets(run).length;
}

/** The tickets that pass a filter, in their lists; empty rows are left out. */
export interface Filtered {
  readonly lists: Lists;
  readonly shown: number;
  readonly all: number;
}

/** The last filter result of a run, so that the same query has the same answer. */
const last = new WeakMap<Plan, Filtered & { readonly run: RunState; readonly unfiltered: Lists; readonly filter: string }>();

/**
 * The filtered lists: tickets whose id, title, repository, state or reason contains each word of the filter, case aside.
 * Undefined without a filter. An array that has not changed keeps its identity.
 */
export function filteredLists(options: {
  readonly run?: RunState;
  readonly lists: Lists;
  readonly ui: { readonly filter: string };
}): Filtered | undefined {
  const { run, lists } = options;
  const filter = options.ui.filter.trim();
  if (run === undefined || filter === "") return undefined;
  const before = last.get(run.plan);
  if (before !== undefined && before.run === run && before.unfiltered === lists && before.filter === filter) return before;
  const words = filter.toLowerCase().split(/\s+/u);
  const matches = (id: TicketId | null): id is TicketId => {
    if (id === null) return false;
    const text = searchText(run, run.plan.index[id] ?? 0);
    return words.every((word) => text.includes(word));
  };
  const kept = (key: Exclude<keyof Lists, "rows" | "needs" | "outcomes">) =>
    same(before?.lists[key] ?? [], lists[key].filter(matches));
  const left: Lists = {
    rows: same(before?.lists.rows ?? [], lists.rows.filter(matches)),
    needs: sameNeeds(
      before?.lists.needs ?? [],
      lists.needs.filter(({ ticket }) => ticket === undefined || matches(ticket)),
    ),
    needsYou: kept("needsYou"),
    landed: kept("landed"),
    waiting: kept("waiting"),
    done: kept("done"),
    outcomes: lists.outcomes,
  };
  const found = { lists: left, shown: selectable(left).length, all: selectable(lists).length, run, unfiltered: lists, filter };
  last.set(run.plan, found);
  return found;
}

/** The lists that the overview shows and the selection walks over: all, or the filtered ones. */
export function shownLists(options: Parameters<typeof filteredLists>[0]): Lists {
  return filteredLists(options)?.lists ?? options.lists;
}

/** The text of a ticket that a filter searches, in small letters. */
function searchText(run: RunState, index: number): string {
  const { id, title, repo, finish } = run.plan.tickets[index] ?? { id: "", title: "", repo: "", finish: [] };
  const { phase, attempt, stalledReason, humanStep } = vecAt(run.tickets, index);
  const state = attempt === undefined ? reasonWord(whyNot(run, index)) : attemptStage(attempt, finish).word;
  return displayText(
    [id, title, repo, phase, state, stalledReason, humanStep].filter((part) => part !== undefined).join(" "),
  ).toLowerCase();
}

/** The reason why a ticket waits, without the ids of others: a search for a ticket does not mean its dependents. */
function reasonWord(reason: Reason): string {
  const text = describeReason(reason);
  const others = reason.kind === "depends" ? reason.on : "by" in reason && reason.kind !== "halted" ? [reason.by] : [];
  return text
    .split(/[ ,]+/u)
    .filter((word) => !others.some((id) => id === word))
    .join(" ");
}

/** The tickets that the selection walks over, as they stand on the screen: those of the summary once the run has ended. */
export function ticketOrder(options: Parameters<typeof filteredLists>[0]): readonly TicketId[] {
  const { run } = options;
  if (run?.end === undefined) return selectable(shownLists(options));
  const { done, gated, open } = outcomes(run);
  return [...gated, ...open.map(({ ticket }) => ticket), ...done].map(({ id }) => id);
}

/** Tickets in the order of the selection. */
export function selectable(lists: Lists): readonly TicketId[] {
  const active = lists.rows.filter((id) => id !== null);
  return [...lists.needsYou, ...active, ...lists.landed, ...lists.waiting, ...lists.done];
}
