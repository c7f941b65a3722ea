import { parseFiled, parseSet, parseSnapshot, parseTaken } from "../adapters/tracker/command/protocol.ts";
import { type TrackerProgram, TrackerProgramError } from "../adapters/tracker/command/tracker-program.ts";
import type { ServiceTicket } from "../adapters/tracker/service/ticket-service.ts";
import { isSameState, type TrackerState } from "../domain/run/drift-fact.ts";
import { TicketId } from "../domain/values/ids.ts";

/** A verb that no program knows. */
export const NO_SUCH_VERB = "no-such-verb";

/** The line that the tracker keeps of each write of the check. */
const NOTE = "loopdash tracker check";

/** A ticket to be filed. */
export interface ProbeTicket {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly dependsOn?: readonly string[];
}

/** A rule is broken. */
export class RuleBroken extends Error {
  override readonly name = "RuleBroken";
}

/** Throws a RuleBroken if the condition does not hold. */
export function must(holds: boolean, found: string): void {
  if (!holds) throw new RuleBroken(found);
}

/** Requests to a tracker program, each with an answer that the protocol allows. Throws if it gives another one. */
export class TrackerProbe {
  /** The tickets of this check. */
  readonly ids: readonly [TicketId, TicketId];
  /** The id of no ticket. */
  readonly stranger: TicketId;
  readonly #program: TrackerProgram;
  /** A repository that the tracker's tickets name; an invented one if none does. */
  #repo = "app";
  /** The ids that a program was asked to file. */
  readonly #asked = new Set<string>();

  /** `tag` sets the ids of this check apart from those of others. */
  constructor(program: TrackerProgram, tag: string) {
    this.#program = program;
    const id = (name: string): TicketId => TicketId.parse(`loopdash-check-${tag}-${name}`);
    this.ids = [id("a"), id("b")];
    this.stranger = id("none");
  }

  async snapshot(): Promise<ReadonlyMap<TicketId, ServiceTicket>> {
    const { tickets } = await parseSnapshot(await this.#program.ask("snapshot"));
    this.#repo = [...tickets.values()].find(({ repo }) => repo !== undefined)?.repo ?? this.#repo;
    return tickets;
  }

  async taken(): Promise<readonly string[]> {
    return parseTaken(await this.#program.ask("taken"));
  }

  /** A ticket of a new snapshot. */
  async ticket(id: TicketId): Promise<ServiceTicket> {
    const ticket = (await this.snapshot()).get(id);
    if (ticket === undefined) throw new RuleBroken(`${id} is not in the snapshot`);
    return ticket;
  }

  /** Files a ticket, or finds it by id and title. */
  async filed(ticket: ProbeTicket): Promise<ServiceTicket> {
    const answer = parseFiled(await this.#file(ticket));
    if ("taken" in answer) throw new RuleBroken(`it answers that ${answer.taken} is another ticket`);
    const { id, title } = answer.filed;
    must(id === ticket.id, `it answers with the ticket ${id}`);
    must(title === ticket.title, `the title reads back as ${JSON.stringify(title)}`);
    return answer.filed;
  }

  /** Files a ticket whose id is another one's. */
  async mustBeTaken(ticket: ProbeTicket): Promise<void> {
    const answer = parseFiled(await this.#file(ticket));
    must("taken" in answer, `${ticket.id} is given to a ticket of another title`);
  }

  /** Sets a state. */
  async set(
    id: TicketId,
    state: TrackerState,
    from?: readonly TrackerState[],
  ): Promise<{ readonly before: ServiceTicket; readonly after: ServiceTicket }> {
    const answer = parseSet(await this.#set(id, state, from));
    if ("conflict" in answer) throw new RuleBroken(`it answers that the state ${answer.conflict.state.as} is a conflict`);
    for (const name of ["before", "after"] as const) must(answer[name].id === id, `"${name}" is the ticket ${answer[name].id}`);
    must(isSameState(answer.after.state, state), `"after" has the state ${JSON.stringify(answer.after.state)}`);
    return answer;
  }

  /** Sets a state where the present one is not allowed. */
  async mustConflict(id: TicketId, state: TrackerState, from: readonly TrackerState[]): Promise<void> {
    const answer = parseSet(await this.#set(id, state, from));
    if (!("conflict" in answer)) throw new RuleBroken("the state is set although the present one is not allowed");
    must(answer.conflict.id === id, `"conflict" is the ticket ${answer.conflict.id}`);
  }

  /** An act that must leave a ticket as it was. */
  async unchanged(id: TicketId, act: () => Promise<unknown>): Promise<void> {
    const before = await this.ticket(id);
    await act();
    const after = await this.ticket(id);
    must(before.revision === after.revision, `the ticket is changed: ${difference(before, after)}`);
  }

  /** Sets the tickets of this check to done, also those that a broken rule left in another state. Gives the ids that may not be. */
  async leaveDone(): Promise<readonly TicketId[]> {
    const left = this.ids.filter((id) => this.#asked.has(id));
    const ends = await Promise.allSettled(left.map((id) => this.set(id, { as: "done" })));
    return left.filter((_, i) => ends[i]?.status === "rejected");
  }

  /** A request that must end with an exit code other than 0. */
  async mustFail(verb: string, input?: Readonly<Record<string, unknown>>): Promise<string> {
    try {
      await this.#program.ask(verb, input);
    } catch (error) {
      if (error instanceof TrackerProgramError && error.exitCode !== undefined && error.exitCode > 0)
        return `it ends with exit code ${error.exitCode}`;
      throw error;
    }
    throw new RuleBroken("it ends with exit code 0");
  }

  #file({ dependsOn = [], ...ticket }: ProbeTicket): Promise<string> {
    this.#asked.add(ticket.id);
    return this.#program.ask("file", { ...ticket, repo: this.#repo, dependsOn, exclusive: [], note: NOTE });
  }

  #set(id: TicketId, state: TrackerState, from: readonly TrackerState[] | undefined): Promise<string> {
    return this.#program.ask("set", {
      id,
      ...inWords(state),
      note: NOTE,
      ...(from !== undefined && { from: from.map(inWords) }),
    });
  }
}

/** What differs between two readings of a ticket. */
export function difference(one: ServiceTicket, other: ServiceTicket): string {
  const keys = ["title", "body", "state", "repo", "dependsOn", "exclusive"] as const;
  const key = keys.find((each) => JSON.stringify(one[each]) !== JSON.stringify(other[each]));
  return key === undefined
    ? "the version, the url, or a key that only one of them has"
    : `${key} is ${JSON.stringify(one[key])}, then ${JSON.stringify(other[key])}`;
}

function inWords(state: TrackerState): { readonly state: string; readonly step?: string } {
  return state.as === "human-gated" ? { state: state.as, step: state.step } : { state: state.as };
}
