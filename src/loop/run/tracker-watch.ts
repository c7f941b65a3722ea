import { isKeptOutside } from "../../domain/batch/tracker-spec.ts";
import { firstReading, isMissing, isSameState, type TrackerState } from "../../domain/run/drift-fact.ts";
import { isTracked, reconcileTicket, type TicketNow, trackerDrift } from "../../domain/run/reconcile-tracker.ts";
import { expectedState } from "../../domain/run/reduce-drift.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { serialQueue } from "../../domain/values/serial-queue.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { TicketConflict, type Tracker, type TrackerReading, type TrackerTicket, type TrackerWrite } from "../../ports/tracker.ts";
import type { LoopContext } from "../attempt/context.ts";
import { errorRetryAt, type Retry } from "../concurrency/outages.ts";
import { pause } from "../concurrency/wait.ts";
import { rewritten, vanished } from "./tracker-changes.ts";

/** The tracker is read this often, unless its budget of requests asks for another pause. Milliseconds. */
const PERIOD_MS = 30_000;

/** A ticket has vanished if it is still missing after this time: people's editors replace files. Milliseconds. */
const VANISHED_MS = 1_000;

/** Ids that one fact names. */
const NAMED = 20;

type WatchContext = Pick<LoopContext, "run" | "batch" | "confined" | "tracker" | "clock" | "state" | "report" | "outages">;

/**
 * Reads the tracker during the run and reconciles it with what the engine last saw or wrote: what it did not write is a person's
 * act. Reads and writes take turns, so that the engine's own write is never taken for one. `tracker` is for the engine's writes.
 */
export class TrackerWatch {
  readonly tracker: Tracker;
  readonly #ctx: WatchContext;
  readonly #missingSince = new Map<TicketId, number>();
  readonly #shown = new Set<TicketId>();
  readonly #inTurn = serialQueue();
  #unwatch: (() => void) | undefined;
  #cancelTimer: () => void = () => undefined;
  /** Retries of reading: an outage is reported, and bounded, as those of the engine's writes are. */
  readonly #retry: Retry;
  readonly #stopped = new AbortController();
  #isReadingDue = false;
  #isAway = false;

  constructor(ctx: WatchContext) {
    this.#ctx = ctx;
    const { outages, tracker } = ctx;
    this.#retry = outages.retry("tracker");
    this.tracker = {
      ...tracker,
      snapshot: () => this.#untilKnown(() => this.#snapshot()),
      set: (id, state, note) => this.#untilKnown(() => this.#set(id, state, note)),
      file: (ticket) => this.#inTurn(() => tracker.file(ticket)),
    };
  }

  /** Reads at once, and from then on at every change and period. */
  start(): void {
    this.#rewatch();
    this.#readSoon();
  }

  /** Ends reading. */
  stop(): void {
    this.#stopped.abort();
    this.#cancelTimer();
    this.#unwatch?.();
    this.#retry.cutOff();
  }

  /** Reads and reconciles once. A tracker that cannot be read is an outage, and its last reading counts. */
  async poll(): Promise<void> {
    try {
      await this.#inTurn(() => this.#reconcile());
      this.#retry.end();
    } catch (error) {
      this.#isAway = true;
      // Once the time for the outage is over, the run ends.
      if (!this.#stopped.signal.aborted && !this.#retry.failed(errorMessage(error), errorRetryAt(error))) this.stop();
    }
  }

  #rewatch(): void {
    this.#unwatch?.();
    this.#unwatch = this.#stopped.signal.aborted ? undefined : this.#ctx.tracker.watch(() => this.#readSoon());
  }

  /** One reading at a time; changes during one cause another. */
  #readSoon(): void {
    if (this.#stopped.signal.aborted || this.#isReadingDue) return;
    this.#isReadingDue = true;
    this.#cancelTimer();
    void this.#retry
      .wait(this.#stopped.signal)
      .then(() => {
        this.#isReadingDue = false;
        return this.#stopped.signal.aborted ? undefined : this.poll();
      })
      .then(() => this.#later());
  }

  #later(): void {
    this.#cancelTimer();
    if (this.#stopped.signal.aborted) return;
    if (this.#isAway) return this.#readSoon();
    const ms = this.#missingSince.size > 0 ? VANISHED_MS : (this.#ctx.tracker.pauseMs?.() ?? PERIOD_MS);
    this.#cancelTimer = this.#ctx.clock.after(ms, () => this.#readSoon());
  }

  /**
   * Repeats a call until it gives a result. It gives none while a ticket is away that an editor may be replacing: soon the ticket
   * is back, or is known to be missing.
   */
  async #untilKnown<T>(call: () => Promise<T | undefined>): Promise<T> {
    const { signal } = this.#stopped;
    for (;;) {
      const result = await this.#inTurn(call);
      if (result !== undefined) return result;
      await pause(this.#ctx.clock, VANISHED_MS, signal);
      if (signal.aborted) throw new Error("the tracker is read no more: the run is ending");
    }
  }

  async #reconcile(how: "whole" | "changes" = "changes"): Promise<TrackerReading> {
    const { state, tracker } = this.#ctx;
    const reading = await tracker.read(this.#missingSince.size > 0 ? "whole" : how);
    this.#refuseEmpty(reading);
    // The watcher may belong to a removed folder of the same name.
    if (this.#isAway) this.#rewatch();
    this.#isAway = false;
    this.#baseline(reading);
    for (const { id } of [...vecItems(state().tickets)]) {
      const ticket = reading.tickets.get(id);
      if (ticket === undefined) this.#missing(id, reading.unreadable.get(id));
      else await this.#ticket(ticket);
    }
    this.#others(reading);
    await this.#showStarted();
    return reading;
  }

  /** Moves tickets on which an agent has begun to a state of work in progress, each once. */
  async #showStarted(): Promise<void> {
    const { state, tracker } = this.#ctx;
    if (tracker.markStarted === undefined) return;
    for (const { id, attempt, unfiled, tracked } of [...vecItems(state().tickets)]) {
      if (attempt === undefined || unfiled || this.#shown.has(id) || tracked?.state.as !== "open") continue;
      await tracker.markStarted(id);
      this.#shown.add(id);
    }
  }

  /** A folder without any of the tickets is one whose content is elsewhere (a network drive, another checkout). */
  #refuseEmpty({ tickets }: TrackerReading): void {
    const known = [...vecItems(this.#ctx.state().tickets)].filter(({ unfiled }) => unfiled === undefined);
    if (known.length > 1 && known.every(({ id }) => !tickets.has(id))) throw new Error("none of the batch's tickets is in it");
  }

  /** Tickets that are read for the first time. Their state is compared from then on. */
  #baseline({ tickets }: TrackerReading): void {
    const fresh = [...vecItems(this.#ctx.state().tickets)].flatMap((ticket) => {
      const now = tickets.get(ticket.id);
      if (now === undefined || ticket.unfiled === true || isTracked(ticket)) return [];
      return [firstReading(now)];
    });
    if (fresh.length > 0) this.#ctx.report({ type: "tracker-read", tickets: fresh });
  }

  #missing(id: TicketId, unreadable: string | undefined): void {
    const { clock, report, state } = this.#ctx;
    const ticket = ticketById(state(), id);
    // A ticket that is not there was not written.
    if (ticket.tracked?.unavailable !== undefined && ticket.tracked.pendingWrite !== undefined)
      report({ type: "tracker-not-written", ticket: id });
    // A ticket on hold that goes away as well is not only on hold any more.
    if (ticket.unfiled === true || isMissing(ticket)) return void this.#missingSince.delete(id);
    const since = this.#missingSince.get(id);
    if (since === undefined) return void this.#missingSince.set(id, clock.now());
    if (clock.now() - since < VANISHED_MS) return;
    this.#missingSince.delete(id);
    report({ type: "tracker-drifted", ticket: id, change: vanished(unreadable) });
  }

  async #ticket(now: TicketNow): Promise<void> {
    const { batch, confined, report, run, state, tracker } = this.#ctx;
    this.#missingSince.delete(now.id);
    if (ticketById(state(), now.id).unfiled === true) return;
    const isOursAlone = !isKeptOutside(batch.tracker) && !confined;
    for (const next of reconcileTicket(state(), now, { isOursAlone })) {
      if (next.do === "report") report(next.fact);
      else if (next.do === "read-text") report(trackerDrift(now, rewritten(state(), now, await tracker.body(now.id))));
      else await this.#write(now.id, next, `asserted again by run ${run}${next.why ?? ""}`, [now.state]);
    }
  }

  #others({ tickets }: TrackerReading): void {
    const { report, state } = this.#ctx;
    const { plan, tracker } = state();
    if (tickets.size <= plan.tickets.length) return;
    const known = new Set(tracker?.others);
    const fresh = [...tickets.keys()].filter((id) => !Object.hasOwn(plan.index, id) && !known.has(id));
    if (fresh.length === 0) return;
    report({ type: "tracker-others", ids: fresh.slice(0, NAMED), more: Math.max(0, fresh.length - NAMED) });
  }

  /**
   * The reading before the last judgement. States that were never written to the tracker are written now. Tickets that are
   * missing are left out: the oracle cannot judge them, and says so.
   */
  async #snapshot(): Promise<readonly TrackerTicket[] | undefined> {
    const { run, state } = this.#ctx;
    let reading = await this.#reconcile("whole");
    if (this.#missingSince.size > 0) return undefined;
    let isStale = false;
    for (const ticket of [...vecItems(state().tickets)]) {
      const known = expectedState(ticket);
      const wanted = settledState(ticket);
      if (wanted === undefined || isSameState(known, wanted) || ticket.tracked?.isSetByPerson || isUnavailable(ticket)) continue;
      await this.#write(ticket.id, { state: wanted }, `asserted by run ${run}`, [known]);
      isStale = true;
    }
    if (isStale) reading = await this.#reconcile("whole");
    return this.#missingSince.size > 0 ? undefined : presentTickets(reading, state());
  }

  /**
   * Sets a state, unless a person has settled the ticket otherwise, or it is missing. Throws a TicketConflict then, and reconciles
   * first. Gives nothing if it is away and not known to be missing yet.
   */
  async #set(id: TicketId, state: TrackerState, note: string): Promise<TrackerWrite | undefined> {
    // An earlier write of which nobody knows yet whether it happened.
    if (ticketById(this.#ctx.state(), id).tracked?.pendingWrite !== undefined) await this.#reconcile();
    const ticket = ticketById(this.#ctx.state(), id);
    const known = expectedState(ticket);
    const { isSetByPerson } = ticket.tracked ?? {};
    if (isSetByPerson && known.as !== "open" && !isSameState(known, state))
      throw new TicketConflict(`a person set ${id} to ${known.as} in the tracker`);
    try {
      return await this.#write(id, { state }, note, [known]);
    } catch (error) {
      const isConflict = error instanceof TicketConflict;
      // If the tracker as a whole is away, that is the reason.
      await this.#reconcile("whole");
      const unavailable = isConflict ? undefined : ticketById(this.#ctx.state(), id).tracked?.unavailable;
      if (unavailable !== undefined) throw new TicketConflict(`${id} cannot be judged: ${unavailable}`);
      if (!isConflict && this.#missingSince.has(id)) return undefined;
      throw error;
    }
  }

  /** Law 5: the intent is on record first, so that a lost engine's write is never taken for a person's. */
  async #write(
    id: TicketId,
    { state, isRepeat }: { readonly state: TrackerState; readonly isRepeat?: true },
    note: string,
    from: readonly TrackerState[],
  ): ReturnType<Tracker["set"]> {
    const { report, tracker } = this.#ctx;
    if (!report({ type: "tracker-writing", ticket: id, state, isRepeat })) throw new Error("the run records nothing any more");
    const write = await tracker.set(id, state, note, from);
    report({ type: "tracker-written", ticket: id, state, revision: write.after, before: write.before });
    return write;
  }
}

/** The batch's tickets, without the missing ones. Throws if another cannot be read. */
function presentTickets({ tickets, unreadable }: TrackerReading, { tickets: known }: RunState): readonly TrackerTicket[] {
  const all = [...vecItems(known)];
  const [problem] = unreadable.values();
  if (problem !== undefined && !all.some(isUnavailable)) throw new Error(plainText(problem, 500));
  return all.flatMap((ticket) => {
    const found = tickets.get(ticket.id);
    if (found !== undefined) return [found];
    if (ticket.unfiled === undefined && !isUnavailable(ticket)) throw new Error(`the tracker has no ticket ${ticket.id}`);
    return [];
  });
}

function isUnavailable({ tracked }: TicketState): boolean {
  return tracked?.unavailable !== undefined;
}

/** The tracker's state of a ticket that is settled by its phase. */
function settledState({ phase, humanStep }: TicketState): TrackerState | undefined {
  if (phase === "done") return { as: "done" };
  return phase === "human-gated" && humanStep !== undefined ? { as: "human-gated", step: humanStep } : undefined;
}
