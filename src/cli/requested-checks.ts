import type { RunEvent } from "../domain/run/event.ts";
import { type RunState, ticketById } from "../domain/run/state.ts";
import type { TicketId } from "../domain/values/ids.ts";
import { vecItems } from "../domain/values/vec.ts";

/** The outcome of a `verify` command: its checks are over, or the engine refused it. */
export type RequestedResult = { readonly live: boolean } | { readonly refused: string };

/**
 * Follows the events of a run until the live checks of one `verify` command are over: those that it started, and those that were
 * under way when the engine took it. Other people's commands and later checks do not count.
 */
export class RequestedChecks {
  readonly #request: string;
  readonly #only: TicketId | undefined;
  readonly #open = new Set<TicketId>();
  #areLive = true;

  /** `request` is the name in the command. `only` is its ticket; without it, the command is about every landed ticket. */
  constructor({ request, only }: { readonly request: string; readonly only?: TicketId | undefined }) {
    this.#request = request;
    this.#only = only;
  }

  /** Tickets whose check has no result yet. */
  get open(): readonly TicketId[] {
    return [...this.#open];
  }

  /** Takes an event and the state after it. Gives the result once it is known. */
  take(event: RunEvent, state: RunState): RequestedResult | undefined {
    if (event.type === "live-check-started" && event.request === this.#request) this.#join(state);
    if (event.type === "command-refused" && event.command.type === "verify" && event.command.request === this.#request) {
      // The engine refuses to start a second check of a ticket. The first one answers the question as well.
      this.#join(state);
      return this.#open.size === 0 ? { refused: event.reason } : undefined;
    }
    if (this.#open.size === 0) return undefined;
    for (const id of this.#open) if (ticketById(state, id).live?.checking !== true) this.#end(id, event, state);
    return this.#open.size === 0 ? { live: this.#areLive } : undefined;
  }

  #join(state: RunState): void {
    for (const { id, live } of vecItems(state.tickets))
      if (live?.checking && (this.#only === undefined || this.#only === id)) this.#open.add(id);
  }

  /** A check that went away without a result, because a person took its ticket, has not shown that it is live. */
  #end(id: TicketId, event: RunEvent, state: RunState): void {
    this.#open.delete(id);
    const hasPassed = event.type === "live-check-ended" && event.ticket === id && event.ok;
    if (!hasPassed || ticketById(state, id).phase !== "done") this.#areLive = false;
  }
}
