import { withDependencies } from "../schedule/plan.ts";
import type { TicketId } from "../values/ids.ts";
import { errorMessage, plainText } from "../values/text.ts";
import { vecItems } from "../values/vec.ts";
import {
  BY_INTEGRATION,
  type DriftFact,
  isSameState,
  type TrackedTicket,
  type TrackedWords,
  type TrackerChange,
  type TrackerState,
  trackedWords,
} from "./drift-fact.ts";
import { expectedState } from "./reduce-drift.ts";
import { type RunState, ticketById, ticketIndex } from "./state.ts";
import type { TicketState } from "./ticket-state.ts";

/** A ticket as the tracker holds it now. */
export interface TicketNow extends TrackedWords {
  readonly id: TicketId;
  readonly title: string;
  readonly state: TrackerState;
  readonly revision: string;
  /** The reason why nobody may work on it, if it is open. */
  readonly held?: string;
  /** The commit in answer to which an integration set the state; "" if it is not known. */
  readonly setByCommit?: string;
}

/** The answer to a difference: report a fact; read a new text first; or write the engine's state. `why`: what follows in its note. */
export type Reconciliation =
  | { readonly do: "report"; readonly fact: DriftFact }
  | { readonly do: "read-text" }
  | { readonly do: "write"; readonly state: TrackerState; readonly isRepeat?: true; readonly why?: string };

/** The trust that the engine puts in the tracker. */
export interface ReconcileOptions {
  /**
   * Only the engine writes the tracker, and an agent without a sandbox could have reached it: what the engine did not write there
   * is taken back (laws 3 and 4).
   */
  readonly isOursAlone: boolean;
}

/** Times that a write that did not persist is repeated. After that, somebody undoes it. */
const MOST_REPEATS = 3;

/**
 * Compares a ticket with what the engine last saw or wrote, in the order in which the changes take effect. Empty if nobody
 * touched it. The state must have a baseline of it (`isTracked`).
 */
export function reconcileTicket(state: RunState, now: TicketNow, options: ReconcileOptions): readonly Reconciliation[] {
  const ticket = ticketById(state, now.id);
  const { tracked } = ticket;
  if (tracked?.words === undefined) return [];
  // Readings and writes take turns: a write that the tracker does not show now never happened.
  const isUnwritten = tracked.pendingWrite !== undefined && isSameState(now.state, tracked.state);
  const unwritten: readonly Reconciliation[] = isUnwritten
    ? [{ do: "report", fact: { type: "tracker-not-written", ticket: now.id } }]
    : [];
  const isUntouched =
    tracked.revision === now.revision && isSameState(now.state, tracked.state) && isSameWords(tracked.words, now);
  const isSettled = tracked.unavailable === undefined && tracked.refused === undefined && tracked.closedByCommit === undefined;
  if (isUntouched && isSettled) return unwritten;
  const report = (change: TrackerChange): Reconciliation => ({ do: "report", fact: trackerDrift(now, change) });
  const dependencies = dependenciesChange(state, tracked, now);
  return [
    ...unwritten,
    ...(isByIntegration(ticket, now) ? [] : presenceChange(tracked, now).map(report)),
    ...stateChange(state, { ticket, tracked, now }, options),
    ...(dependencies === undefined ? [] : [report(dependencies)]),
    ...(isSameText(tracked.words, now) ? [] : [{ do: "read-text" } as const]),
  ];
}

/** The changes by which a ticket is back, is put on hold, or is on hold no more. */
function presenceChange({ unavailable, onHold, words }: TrackedTicket, now: TicketNow): readonly TrackerChange[] {
  const held = whyHeld(words, now);
  const isBack = unavailable !== undefined && !onHold ? [{ kind: "returned" } as const] : [];
  if (held !== undefined) return onHold && held === unavailable ? [] : [...isBack, { kind: "held", why: held }];
  return onHold ? [{ kind: "released" }] : isBack;
}

/** The reason why nobody may work on a ticket. One that was given to another person since the start is left to that person. */
export function whyHeld(
  before: TrackedWords | undefined,
  { state, held, assignee = "" }: Pick<TicketNow, "state" | "held" | "assignee">,
): string | undefined {
  if (state.as !== "open") return undefined;
  if (held !== undefined) return plainText(held, 300);
  const isGivenAway = before?.assignee !== undefined && assignee !== "" && assignee !== before.assignee;
  return isGivenAway ? `it is assigned to ${plainText(assignee, 80)} now, and is left to that person` : undefined;
}

/** The fact that somebody changed a ticket. */
export function trackerDrift(now: TicketNow, change: TrackerChange): Extract<DriftFact, { type: "tracker-drifted" }> {
  const { id, revision } = now;
  return { type: "tracker-drifted", ticket: id, change, now: { revision, ...trackedWords(now) } };
}

/** True if the ticket was read before, so that changes of it can be seen. One that is being filed is not in the tracker yet. */
export function isTracked({ tracked, unfiled }: TicketState): boolean {
  return unfiled === undefined && tracked?.words !== undefined;
}

function stateChange(
  state: RunState,
  { ticket, tracked, now }: { readonly ticket: TicketState; readonly tracked: TrackedTicket; readonly now: TicketNow },
  { isOursAlone }: ReconcileOptions,
): readonly Reconciliation[] {
  const known = expectedState(ticket);
  if (isSameState(now.state, known))
    return isClosedTooEarly(ticket) || isUngated(ticket) ? [{ do: "write", state: { as: "open" } }] : [];
  const { pendingWrite, lastWrite, isSetByPerson, revision } = tracked;
  if (pendingWrite !== undefined && isSameState(now.state, pendingWrite)) {
    const before = revision === undefined ? {} : { before: revision };
    const fact = { type: "tracker-written", ticket: now.id, state: now.state, revision: now.revision, ...before } as const;
    return [{ do: "report", fact }];
  }
  const isUndone = lastWrite !== undefined && isSetByPerson === undefined && now.revision === lastWrite.before;
  if (isUndone && lastWrite.repeats < MOST_REPEATS) return [{ do: "write", state: known, isRepeat: true }];
  if (isOwnCommit(ticket, now)) return [{ do: "report", fact: trackerDrift(now, { kind: "closed-by-commit" }) }];
  if (isByIntegration(ticket, now)) return setBack(tracked, now, known);
  if (isOthersCommit(state, now)) return [{ do: "write", state: known }];
  if (isOursAlone)
    return [
      { do: "report", fact: trackerDrift(now, { kind: "taken-back", found: now.state.as }) },
      { do: "write", state: known },
    ];
  return [{ do: "report", fact: trackerDrift(now, changeTo(now.state)) }];
}

/** True if an integration closed the ticket because of the commit that the engine landed for it. */
function isOwnCommit({ phase, mergedSha }: TicketState, { state, setByCommit }: TicketNow): boolean {
  if (state.as !== "done" || setByCommit === undefined || mergedSha === undefined) return false;
  return setByCommit === "" ? phase === "landed" || phase === "finishing" : setByCommit === mergedSha;
}

/** A ticket that an integration has closed gets its state back. If the write fails, it is repeated, and told of once. */
function setBack({ revision }: TrackedTicket, now: TicketNow, known: TrackerState): readonly Reconciliation[] {
  const fact = trackerDrift(now, { kind: "closed-by-integration" });
  const told: readonly Reconciliation[] = revision === now.revision ? [] : [{ do: "report", fact }];
  return [...told, { do: "write", state: known, why: `: ${BY_INTEGRATION}` }];
}

/** True if an integration closed the ticket, and nothing of it has landed. Whether it is done is not the integration's to say. */
function isByIntegration(ticket: TicketState, now: TicketNow): boolean {
  return now.state.as === "done" && now.setByCommit === "" && expectedState(ticket).as !== "done" && !isOwnCommit(ticket, now);
}

/** True if an integration closed the ticket because of what the engine landed for another one: no person has closed it. */
function isOthersCommit({ tickets }: RunState, { id, state, setByCommit }: TicketNow): boolean {
  if (state.as !== "done" || setByCommit === undefined || setByCommit === "") return false;
  return [...vecItems(tickets)].some((ticket) => ticket.id !== id && ticket.mergedSha === setByCommit);
}

/** True if an integration closed the ticket, and its finish line has failed since: no later run may take it for done. */
function isClosedTooEarly({ phase, tracked, live, attempt }: TicketState): boolean {
  if (tracked?.closedByCommit === undefined || attempt !== undefined) return false;
  return phase === "waiting" || phase === "stalled" || (phase === "landed" && live?.givenUp !== undefined);
}

/** True if the engine had left the ticket to a person, who has let it go on: no later run may take it for settled. */
function isUngated({ ungated, phase, tracked }: TicketState): boolean {
  return ungated === true && phase !== "human-gated" && phase !== "done" && tracked?.state.as === "human-gated";
}

function changeTo(state: TrackerState): TrackerChange {
  if (state.as === "open") return { kind: "reopened" };
  return state.as === "done" ? { kind: "closed" } : { kind: "gated", step: plainText(state.step, 500) };
}

/** The new dependencies of the plan. Those that only the plan has (a discovery that the ticket waits for) stay. */
function dependenciesChange(state: RunState, { words, refused }: TrackedTicket, now: TicketNow): TrackerChange | undefined {
  const before = words?.dependsOn;
  const next = now.dependsOn;
  if (before === undefined || next === undefined || isSameList(before, next)) return undefined;
  const index = ticketIndex(state, now.id);
  const planned = state.plan.tickets[index]?.dependsOn ?? [];
  const kept = planned.filter((id) => next.includes(id) || !before.includes(id));
  const dependsOn = [...new Set([...kept, ...next.filter((id) => !before.includes(id))])];
  const problem = problemWith(state, index, dependsOn);
  if (problem === undefined) return { kind: "dependencies", dependsOn };
  return refused !== undefined && isSameList(refused, dependsOn)
    ? undefined
    : { kind: "dependencies", dependsOn, refused: problem };
}

function problemWith(state: RunState, index: number, dependsOn: readonly TicketId[]): string | undefined {
  try {
    withDependencies(state.plan, index, dependsOn);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return plainText(errorMessage(error), 200);
    throw error;
  }
}

/** The revision is not enough: an engine may have died after it recorded one of two differences of the same revision. */
function isSameWords(a: TrackedWords, b: TrackedWords): boolean {
  const [before, now] = [a.dependsOn, b.dependsOn];
  return isSameText(a, b) && (before === undefined || now === undefined || isSameList(before, now));
}

function isSameText(a: TrackedWords, b: TrackedWords): boolean {
  return a.titleSha === b.titleSha && a.bodySha === b.bodySha;
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id) => b.includes(id));
}
