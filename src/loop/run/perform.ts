import type { AgentEnding } from "../../domain/run/attempt-fact.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { evidenceChange, type TicketEvidence } from "../../domain/run/oracle-evidence.ts";
import { activeTickets, ticketById } from "../../domain/run/state.ts";
import type { Action } from "../../domain/schedule/decide.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { reportAudit } from "../attempt/audit.ts";
import { type AttemptScope, type LoopContext, waitingRepo } from "../attempt/context.ts";
import { fileTicket, unfiledTickets } from "../attempt/discoveries.ts";
import { keepSetAside } from "../attempt/kept-work.ts";
import { work } from "../attempt/worker.ts";
import type { Retry } from "../concurrency/outages.ts";
import { pause } from "../concurrency/wait.ts";
import { heal, keepHeal } from "../heal/heal.ts";
import { assertTracker } from "../steps/assert.ts";
import { AttemptBundles } from "./attempt-bundles.ts";
import { askForge, openRequests } from "./forge-request.ts";
import { gateNote } from "./gate-note.ts";
import { caughtUp, mayLag } from "./lagging.ts";
import { checkLive, recheckBase } from "./live-check.ts";
import { measureBase } from "./measure-bases.ts";
import type { Effects } from "./orchestrator.ts";
import { PeopleWatch } from "./people-watch.ts";
import { proveBase } from "./prove.ts";
import { reverify } from "./reverify.ts";
import { revertLanded } from "./revert.ts";
import { TrackerWatch } from "./tracker-watch.ts";

/** Delay of a judgement in the background after it falls due. Milliseconds. */
const BACKGROUND_MS = 200;

interface Running {
  readonly controller: AbortController;
  ending: AgentEnding | undefined;
}

/** Launches announced effects: workers, judgements, re-verification, tracker writes. Counts them for a shutdown to wait. */
export class Performer implements Effects {
  readonly #ctx: LoopContext;
  readonly #fail: (error: unknown) => void;
  readonly #people: PeopleWatch;
  readonly #watch: TrackerWatch;
  readonly #bundles: AttemptBundles;
  readonly #workers = new Map<number, Running>();
  readonly #others = new AbortController();
  /** The oracle's last evidence; none of an earlier engine. */
  #evidence: readonly TicketEvidence[] | undefined;
  /** Ends the wait of a judgement in the background, once it would disturb no running effect. */
  #hurry: (() => void) | undefined;
  readonly #pending = new Set<Promise<void>>();
  /** Settles once all discovered tickets that were announced so far are filed, or given up. */
  #filings: Promise<unknown> = Promise.resolve();

  /** Retries of calls of which only one runs at a time. */
  readonly #retries: Readonly<Record<"oracle" | "tripwire" | "reverify", Retry>>;

  /** `fail` receives what an effect threw: a full disk, or a defect. The run cannot continue as if nothing had happened. */
  constructor(ctx: LoopContext, fail: (error: unknown) => void) {
    this.#people = new PeopleWatch(ctx);
    this.#watch = new TrackerWatch(ctx);
    this.#ctx = { ...ctx, tracker: this.#watch.tracker };
    this.#bundles = new AttemptBundles(this.#ctx);
    this.#fail = fail;
    const { outages } = ctx;
    this.#retries = { oracle: outages.retry("oracle"), tripwire: outages.retry("tripwire"), reverify: outages.retry("reverify") };
  }

  /** Completes the audit log, files discovered tickets that the tracker may not have, writes bundles that are missing, and repeats what people asked of the forge. */
  begin(): void {
    reportAudit(this.#ctx);
    this.#track(this.#bundles.complete());
    for (const ticket of unfiledTickets(this.#ctx.state())) this.#track(this.#file(ticket));
    for (const request of openRequests(this.#ctx.state())) this.#track(askForge(this.#ctx, request));
  }

  /** Reads the tracker once and reconciles it with the state. */
  pollTracker(): Promise<void> {
    return this.#watch.poll();
  }

  /** Reads the bases and files once and reports people's acts. */
  pollPeople(): Promise<void> {
    return this.#people.poll();
  }

  /** Starts polling. A resumed run has read the tracker before (`recover`). */
  watchTracker(): void {
    this.#watch.start();
    this.#people.start();
  }

  /** The context of all effects. Its tracker serialises the engine's own writes with the reads. */
  get context(): LoopContext {
    return this.#ctx;
  }

  /** True while the files of an ended attempt are being listed. */
  isRecording = (): boolean => this.#bundles.isWriting;

  launch(event: RunEvent): void {
    this.#bundles.note(event);
    this.#launch(event);
  }

  #launch(event: RunEvent): void {
    switch (event.type) {
      case "attempt-claimed":
        return this.#track(this.#work(event));
      case "attempt-ended":
        return this.#track(this.#bundles.write(event));
      case "oracle-asked":
        return this.#track(this.#judge(event.final));
      case "tripwire-started":
        return this.#track(this.#prove());
      case "tripwire-ended":
        // A failed proof after a heal undoes it, and is repeated without it.
        if (this.#ctx.state().stage === "stopping") this.#others.abort();
        return;
      case "heal-started":
        return this.#track(heal(this.#ctx, event, this.#others.signal));
      case "heal-keeping":
        return this.#track(keepHeal(this.#ctx, event));
      case "live-check-started":
        // The last re-verification runs its own.
        if (event.why !== "end") this.#track(checkLive(this.#ctx, event.ticket, this.#others.signal));
        return;
      case "base-check-started":
        return this.#track(recheckBase(this.#ctx, event.repo, this.#others.signal));
      case "base-measure-started":
        return event.check === undefined ? this.#track(measureBase(this.#ctx, event.repo, this.#others.signal)) : undefined;
      case "proof-started":
        return this.#track(proveBase(this.#ctx, event, this.#others.signal));
      case "revert-started":
        return this.#track(revertLanded(this.#ctx, event.ticket, this.#others.signal));
      case "reverify-started":
        this.#hurry?.();
        return this.#track(this.#reverify());
      case "workers-set":
        return this.#ctx.commandPermits.resize(event.workers);
      case "run-ended":
        this.#watch.stop();
        this.#people.stop();
        return this.#others.abort();
      case "stop-requested":
        return this.#others.abort();
      default:
        return this.#launchOfTicket(event);
    }
  }

  /** Launches what a fact announces that is about one ticket, outside its attempts. */
  #launchOfTicket(event: RunEvent): void {
    switch (event.type) {
      case "ticket-discovered":
        return this.#track(this.#file(event.discovered.id));
      case "ticket-added":
        return this.#track(this.#file(event.added.id));
      case "ticket-retried":
        if (ticketById(this.#ctx.state(), event.ticket).unfiled === true) this.#track(this.#file(event.ticket));
        return;
      case "forge-request-started":
        return this.#track(askForge(this.#ctx, event));
      case "gate-writing":
        return this.#track(this.#writeGate(event.ticket));
      case "change-approved":
        // The tracker may still say that it is left to a person.
        if (ticketById(this.#ctx.state(), event.ticket).ungated === true) this.#track(this.#watch.poll());
        return;
      case "tracker-drifted":
        if (event.change.kind === "rewritten") this.#track(this.#keepSetAside(event.ticket));
        return;
      default:
        return;
    }
  }

  abort(action: Extract<Action, { do: "abort" }>): void {
    const running = this.#workers.get(action.fence);
    if (running === undefined || running.controller.signal.aborted) return;
    running.ending = action.ending;
    running.controller.abort();
  }

  /** Ends everything at once, whatever the state is. For a journal that can no longer be written. */
  abortAll(): void {
    this.#others.abort();
    this.#watch.stop();
    this.#people.stop();
    for (const running of this.#workers.values()) running.controller.abort();
  }

  /** Settles when no launched effect is running any more. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  #track(promise: Promise<void>): void {
    const settled = promise.catch(this.#fail).finally(() => this.#pending.delete(settled));
    this.#pending.add(settled);
  }

  async #work(event: Extract<RunEvent, { type: "attempt-claimed" }>): Promise<void> {
    const { run, state } = this.#ctx;
    const running: Running = { controller: new AbortController(), ending: undefined };
    const scope: AttemptScope = {
      ticket: plannedTicket(state().plan, event.ticket),
      n: event.attempt,
      fence: event.fence,
      marker: `${run}/${event.ticket}/${event.attempt}/${event.fence}`,
      signal: running.controller.signal,
      ending: () => running.ending ?? "stopped",
    };
    this.#workers.set(event.fence, running);
    await work(this.#ctx, scope).finally(() => this.#workers.delete(event.fence));
  }

  async #judge(final: boolean): Promise<void> {
    const { oracle, report } = this.#ctx;
    // A judgement that ends nothing waits for other effects that fell due in the same moment, such as the start of agents.
    await (final ? this.#retries.oracle.wait(this.#others.signal) : this.#afterOthers());
    // The tracker does not have a ticket yet that is being filed.
    await this.#filings;
    const { evidence, ...judgement } = await this.#judged(final);
    // A ticket that is back in the tracker since the last reading does not end the run as missing.
    if (final && judgement.verdict === "not-done") await this.#watch.poll();
    // What people have committed since the re-verification needs another one.
    if (final && judgement.verdict === "done") await this.#people.poll();
    const change = evidence === undefined ? {} : { evidence: evidenceChange(this.#evidence, evidence) };
    this.#evidence = evidence ?? this.#evidence;
    report({ type: "oracle-judged", final, judgement, oracleSha: oracle.sha, ...change });
    if (final) this.#note("oracle", judgement.verdict === "unjudged" ? (judgement.problem ?? "no reason given") : undefined);
  }

  /**
   * A judgement. Services answer readings from copies that lag behind: one that ends the run, and calls open only what the engine has
   * settled and read back, is repeated once, so late that every copy has caught up.
   */
  async #judged(final: boolean): ReturnType<LoopContext["oracle"]["judge"]> {
    const { clock, oracle, state, batch } = this.#ctx;
    const { signal } = this.#others;
    const judged = await oracle.judge(signal, final ? undefined : "background");
    const isSettled = (id: TicketId): boolean => ["done", "human-gated"].includes(ticketById(state(), id).phase);
    const isOdd = judged.verdict === "not-done" && judged.open.every(isSettled);
    if (!final || !isOdd || !mayLag(batch)) return judged;
    await caughtUp(this.#ctx, clock.now(), signal);
    return oracle.judge(signal);
  }

  /** Repeats the last check of the world while it cannot be finished. */
  async #reverify(): Promise<void> {
    const { signal } = this.#others;
    await this.#retries.reverify.wait(signal);
    this.#note("reverify", await reverify(this.#ctx, { signal, pollPeople: () => this.#people.poll() }));
  }

  /** Records the outcome of a call. An outage that was given up during it explains its problem already. */
  #note(what: "oracle" | "tripwire" | "reverify", problem: string | undefined): void {
    if (problem === undefined) this.#retries[what].end();
    else if (!this.#others.signal.aborted && this.#ctx.state().fatalOutage === undefined) this.#retries[what].failed(problem);
  }

  async #afterOthers(): Promise<void> {
    const alone = new AbortController();
    this.#hurry = () => alone.abort();
    await pause(this.#ctx.clock, BACKGROUND_MS, AbortSignal.any([this.#others.signal, alone.signal]));
    this.#hurry = undefined;
  }

  /** Proves the oracle, in parallel with the first workers. A cancelled proof proves nothing and reports nothing. */
  async #prove(): Promise<void> {
    const { report, state, tripwire } = this.#ctx;
    // If no other work is left, the whole run waits for the proof.
    await this.#retries.tripwire.wait(this.#others.signal);
    const result = await tripwire.check(this.#others.signal, () => activeTickets(state()).length === 0);
    if (result === undefined) return;
    report({ type: "tripwire-ended", ...result });
    this.#note("tripwire", result.unproven ? (result.problem ?? "no reason given") : undefined);
  }

  #file(ticket: TicketId): Promise<void> {
    const filed = fileTicket(this.#ctx, ticket, this.#others.signal);
    this.#filings = Promise.allSettled([this.#filings, filed]);
    return filed;
  }

  #keepSetAside(ticket: TicketId): Promise<void> {
    const spec = plannedTicket(this.#ctx.state().plan, ticket);
    return keepSetAside(this.#ctx, ticket, waitingRepo(this.#ctx, spec, this.#others.signal));
  }

  async #writeGate(ticket: TicketId): Promise<void> {
    const { report, run, state } = this.#ctx;
    const step = ticketById(state(), ticket).gate?.step ?? "";
    const note = gateNote(state(), run, ticket);
    const { signal } = this.#others;
    const result = await assertTracker(this.#ctx, { ticket, state: { as: "human-gated", step }, note, signal });
    if (result.ok) report({ type: "ticket-gated", ticket, step });
    else if (ticketById(state(), ticket).gate === undefined) return;
    else report({ type: "gate-postponed", ticket });
  }
}
