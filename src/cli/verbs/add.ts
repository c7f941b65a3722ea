import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { readBounded } from "@loopdash/values/node";
import { connectChannel, runSocketPath } from "../../adapters/channel/socket-client.ts";
import type { Ticket } from "../../domain/batch/schema.ts";
import { isResumable } from "../../domain/results/next-steps.ts";
import { addedBefore, admitAdded, readTicketText } from "../../domain/run/added-ticket.ts";
import { Command } from "../../domain/run/command.ts";
import type { RunEvent, RunFact } from "../../domain/run/event.ts";
import type { RunState } from "../../domain/run/state.ts";
import { errorMessage, hasErrorCode, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { describeChoice, lookUpRun, type RecordedRun } from "../find-run.ts";
import { writeAll, writeNote } from "../print.ts";
import { changeJournal } from "../run-journal.ts";

/** Bytes of a ticket file at most. */
const MOST_BYTES = 1024 * 1024;

/**
 * Adds the ticket of a file to an unfinished run: by its engine, or in its journal if none is at work on it. Exit 0: the ticket is
 * in the journal, and the run's next judgement knows it. Throws a UserError: exit 2 for a ticket that the run cannot take, 4 for a
 * run that takes none.
 */
export async function add(name: string, file: string): Promise<number> {
  const value = readTicket(file);
  const found = lookUpRun(name);
  writeNote(describeChoice(found));
  const { run, batchPath, endedAt } = found.row;
  if (endedAt !== undefined) throw hasEnded(run, batchPath);
  const added = found.live ? await addByEngine(found, { file, value }) : addToJournal(found, { file, value });
  const when = found.live
    ? "it is filed in the tracker now"
    : `it is filed and worked once the run continues: loopdash ${batchPath}`;
  const said = added.isNew ? `added to the run ${run}; ${when}` : `in the run ${run} already`;
  writeAll(1, `${plainText(`${added.id} is ${said}`)}\n`);
  return 0;
}

interface TicketFile {
  readonly file: string;
  readonly value: unknown;
}

interface Added {
  readonly id: Ticket["id"];
  /** False if the run had this ticket before: the command was given twice. */
  readonly isNew: boolean;
}

function readTicket(file: string): unknown {
  const refuse = (why: string, cause?: unknown) =>
    new UserError({
      what: `cannot read the ticket file ${plainText(file, 300)}`,
      why,
      todo: 'It holds one ticket as in a batch file: {"title": "…", "body": "…"}.',
      exitCode: EXIT.usage,
      cause,
    });
  let text: string;
  try {
    if (statSync(file).size > MOST_BYTES) throw refuse("it is larger than 1 MiB");
    text = readBounded(file, MOST_BYTES).toString("utf8");
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw refuse(hasErrorCode(error, "ENOENT") ? "there is no such file" : errorMessage(error), error);
  }
  const read = readTicketText(text);
  if (!read.ok) throw refuse(read.why);
  return read.value;
}

interface AdmittedTicket {
  readonly ticket: Ticket;
  /** The facts that add it; none if the run has it. */
  readonly facts: readonly RunFact[];
}

/** The ticket as this run would take it, or the same ticket if it has it. Throws a UserError (exit 2) if it cannot take it. */
function admitted(state: RunState, { file, value }: TicketFile): AdmittedTicket {
  const had = addedBefore(state, value);
  if (had !== undefined) return { ticket: had, facts: [] };
  const admission = admitAdded(state, value);
  if (admission.ok) return admission;
  throw refused(file, admission.why);
}

/** Another command took the id that this one had chosen. */
class IdTaken extends Error {
  override readonly name = "IdTaken";
}

/** Ids that a ticket without one of its own asks for, while other commands add tickets. */
const MOST_IDS = 100;

async function addByEngine(run: RecordedRun, ticketFile: TicketFile): Promise<Added> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await askEngine(run, ticketFile);
    } catch (error) {
      if (!(error instanceof IdTaken) || tried === MOST_IDS) throw error;
    }
  }
}

async function askEngine({ folder }: RecordedRun, ticketFile: TicketFile): Promise<Added> {
  const { promise, resolve, reject } = Promise.withResolvers<Added>();
  const request = randomUUID();
  const hasId = Object.hasOwn(Object(ticketFile.value), "id");
  const take = (event: RunEvent): void => {
    if (event.type === "ticket-added" && event.request === request) resolve({ id: event.added.id, isNew: true });
    if (event.type !== "command-refused" || event.command.type !== "add" || event.command.request !== request) return;
    reject(!hasId && event.reason.includes("already") ? new IdTaken(event.reason) : refused(ticketFile.file, event.reason));
  };
  const client = await connectChannel({
    socketPath: runSocketPath(folder),
    onMessage: (message) => {
      if (message.kind === "event") return take(message.event);
      try {
        const { ticket, facts } = admitted(message.state, ticketFile);
        if (facts.length === 0) return resolve({ id: ticket.id, isNew: false });
        const command = Command.parse({ type: "add", ticket: { ...(ticketFile.value as object), id: ticket.id }, request });
        client.send(command);
      } catch (error) {
        reject(error);
      }
    },
    onClose: () => reject(engineGone()),
  });
  return promise.finally(() => client.close());
}

function addToJournal(found: RecordedRun, ticketFile: TicketFile): Added {
  const { run, batchPath } = found.row;
  return changeJournal(found, { refuse: engineGone }, (state) => {
    if (state.end !== undefined && !isResumable(state)) throw hasEnded(run, batchPath);
    const { ticket, facts } = admitted(state, ticketFile);
    return { facts, result: { id: ticket.id, isNew: facts.length > 0 } };
  });
}

function refused(file: string, why: string): UserError {
  return new UserError({
    what: `the run cannot take the ticket of ${plainText(file, 300)}`,
    why,
    todo: "Fix the ticket file and run the command again.",
    exitCode: EXIT.usage,
  });
}

function hasEnded(run: string, batchPath: string): UserError {
  return new UserError({
    what: `the run ${run} takes no tickets any more`,
    why: "it has ended",
    todo: `Add the ticket to ${batchPath}: a new run continues from what this one has left.`,
    exitCode: EXIT.refused,
  });
}

function engineGone(): UserError {
  return new UserError({
    what: "it is unknown if the ticket was added",
    why: "the run's engine started or stopped meanwhile",
    todo: "Run the same command again. A ticket with an id is added only once.",
    exitCode: EXIT.refused,
  });
}
