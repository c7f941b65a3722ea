import { randomUUID } from "node:crypto";
import { isResumable } from "../../domain/results/next-steps.ts";
import { findLanding } from "../../domain/run/carry-over.ts";
import { isLandedNotLive } from "../../domain/run/live-check.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { firstFewLine, plainText, plural } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { lastRun } from "../engine/carry-over.ts";
import { exitCodeOf } from "../exit-code.ts";
import { findRun, type LocatedRun, lookUpRun, withStore } from "../find-run.ts";
import { linePrinter } from "../lines.ts";
import { writeAll } from "../print.ts";
import { RequestedChecks } from "../requested-checks.ts";
import { askEngine, parseTicketId, refused } from "../ticket-commands.ts";
import { headless } from "./headless.ts";

/**
 * Checks whether landed tickets are live: by the run's engine if there is one, which checks those that it does not know to be live, else by a new
 * run that starts no agent. Returns 0 if all that was checked is live, and 1 if something is not; other tickets do not count. If the new run
 * could not check or judge, its exit code is returned. Throws a UserError (exit 4) for a ticket that has not landed.
 */
export async function verify(name: string | undefined, only: string | undefined): Promise<number> {
  const { live, folder, row } = lookUpRun(name);
  const ticket = only === undefined ? undefined : parseTicketId(only);
  if (live) return byEngine(folder, ticket);
  const found = findRun(row.run);
  refuseUnfinished(found);
  refuseEarlier(found);
  const landed = [...landedTickets(found.state), ...shippedTickets(found.state)].filter(
    (id) => ticket === undefined || id === ticket,
  );
  if (landed.length === 0) {
    writeAll(1, `loopdash: ${nothingToCheck(found, ticket)}\n`);
    return EXIT.done;
  }
  const request = { verb: "run", batch: row.batchPath, output: "headless", dryRun: false, fresh: false, detach: false } as const;
  const checksOnly = ticket === undefined ? {} : { ticket };
  return resultOf(await headless({ ...request, allowApiKey: false, acceptChanges: false, checksOnly }), landed, ticket);
}

const REOPEN_TO_CHECK = "Reopen the ticket in the tracker to have it checked.";

/** The reason why no ticket is checked. Throws a UserError if that is no good news about the ticket that was named. */
function nothingToCheck({ row, state }: LocatedRun, ticket: TicketId | undefined): string {
  const tickets = [...vecItems(state.tickets)];
  const taken = tickets.filter((one) => one.live !== undefined && (ticket ?? one.id) === one.id && isSettledByPerson(one));
  if (taken.length > 0) throw refused("nothing was checked", settledText(taken.map(({ id }) => id)), REOPEN_TO_CHECK);
  if (ticket === undefined) {
    const why = tickets.some(hasLanded) ? 'no ticket that landed has a "verify" step' : "no ticket has landed";
    return `nothing was checked: ${why} in run ${row.run}`;
  }
  const named = tickets.find(({ id }) => id === ticket);
  if (named === undefined) throw refused(`cannot check ${ticket}`, `the run ${row.run} has no such ticket`);
  if (hasLanded(named)) return `nothing was checked: ${ticket} has no "verify" step`;
  throw refused(`cannot check ${ticket}`, `it has not landed in the run ${row.run}: it is ${named.phase}`);
}

function hasLanded(ticket: TicketState): boolean {
  return findLanding(ticket) !== undefined;
}

/** Says what came of the checks, whatever the verdict on the rest of the batch is, and gives the exit code. */
function resultOf(state: RunState, landed: readonly TicketId[], ticket: TicketId | undefined): number {
  const code = exitCodeOf(state);
  if (code !== EXIT.done && code !== EXIT.notDone) return code;
  // The last re-verification may have found others that are not live.
  const checked = ticket === undefined ? [...new Set([...landed, ...landedTickets(state)])] : landed;
  // A person may have reverted one meanwhile: it has not landed any more, and is not live.
  const live = checked.filter((id) => isLive(ticketById(state, id)) || isShippedStill(state, id));
  const taken = checked.filter((id) => !live.includes(id) && isSettledByPerson(ticketById(state, id)));
  const others = taken.length === 0 ? "" : `; ${settledText(taken)}`;
  const not = checked.filter((id) => !live.includes(id) && !taken.includes(id));
  const failed = not.map((id) => `  ${id}: ${plainText(whyNotLive(ticketById(state, id)), 300)}\n`).join("");
  const at = new Date(state.lastEventAt).toTimeString().slice(0, 8);
  const counted = `${plural(checked.length - taken.length, "ticket")} checked at ${at}, ${live.length} live`;
  writeAll(1, `loopdash: ${counted}${others}\n${failed}`);
  return live.length === checked.length ? EXIT.done : EXIT.notDone;
}

/** True if the last re-verification of this run found a ticket live that an earlier run had shipped. */
function isShippedStill(state: RunState, id: TicketId): boolean {
  const { phase, landedEarlier } = ticketById(state, id);
  const isShipped = phase === "done" && landedEarlier !== undefined && landedEarlier.closedByPerson === undefined;
  return isShipped && state.reverified && state.reverifyProblem === undefined;
}

function whyNotLive({ evidence, live }: TicketState): string {
  const last = live?.history.at(-1);
  return (last?.ok === false ? last.summary : undefined) ?? evidence.at(-1)?.summary ?? "its live check has no result";
}

/** True if the last live check of a landed ticket has passed. */
function isLive({ phase, live }: TicketState): boolean {
  return phase === "done" && live?.history.at(-1)?.ok === true;
}

/** True if a person has settled a ticket, so that no live check says anything about it. */
function isSettledByPerson(ticket: TicketState): boolean {
  return (ticket.phase === "done" || ticket.phase === "human-gated") && !isLive(ticket);
}

function settledText(ids: readonly TicketId[]): string {
  const named = firstFewLine(ids, MAX_NAMED);
  return `${named} ${ids.length === 1 ? "was" : "were"} settled by a person, and not checked`;
}

function landedTickets(state: RunState): readonly TicketId[] {
  return [...vecItems(state.tickets)].filter(isLandedNotLive).map(({ id }) => id);
}

/** Tickets that the run, or one before it, has shipped and that have something to look at. */
function shippedTickets({ plan, tickets }: RunState): readonly TicketId[] {
  const isShipped = (one: TicketState) => one.phase === "done" && one.closedByPerson === undefined && hasLanded(one);
  const hasVerify = ({ id }: TicketState) => plannedTicket(plan, id).finish.some(({ step }) => step === "verify");
  return [...vecItems(tickets)].filter((one) => isShipped(one) && hasVerify(one)).map(({ id }) => id);
}

/** An unfinished run would be closed by a run that only checks, and the history of its attempts with it. */
function refuseUnfinished({ row, state }: LocatedRun): void {
  if (state.end !== undefined && !isResumable(state)) return;
  throw refused(
    `the run ${row.run} is not over, and no engine is at work on it`,
    "a run that only checks would close it, and the history of its attempts with it",
    `Go on with it: loopdash ${row.batchPath}`,
  );
}

/** Only the last run of a batch is gone on with. */
function refuseEarlier({ row }: LocatedRun): void {
  const last = withStore((store) => lastRun(store, row.batchPath));
  if (last === undefined || last.run === row.run) return;
  throw refused(
    `the run ${row.run} is not the last one of its batch`,
    "a later run has taken over what it landed",
    `Check that: loopdash verify ${last.run}`,
  );
}

/**
 * Sends the command to a living engine, and prints its checks until they are over. Returns 0 if all of them passed, else 1.
 * Throws a UserError if the engine refuses it (exit 4) or ends before a check does (exit 1).
 */
async function byEngine(folder: string, only: TicketId | undefined): Promise<number> {
  const print = linePrinter("lines");
  const request = randomUUID();
  const checks = new RequestedChecks({ request, only });
  const result = await askEngine(folder, {
    command: { type: "verify", request, ...(only === undefined ? {} : { ticket: only }) },
    readAnswer(event, state) {
      const before = new Set(checks.open);
      const answer = checks.take(event, state);
      const isMeant = "ticket" in event && (before.has(event.ticket) || checks.open.includes(event.ticket));
      if (isMeant && event.type.startsWith("live-check")) print(event, state);
      return answer;
    },
    refuse: (reason) => engineGone(checks.open, reason),
  });
  if ("refused" in result) throw refused("nothing was checked", plainText(result.refused, 300));
  return result.live ? EXIT.done : EXIT.notDone;
}

function engineGone(open: readonly TicketId[], reason: string): UserError {
  if (open.length === 0) return refused("nothing was checked", reason);
  return new UserError({
    what: `no result of the live check of ${open.slice(0, MAX_NAMED).join(", ")}${open.length > MAX_NAMED ? " and others" : ""}`,
    why: reason,
    todo: "See: loopdash status",
    exitCode: EXIT.notDone,
  });
}

/** Tickets that an error names. */
const MAX_NAMED = 8;
