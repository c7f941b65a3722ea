import { admitCommand, whyNoRetry } from "../../domain/run/admit.ts";
import type { Command } from "../../domain/run/command.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { firstFewLine, plainText } from "../../domain/values/text.ts";
import { EXIT, type UserError } from "../../domain/values/user-error.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { describeChoice, findRun, lookUpRun, type RecordedRun } from "../find-run.ts";
import { writeAll, writeNote } from "../print.ts";
import { changeJournal } from "../run-journal.ts";
import { askEngine, parseTicketId, refused } from "../ticket-commands.ts";

type TicketCommand = Extract<Command, { type: "retry" | "gate" }>;

/** Tickets that one line names. */
const MOST_NAMED = 8;

/**
 * Retries stalled tickets of a run: those that are named, or all. The same batch command then continues a run that has ended. Returns 0
 * once the run has taken the command. Throws a UserError (exit 4) if it refuses.
 */
export async function retry(name: string, texts: readonly string[]): Promise<number> {
  const named = [...new Set(texts)].map(parseTicketId);
  const found = lookUpRun(name);
  writeNote(describeChoice(found));
  const tickets = named.length > 0 ? named : retryableTickets(findRun(found.row.run).state);
  if (tickets.length === 0) throw refused("no ticket was retried", "no ticket of the run is stalled by its attempts");
  await giveCommand(found, { type: "retry", ticket: [...tickets] }, tickets);
  return confirm(found, `${firstFewLine(tickets, MOST_NAMED)} will be tried again`);
}

/**
 * Rules on a claimed blocker in place of a reviewer. `uphold` leaves the ticket to a person with the claimed step; `reject` lets an agent
 * try again. Throws a UserError (exit 4) if the ticket waits for no ruling.
 */
export async function rule(name: string, text: string, ruling: "uphold" | "reject"): Promise<number> {
  const ticket = parseTicketId(text);
  const found = lookUpRun(name);
  writeNote(describeChoice(found));
  const step = claimedStep(findRun(found.row.run).state, ticket);
  if (step === undefined) throw refused(`there is nothing to rule on for ${ticket}`, "it waits for no ruling on a blocker");
  if (ruling === "uphold") {
    await giveCommand(found, { type: "gate", ticket, step }, [ticket]);
    return confirm(found, `${ticket} is left to a person: ${step}`);
  }
  await giveCommand(found, { type: "retry", ticket }, [ticket]);
  return confirm(found, `the blocker of ${ticket} is rejected, and an agent tries again`);
}

function retryableTickets(state: RunState): readonly TicketId[] {
  const { halted: _, ...going } = state;
  return [...vecItems(state.tickets)].flatMap((ticket) => (whyNoRetry(going, ticket) === undefined ? [ticket.id] : []));
}

/** The step that a claim leaves to a person who has to rule on it. */
function claimedStep(state: RunState, ticket: TicketId): string | undefined {
  if (!Object.hasOwn(state.plan.index, ticket)) return undefined;
  const { evidence, phase } = ticketById(state, ticket);
  const last = evidence.at(-1);
  return phase === "stalled" && last?.cause === "unruled" ? last.humanStep : undefined;
}

function confirm({ live, row }: RecordedRun, what: string): number {
  const when = live ? "" : `, once the run continues: loopdash ${row.batchPath}`;
  writeAll(1, `${plainText(`loopdash: ${what}${when}`, 800)}\n`);
  return EXIT.done;
}

/** Gives a command about these tickets to a run: to its engine, or to its journal if no engine is at work on it. */
async function giveCommand(found: RecordedRun, command: TicketCommand, tickets: readonly TicketId[]): Promise<void> {
  if (found.live) return commandEngine(found.folder, command, tickets);
  changeJournal(found, { refuse, reopens: true }, (state) => {
    // The engine that continues the run is at work again, and clears its halt.
    const { halted: _, ...going } = state;
    const facts = admitCommand({ ...going, stage: "working" }, command);
    const [first] = facts;
    if (first?.type === "command-refused") throw refuse(first.reason);
    return { facts, result: undefined };
  });
}

/** Resolves once the engine has accepted the command for each of its tickets. */
async function commandEngine(folder: string, command: TicketCommand, tickets: readonly TicketId[]): Promise<void> {
  const pending = new Set(tickets);
  const accepted = command.type === "gate" ? "gate-requested" : "ticket-retried";
  await askEngine(folder, {
    command,
    readAnswer(event) {
      if (event.type === "command-refused" && JSON.stringify(event.command) === JSON.stringify(command))
        throw refuse(event.reason);
      if (event.type === accepted) pending.delete(event.ticket);
      return pending.size === 0 ? true : undefined;
    },
    refuse: (reason) => refused("it is unknown if the run took the command", reason),
  });
}

function refuse(why: string): UserError {
  return refused("the run refuses the command", plainText(why, 300));
}
