import type { FolderTicket } from "../../../domain/batch/merge-folder.ts";
import { TicketSpec } from "../../../domain/batch/schema.ts";
import type { TicketId } from "../../../domain/values/ids.ts";
import type { Tracker } from "../../../ports/tracker.ts";
import type { ProgramTicket } from "./protocol.ts";
import { TrackerRequests } from "./requests.ts";
import type { TrackerProgram } from "./tracker-program.ts";

/**
 * Any tracker, through a program of the user. `ids` are the batch's tickets, in order; filed tickets come after them. It sends one
 * request at a time. Nothing tells it of changes: `watch` never calls.
 */
export function createCommandTracker(options: { readonly program: TrackerProgram; readonly ids: readonly TicketId[] }): Tracker {
  const ids = [...options.ids];
  const requests = new TrackerRequests(options.program);
  const found = (tickets: ReadonlyMap<TicketId, ProgramTicket>, id: TicketId): ProgramTicket => {
    const ticket = tickets.get(id);
    if (ticket === undefined) throw requests.problem(`there is no ticket ${id}`);
    return ticket;
  };
  return {
    async snapshot() {
      const tickets = await requests.read();
      return ids.map((id) => found(tickets, id));
    },
    read: async () => ({ tickets: await requests.read(), unreadable: new Map() }),
    body: async (id) => (requests.known(id) ?? found(await requests.read(), id)).body,
    watch: () => () => requests.forget(),
    taken: () => requests.taken(),
    async set(id, state, note, from) {
      if (!ids.includes(id)) throw requests.problem(`ticket ${id} is not one of the batch's`);
      return await requests.set({ id, state, note, from });
    },
    async file(ticket) {
      await requests.file(ticket);
      if (!ids.includes(ticket.id)) ids.push(ticket.id);
    },
  };
}

/**
 * All tickets of a tracker program, for reading a batch. Throws an Error that names the first ticket that no batch may have; its
 * message is safe for a terminal.
 */
export async function readCommandTickets(program: TrackerProgram): Promise<readonly FolderTicket[]> {
  const requests = new TrackerRequests(program);
  return [...(await requests.read()).values()].map(({ id, title, body, repo, dependsOn = [], exclusive = [] }) => {
    if (!TicketSpec.shape.title.safeParse(title).success)
      throw requests.problem(`the title of ticket ${id} is longer than 200 characters`);
    if (!TicketSpec.shape.body.safeParse(body).success)
      throw requests.problem(`the text of ticket ${id} is longer than 64,000 characters`);
    return {
      id,
      title: title.trim(),
      body,
      ...(repo !== undefined && { repo }),
      dependsOn,
      exclusive,
      file: `ticket ${id} in the tracker`,
    };
  });
}
