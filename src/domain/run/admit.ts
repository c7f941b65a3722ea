import { describeHalt } from "../schedule/backoff.ts";
import { isSuspectedByCheck } from "../schedule/freeze.ts";
import { whyNoHeal } from "../schedule/heal.ts";
import { attemptCap } from "../schedule/money.ts";
import { describeReason } from "../schedule/why-not.ts";
import type { TicketId } from "../values/ids.ts";
import { firstFewLine, plural } from "../values/text.ts";
import { vecAt, vecItems } from "../values/vec.ts";
import { admitAdded } from "./added-ticket.ts";
import { admitApproval } from "./admit-approval.ts";
import { admitForgeRequest } from "./admit-forge-request.ts";
import { admitRevert } from "./admit-revert.ts";
import { isNewlyBlocked } from "./blocked-fact.ts";
import type { Command } from "./command.ts";
import { isActivity, type RunFact } from "./event.ts";
import { type HealFact, isAboutHeal } from "./heal-fact.ts";
import { isAboutRevert, isBeingReverted, type RevertFact } from "./live-check.ts";
import { type RunState, ticketById, ticketIndex } from "./state.ts";
import { type Attempt, isSettled, type TicketState } from "./ticket-state.ts";

/**
 * The part of a reported fact that may enter the journal: the fact itself, a note that a late or second report was dropped, or
 * nothing (the run has ended, or it was mere activity or is known already). A report counts only with the fence of the current
 * attempt.
 */
export function admitFact(state: RunState, fact: RunFact): RunFact | undefined {
  // The next engine resumes an interrupted run. Nothing else happens to a run that has ended.
  if (state.stage === "ended") return fact.type === "run-resumed" ? fact : undefined;
  if (!isUnderWay(state, fact)) return undefined;
  if (!("fence" in fact) || fact.type === "attempt-claimed" || fact.type === "report-dropped") return fact;
  const attempt = vecAt(state.tickets, ticketIndex(state, fact.ticket)).attempt;
  if (attempt?.fence === fact.fence) return isKnown(attempt, fact) ? undefined : fact;
  return isActivity(fact) ? undefined : { type: "report-dropped", ticket: fact.ticket, fence: fact.fence, what: fact.type };
}

/** False for a fact about a heal, a live check or a revert that does not run: it was given up, or belongs to an earlier engine. */
function isUnderWay(state: RunState, fact: RunFact): boolean {
  if (isAboutHeal(fact)) return isCurrent(state, fact);
  if (fact.type === "live-check-ended") return ticketLive(state, fact.ticket)?.checking === true;
  return !isAboutRevert(fact) || isOfRevert(state, fact);
}

/** True for a blocked connection that the attempt has reported before. */
function isKnown({ blocked }: Attempt, fact: RunFact): boolean {
  return fact.type === "connection-blocked" && !isNewlyBlocked(blocked, fact);
}

function ticketLive(state: RunState, ticket: TicketId): TicketState["live"] {
  return vecAt(state.tickets, ticketIndex(state, ticket)).live;
}

/** True unless a fact is about a heal that has ended, or a record that was not begun. */
function isCurrent({ heals }: RunState, fact: HealFact): boolean {
  if (fact.type === "heal-kept") return heals.past.some(({ n, keep }) => n === fact.n && keep?.as === "keeping");
  return (fact.type !== "heal-ended" && fact.type !== "heal-agent-started") || heals.running?.n === fact.n;
}

/** True if a fact of a revert is about the one that runs. A ticket that a person has settled meanwhile is not reverted any more. */
function isOfRevert(state: RunState, { type, ticket: id }: RevertFact): boolean {
  const index = ticketIndex(state, id);
  const { closedByPerson, live, phase } = vecAt(state.tickets, index);
  const isRunning = state.reverting.includes(index);
  if (type === "revert-asked") return !isRunning;
  if (type === "revert-started") {
    const isDue = live?.revert !== undefined || isSuspectedByCheck(state, index);
    return !isRunning && isDue && live?.checking === undefined;
  }
  const isLanded =
    phase === "landed" || (phase === "done" && closedByPerson === undefined && live?.revert?.failedCheck !== undefined);
  return isRunning && (type !== "revert-intended" || isLanded);
}

/**
 * Turns a person's command into facts, or into a refusal with its reason. Every accepted change of the run is an intervention.
 */
export function admitCommand(state: RunState, command: Command): readonly RunFact[] {
  const refuse = (reason: string): readonly RunFact[] => [{ type: "command-refused", command, reason }];
  if (state.stage === "ended") return [];
  if (state.stage === "stopping") return refuse("the run is stopping");
  switch (command.type) {
    case "pause":
      if (state.paused) return refuse("the run is paused already");
      return [{ type: "intervention", class: "I2", target: "run", note: "paused" }, { type: "run-paused" }];
    case "unpause":
      if (!state.paused) return refuse("the run is not paused");
      return [{ type: "intervention", class: "I2", target: "run", note: "unpaused" }, { type: "run-unpaused" }];
    case "stop":
      return [
        { type: "intervention", class: "I5", target: "run", note: "stopped" },
        { type: "stop-requested", by: "person" },
      ];
    case "judge":
      return admitJudge(state, refuse);
    case "workers":
      return admitWorkers(state, command.workers, refuse);
    case "heal":
      return admitHeal(state, refuse);
    case "drop-heal":
      return admitDropHeal(state, refuse);
    case "add": {
      const admitted = admitAdded(state, command.ticket, command.request);
      return admitted.ok ? admitted.facts : refuse(admitted.why);
    }
    case "retry":
      return admitRetry(state, command, refuse);
    case "verify":
      return admitVerify(state, command, refuse);
    case "rerun-checks":
    case "request-review":
      return admitForgeRequest(state, command, refuse);
    case "approve":
      return admitApproval(state, command, refuse);
    case "revert":
      return admitRevert(state, command, refuse);
    case "note": {
      const { kind, text } = command;
      return [{ type: "intervention", class: kind === "work" ? "I4" : "I3", target: "run", note: text, noted: true }];
    }
    default:
      return admitOnTicket(state, command, refuse);
  }
}

function admitOnTicket(
  state: RunState,
  command: Extract<Command, { type: "kill" | "gate" }>,
  refuse: Refuse,
): readonly RunFact[] {
  const index = Object.hasOwn(state.plan.index, command.ticket) ? state.plan.index[command.ticket] : undefined;
  if (index === undefined) return refuse(`there is no ticket ${command.ticket} in this batch`);
  const ticket = vecAt(state.tickets, index);
  switch (command.type) {
    case "kill":
      return admitKill(ticket, refuse);
    case "gate":
      if (isReverting(state, ticket.id)) return refuse(`the change of ${ticket.id} is being reverted; gate it afterwards`);
      return admitGate(ticket, command.step, refuse);
  }
}

/** Several checks at a person's request are one decision. */
function admitVerify(
  state: RunState,
  { ticket: only, request }: Extract<Command, { type: "verify" }>,
  refuse: Refuse,
): readonly RunFact[] {
  if (only !== undefined && !Object.hasOwn(state.plan.index, only)) return refuse(`there is no ticket ${only} in this batch`);
  if (state.stage === "verifying" || state.stage === "judging")
    return refuse("the last re-verification is under way: it checks what has landed");
  const landed = [...vecItems(state.tickets)].filter(
    ({ id, phase }) => phase === "landed" && (only === undefined || id === only),
  );
  const able = landed.filter(({ id, live, gate }) => !live?.checking && gate === undefined && !isReverting(state, id));
  const [first] = able;
  if (first === undefined) return refuse(whyNothingToCheck(state, only, landed.length));
  return [
    { type: "intervention", class: "I2", target: only ?? "run", note: "requested a live check" },
    ...able.map(({ id }): RunFact => ({ type: "live-check-started", ticket: id, why: "person", request })),
  ];
}

function isReverting(state: RunState, id: TicketId): boolean {
  const index = ticketIndex(state, id);
  const { live } = vecAt(state.tickets, index);
  return state.reverting.includes(index) || (live !== undefined && isBeingReverted(live));
}

function whyNothingToCheck(state: RunState, only: TicketId | undefined, landed: number): string {
  if (only !== undefined && isReverting(state, only)) return `the change of ${only} is being reverted`;
  if (only === undefined)
    return landed > 0 ? "every landed ticket is being checked, reverted or gated" : "no landed ticket waits for a live check";
  const { gate, phase } = vecAt(state.tickets, ticketIndex(state, only));
  if (gate !== undefined) return `the gate of ${only} is being recorded already`;
  if (landed > 0) return `${only} is being checked already`;
  return phase === "done" ? `${only} is done: nothing of it waits for a live check` : `${only} has not landed: it is ${phase}`;
}

type Refuse = (reason: string) => readonly RunFact[];

function admitJudge({ oracle, tripwire }: RunState, refuse: Refuse): readonly RunFact[] {
  if (tripwire.status !== "passed") return refuse("the tripwire has not passed yet: no verdict counts before");
  return oracle.asking ? refuse("the oracle is judging already") : [{ type: "oracle-asked", final: false }];
}

function admitKill(ticket: TicketState, refuse: Refuse): readonly RunFact[] {
  const { id, attempt } = ticket;
  if (attempt === undefined) return refuse(`no worker is on ${id}`);
  if (attempt.killing !== undefined) return refuse(`the worker on ${id} is being ended already`);
  if (attempt.merge !== undefined) return refuse(`${id} is being merged; a merge is not cut short`);
  return [
    { type: "intervention", class: "I5", target: id, note: "worker killed" },
    { type: "kill-requested", ticket: id, fence: attempt.fence, ending: "killed-by-person" },
  ];
}

function admitGate(ticket: TicketState, step: string, refuse: Refuse): readonly RunFact[] {
  const { id, attempt, live } = ticket;
  if (isSettled(ticket.phase) && ticket.phase !== "stalled") return refuse(`${id} is ${ticket.phase} already`);
  if (ticket.unfiled === true) return refuse(`the tracker does not hold ${id} yet`);
  if (ticket.gate !== undefined) return refuse(`the gate of ${id} is being recorded already`);
  if (live?.checking) return refuse(`the live check of ${id} is running; gate it afterwards if a step is left`);
  if (attempt?.merge !== undefined) return refuse(`${id} is being merged; gate it afterwards if a step is left`);
  return [
    { type: "intervention", class: "I7", target: id, note: "marked human-gated" },
    { type: "gate-requested", ticket: id, step },
  ];
}

/** Several tickets at a person's request are one decision. If one of them cannot be retried, none is. */
function admitRetry(state: RunState, { ticket }: Extract<Command, { type: "retry" }>, refuse: Refuse): readonly RunFact[] {
  const tickets = [ticket].flat();
  const unknown = tickets.find((id) => !Object.hasOwn(state.plan.index, id));
  if (unknown !== undefined) return refuse(`there is no ticket ${unknown} in this batch`);
  const [why] = tickets.flatMap((id) => whyNoRetry(state, ticketById(state, id)) ?? []);
  if (why !== undefined) return refuse(why);
  const [first = "run", ...others] = tickets;
  const decision =
    others.length === 0 ? { target: first, note: "retried" } : { target: "run", note: `retried ${firstFewLine(tickets, 5)}` };
  return [
    { type: "intervention", class: "I5", ...decision },
    ...tickets.map((id): RunFact => ({ type: "ticket-retried", ticket: id })),
  ];
}

/** The reason why a ticket cannot be retried; undefined if it can. */
export function whyNoRetry(state: RunState, ticket: TicketState): string | undefined {
  const { id, phase, gate, stalledBy, stalledReason = "no reason given", unfiled } = ticket;
  if (phase !== "stalled") return `${id} is not stalled`;
  if (gate !== undefined) return `the gate of ${id} is being recorded already`;
  // The gate could not be recorded, but the tracker may hold it. The oracle would then call the ticket settled whatever happens.
  if (stalledBy === undefined && unfiled === undefined) return `${id} is not stalled by its attempts: ${stalledReason}`;
  if (state.halted !== undefined) return describeHalt(state.halted);
  // Reserved money may come back.
  const cap = attemptCap({ ...state, reservedUsd: 0 }, ticket);
  return cap === undefined ? undefined : describeReason({ kind: "money", cap, limitUsd: state.batch.limits[cap] });
}

function admitWorkers(state: RunState, workers: number, refuse: Refuse): readonly RunFact[] {
  if (workers === state.workers) return refuse(`the run has ${plural(workers, "worker")} already`);
  return [
    { type: "intervention", class: "I2", target: "workers", note: `${state.workers} before, ${workers} from now on` },
    { type: "workers-set", workers },
  ];
}

function admitHeal(state: RunState, refuse: Refuse): readonly RunFact[] {
  const { asked, running } = state.heals;
  if (running !== undefined) return refuse("a heal is under way already");
  if (asked) return refuse("a heal was requested already: it begins once the attempts under way are over");
  const why = whyNoHeal({ ...state, reservedUsd: 0 });
  if (why !== undefined) return refuse(why);
  return [{ type: "intervention", class: "I2", target: "harness", note: "requested a heal" }, { type: "heal-asked" }];
}

function admitDropHeal({ heals: { asked, running } }: RunState, refuse: Refuse): readonly RunFact[] {
  if (!asked) return refuse(running === undefined ? "no heal is requested" : "the heal has begun: it can no longer be cancelled");
  return [
    { type: "intervention", class: "I2", target: "harness", note: "cancelled the heal" },
    { type: "heal-dropped", why: "a person cancelled it" },
  ];
}
