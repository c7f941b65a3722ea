import { isSameState, type TrackerState } from "../../../domain/run/drift-fact.ts";
import type { TicketId } from "../../../domain/values/ids.ts";
import { plainText } from "../../../domain/values/text.ts";
import { type FiledTicket, TicketConflict, TicketIdTaken, type TrackerWrite } from "../../../ports/tracker.ts";
import { noteLine, recordOf } from "../state-record.ts";
import {
  type ProgramSnapshot,
  type ProgramTicket,
  ProtocolError,
  parseFiled,
  parseSet,
  parseSnapshot,
  parseTaken,
} from "./protocol.ts";
import { type TrackerProgram, TrackerProgramError } from "./tracker-program.ts";

/** A state to be written. */
export interface StateWrite {
  readonly id: TicketId;
  readonly state: TrackerState;
  readonly note: string;
  readonly from: readonly TrackerState[] | undefined;
}

/** Requests to one tracker program, one at a time, each with its answer checked; and what it answered last. */
export class TrackerRequests {
  readonly #program: TrackerProgram;
  #turn: Promise<unknown> = Promise.resolve();
  #last: ProgramSnapshot | undefined;
  /** Tickets that were written since the last snapshot, as they read back. */
  readonly #written = new Map<TicketId, ProgramTicket>();

  constructor(program: TrackerProgram) {
    this.#program = program;
  }

  /** Every ticket of the program's query, at one instant. */
  read(): Promise<ReadonlyMap<TicketId, ProgramTicket>> {
    return this.#inTurn(() => this.#snapshot());
  }

  /** The ids that no new ticket may have. */
  taken(): Promise<readonly string[]> {
    return this.#inTurn(async () => this.#parsed("taken", await this.#program.ask("taken"), parseTaken));
  }

  /** Sets a state. Throws a TicketConflict if the present one is not among `from`. */
  async set(write: StateWrite): Promise<TrackerWrite> {
    const { id, state, note, from } = write;
    const input = { id, ...stateInput(state), note: noteLine(note), ...(from !== undefined && { from: from.map(stateInput) }) };
    return this.#inTurn(async () => {
      const answer = await this.#parsed("set", await this.#askAbout(id, "set", input), parseSet);
      if ("conflict" in answer) return this.#conflict(write, this.#same(id, answer.conflict));
      const [before, after] = [this.#same(id, answer.before), this.#same(id, answer.after)];
      if (!isSameState(after.state, state)) throw this.problem(`ticket ${id} was set to ${state.as} and did not read back so`);
      this.#written.set(id, after);
      return { before: before.revision, after: after.revision };
    });
  }

  /** Files a ticket as open, or finds it. Throws a TicketIdTaken if the id is another ticket's. */
  file({ note, ...ticket }: FiledTicket): Promise<void> {
    const { id, repo, dependsOn = [], exclusive = [] } = ticket;
    const [title, body] = [ticket.title.toWellFormed(), ticket.body.toWellFormed()];
    return this.#inTurn(async () => {
      // An existing ticket is answered as it is, whatever its state and text.
      const isThere = this.known(id) !== undefined || (await this.#snapshot()).has(id);
      const input = { id, title, body, repo, dependsOn, exclusive, note: noteLine(note) };
      const answer = await this.#parsed("file", await this.#askAbout(id, "file", input), parseFiled);
      if ("taken" in answer) throw new TicketIdTaken(this.problem(`${plainText(answer.taken, 100)} is another ticket`).message);
      const filed = this.#same(id, answer.filed);
      const isAsSent = filed.state.as === "open" && withoutEnd(filed.body) === withoutEnd(body);
      if (filed.title !== title || !(isThere || isAsSent)) throw this.problem(`ticket ${id} was filed and did not read back so`);
      this.#written.set(id, filed);
    });
  }

  /** The ticket as it was last read or written here. */
  known(id: TicketId): ProgramTicket | undefined {
    return this.#written.get(id) ?? this.#last?.tickets.get(id);
  }

  /** Frees what was read. */
  forget(): void {
    this.#last = undefined;
    this.#written.clear();
  }

  problem(text: string): Error {
    return new Error(`${this.#program.name}: ${text}`);
  }

  async #snapshot(): Promise<ReadonlyMap<TicketId, ProgramTicket>> {
    const text = await this.#program.ask("snapshot");
    this.#last = await this.#parsed("snapshot", text, (answer) => parseSnapshot(answer, this.#last?.byLine));
    this.#written.clear();
    return this.#last.tickets;
  }

  /** A conflict with the wanted state itself is none: it is set. */
  #conflict({ id, state, from }: StateWrite, now: ProgramTicket): TrackerWrite {
    if (isSameState(now.state, state)) return { before: now.revision, after: now.revision };
    if (from?.some((known) => isSameState(known, now.state)) !== false)
      throw this.problem(`it calls the state ${now.state.as} of ${id} a conflict, although the request allows it`);
    throw new TicketConflict(`somebody set ${id} to ${now.state.as}`);
  }

  #same(id: TicketId, ticket: ProgramTicket): ProgramTicket {
    if (ticket.id === id) return ticket;
    throw this.problem(`it was asked about ticket ${id} and answered with ${ticket.id}`);
  }

  async #askAbout(id: TicketId, verb: string, input: Readonly<Record<string, unknown>>): Promise<string> {
    try {
      return await this.#program.ask(verb, input);
    } catch (error) {
      if (!(error instanceof TrackerProgramError)) throw error;
      throw new TrackerProgramError(`${verb} ${id}: ${error.message}`, error.exitCode);
    }
  }

  /** The parsed answer. An error names program and verb. */
  async #parsed<T>(verb: string, text: string, parse: (text: string) => T | Promise<T>): Promise<T> {
    try {
      return await parse(text);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      throw new ProtocolError(`${this.#program.name} gave a wrong answer to "${verb}": ${error.message}`);
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work, work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** The state in the program's words. Throws if the step is not one line of 1 to 500 well-formed characters. */
function stateInput(state: TrackerState): Readonly<Record<string, string>> {
  const { state: word, humanStep } = recordOf(state);
  return { state: word, ...(humanStep !== undefined && { step: humanStep }) };
}

/** A text as trackers keep it: other line ends, and blanks at its end, do not count. */
function withoutEnd(text: string): string {
  return text.replace(/\r\n?/g, "\n").trimEnd();
}
