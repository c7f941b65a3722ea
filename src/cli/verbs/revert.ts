import { randomUUID } from "node:crypto";
import { isResumable } from "../../domain/results/next-steps.ts";
import { landedChange, whyNoRevert } from "../../domain/run/admit-revert.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import type { RunId, TicketId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { lastRun } from "../engine/carry-over.ts";
import { describeChoice, findRun, type LocatedRun, lookUpRun, withStore } from "../find-run.ts";
import { linePrinter } from "../lines.ts";
import { writeAll, writeNote } from "../print.ts";
import { askEngine, parseTicketId, refused } from "../ticket-commands.ts";
import { headless } from "./headless.ts";

/**
 * Reverts what a ticket has landed, through the checks of its finish line, and opens it again: by the run's engine if there is one, else by
 * a new run that starts no agent. Returns 0 once that is done. Throws a UserError if nothing was changed: exit 4 if it cannot be tried,
 * and 1 if the revert conflicts or fails a check.
 */
export async function revert(name: string, text: string): Promise<number> {
  const ticket = parseTicketId(text);
  const named = lookUpRun(name);
  writeNote(describeChoice(named));
  // The last run of the batch knows what has become of the ticket since.
  const last = withStore((store) => lastRun(store, named.row.batchPath))?.run ?? named.row.run;
  const { live, folder } = lookUpRun(last);
  if (live) return byEngine(folder, ticket);
  const found = findRun(last);
  refuseOtherLanding(found, { run: named.row.run, ticket });
  const isContinued = isBeingReverted(found, ticket);
  const why = isContinued ? undefined : whyNoRevert(found.state, ticket);
  if (why !== undefined) throw notReverted(ticket, why);
  if (!isContinued) refuseUnfinished(found);
  const request = { verb: "run", batch: found.row.batchPath, output: "headless", dryRun: false, fresh: false } as const;
  const bounds = { detach: false, allowApiKey: false, acceptChanges: false, checksOnly: { ticket }, withoutSummary: true };
  const seen: RunEvent[] = [];
  const state = await headless({
    ...request,
    ...bounds,
    command: isContinued ? undefined : { type: "revert", ticket },
    onEvent: (event) => void seen.push(...(isResult(event, ticket) ? [event] : [])),
  });
  return resultOf(seen.at(-1), state, ticket);
}

/** True if a run that was to revert this change, and nothing else, was cut off: it goes on. */
function isBeingReverted({ state }: LocatedRun, ticket: TicketId): boolean {
  const isOpen = state.end === undefined || isResumable(state);
  return isOpen && state.checksTicket === ticket && ticketById(state, ticket).live?.revert?.byPerson === true;
}

/** A person who names a run means what that run landed, and not what a later one has landed in its place. */
function refuseOtherLanding(
  { row, state }: LocatedRun,
  { run, ticket }: { readonly run: RunId; readonly ticket: TicketId },
): void {
  if (row.run === run) return;
  const before = findRun(run).state;
  const shaIn = (one: RunState) =>
    Object.hasOwn(one.plan.index, ticket) ? landedChange(ticketById(one, ticket))?.sha : undefined;
  const [then, now] = [shaIn(before), shaIn(state)];
  if (then === undefined || now === undefined || then === now) return;
  const why = `the run ${row.run} has landed it again since, as ${now.slice(0, 12)}`;
  throw notReverted(ticket, why, `To take that back: loopdash revert ${row.run} ${ticket}`);
}

/** The history of its attempts would end with a run that only reverts. */
function refuseUnfinished({ row, state }: LocatedRun): void {
  if (state.end !== undefined && !isResumable(state)) return;
  const why = `the run ${row.run} is not over, and no engine is at work on it`;
  throw refused("nothing was reverted", why, `Go on with it, and revert then: loopdash ${row.batchPath}`);
}

type Result = Extract<RunEvent, { type: "revert-ended" | "revert-failed" | "revert-stopped" | "command-refused" }>;

function isResult(event: RunEvent, ticket: TicketId, request?: string): event is Result {
  if (event.type === "command-refused") return event.command.type === "revert" && event.command.request === request;
  return (
    (event.type === "revert-ended" || event.type === "revert-failed" || event.type === "revert-stopped") &&
    event.ticket === ticket
  );
}

/** Says what came of the revert. Throws a UserError if it has changed nothing. */
function resultOf(event: RunEvent | undefined, state: RunState, ticket: TicketId): number {
  switch (event?.type) {
    case "revert-ended": {
      const { reverted } = ticketById(state, ticket);
      const [sha, by] = [reverted?.sha.slice(0, 12), reverted?.by.slice(0, 12)];
      writeAll(1, `${plainText(`loopdash: ${ticket} is open again: ${sha} is reverted by ${by}; ${event.summary}`, 500)}\n`);
      return EXIT.done;
    }
    case "command-refused":
      throw notReverted(ticket, event.reason);
    case "revert-failed":
      throw new UserError({
        what: `the change of ${ticket} was not reverted`,
        why: plainText(event.reason, 300),
        todo: "Nothing was changed. Revert what was built on it first, or take it back by hand with git revert.",
        exitCode: EXIT.notDone,
      });
    default:
      throw new UserError({
        what: `the change of ${ticket} is not reverted yet`,
        why: "the run was stopped before that was over",
        todo: "The same command goes on with it.",
        exitCode: EXIT.notDone,
      });
  }
}

function notReverted(ticket: TicketId, why: string, todo?: string): UserError {
  return refused(`the change of ${ticket} cannot be reverted`, plainText(why, 300), todo);
}

/** Sends the command to a living engine, and prints the revert until it is over. */
async function byEngine(folder: string, ticket: TicketId): Promise<number> {
  const print = linePrinter("lines");
  const request = randomUUID();
  const { event, state } = await askEngine(folder, {
    command: { type: "revert", ticket, request },
    readAnswer(event, state) {
      if (event.type.startsWith("revert-") && "ticket" in event && event.ticket === ticket) print(event, state);
      return isResult(event, ticket, request) ? { event, state } : undefined;
    },
    refuse: (reason) => refused("it is unknown if anything was reverted", reason),
  });
  return resultOf(event, state, ticket);
}
