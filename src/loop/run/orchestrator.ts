import { admitCommand, admitFact } from "../../domain/run/admit.ts";
import type { Command } from "../../domain/run/command.ts";
import { isActivity, type RunEvent, type RunFact } from "../../domain/run/event.ts";
import { reduce } from "../../domain/run/reduce.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import { type Action, decide, nextMoment } from "../../domain/schedule/decide.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import { unprovenCommits } from "../../domain/schedule/proofs.ts";
import type { Fence, RepoId } from "../../domain/values/ids.ts";
import type { EngineClock } from "../../ports/clock.ts";
import type { Journal } from "../../ports/run-store.ts";
import { type ExclusiveNames, POLL_MS } from "./exclusive-names.ts";

/**
 * Time alone may change a decision (a backoff is over, a judgement is due): a timer is set for that moment. The decision is also
 * made at least this often, because a machine's clock may jump. Milliseconds.
 */
const TICK_MS = 5_000;

/** Effects of facts and decisions, outside the state. Launching never throws and never waits. */
export interface Effects {
  /** Called once, before the first decision: continues what an earlier engine had announced and no fact announces again. */
  begin?(): void;
  /** Called once for each fact that announces an effect, after it is durable and reduced. */
  launch(event: RunEvent): void;
  abort(action: Extract<Action, { do: "abort" }>): void;
  /** True while something of the run's record is being written. The run ends after the fact that says how that went. */
  isRecording?(): boolean;
}

/**
 * The owner of a run's state. Every fact and command goes through it: admit → journal → reduce → publish → decide → perform.
 */
export class Orchestrator {
  readonly #journal: Journal;
  readonly #clock: EngineClock;
  readonly #publish: (event: RunEvent) => void;
  readonly #ended = Promise.withResolvers<RunState>();
  readonly #early: (() => void)[] = [];
  readonly #exclusive: ExclusiveNames | undefined;
  #effects: Effects | undefined;
  #state: RunState;
  #deciding = false;
  #callOff: () => void = () => undefined;
  #broken = false;

  constructor(options: {
    state: RunState;
    journal: Journal;
    clock: EngineClock;
    publish: (event: RunEvent) => void;
    /** Without it, exclusive names hold within this run only. */
    exclusive?: ExclusiveNames;
  }) {
    this.#state = options.state;
    this.#journal = options.journal;
    this.#clock = options.clock;
    this.#publish = options.publish;
    this.#exclusive = options.exclusive;
  }

  get state(): RunState {
    return this.#state;
  }

  /** True once the journal cannot be written any more, or an effect has failed: no fact is taken. */
  get isBroken(): boolean {
    return this.#broken;
  }

  /** Resolves with the last state once the run has ended; rejects if the journal can no longer be written. */
  get ended(): Promise<RunState> {
    return this.#ended.promise;
  }

  /** Begins to decide. Before that it only records facts. */
  start(effects: Effects): void {
    this.#noteGaps();
    this.#effects = effects;
    effects.begin?.();
    for (const command of this.#early.splice(0)) command();
    this.#decideSoon();
    this.#tick();
  }

  /**
   * Takes a person's command, which becomes facts or a refusal (a fact too). A command before `start`, during recovery, waits for
   * it: recovery would undo a stop or a pause.
   */
  command(command: Command): void {
    if (this.#effects === undefined) return void this.#early.push(() => this.command(command));
    for (const fact of admitCommand(this.#state, command)) this.report(fact);
  }

  /** Takes a signal as the command for an orderly stop. `by` is its name. */
  stop(by: string): void {
    if (this.#effects === undefined) return void this.#early.push(() => this.stop(by));
    if (this.#state.stage === "stopping" || this.#state.stage === "ended") return;
    this.report({ type: "intervention", class: "I5", target: "run", note: `stopped by ${by}` });
    this.report({ type: "stop-requested", by: "signal" });
  }

  /**
   * Takes a fact. True if it was admitted unchanged and is now part of the run, durably (activity: soon). False if it came late:
   * its sender must stop.
   */
  report(fact: RunFact): boolean {
    if (this.#broken) return false;
    this.#noteGaps();
    const admitted = admitFact(this.#state, fact);
    if (admitted === undefined) return false;
    const event = this.#take(admitted);
    if (event === undefined) return false;
    this.#publish(event);
    if (!isActivity(event)) {
      this.#effects?.launch(event);
      this.#decideSoon();
    }
    if (event.type === "run-ended") this.#ended.resolve(this.#state);
    return admitted === fact;
  }

  /** Records when the engine did not run, before anything is judged by the time. Its start, which blocks it, is no such time. */
  #noteGaps(): void {
    const gaps = this.#clock.gaps();
    if (this.#effects !== undefined) for (const gap of gaps) this.report({ type: "engine-suspended", ...gap });
  }

  /** Journals and reduces. If either fails, state and journal would differ: the run stops. */
  #take(fact: RunFact): RunEvent | undefined {
    try {
      const event = this.#journal.append(fact);
      this.#state = reduce(this.#state, event);
      return event;
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  /** Law 5: no effect may follow without a journal, or without completed recovery. The engine ends everything and reports why. */
  fail(error: unknown): void {
    this.#broken = true;
    this.#ended.reject(error);
  }

  /** Decides once after all facts of this moment are in. */
  #decideSoon(): void {
    if (this.#deciding || this.#effects === undefined) return;
    this.#deciding = true;
    queueMicrotask(() => {
      this.#deciding = false;
      if (this.#broken) return;
      this.#noteGaps();
      this.#lookElsewhere();
      for (const action of decide(this.#state, this.#clock.now())) this.#perform(action);
      this.#exclusive?.keep(this.#state.held);
      this.#wakeUp();
    });
  }

  /** Sets the timer for the next moment at which time alone changes the decision. There is at most one timer. */
  #wakeUp(): void {
    this.#callOff();
    const now = this.#clock.now();
    const at = earliest(nextMoment(this.#state, now), this.#nextLook(now));
    this.#callOff = at === undefined ? () => undefined : this.#clock.after(at - now, () => this.#decideSoon());
  }

  /** Lets go of names that no ticket holds any more, and reports those that another run has let go of. */
  #lookElsewhere(): void {
    this.#exclusive?.keep(this.#state.held);
    for (const name of this.#exclusive?.freed(this.#state, this.#clock.now()) ?? [])
      this.report({ type: "exclusive-freed", name });
  }

  #nextLook(now: number): number | undefined {
    return this.#state.stage === "working" && Object.keys(this.#state.heldElsewhere).length > 0 ? now + POLL_MS : undefined;
  }

  #tick(): void {
    this.#clock.after(TICK_MS, () => {
      if (this.#broken || this.#state.stage === "ended") return;
      this.#decideSoon();
      this.#tick();
    });
  }

  /** The names are taken first: a lock without an attempt does no harm, and is let go of after this decision. */
  #start({ ticket, slot, reservedUsd }: Extract<Action, { do: "start" }>): void {
    const elsewhere = this.#exclusive?.take(plannedTicket(this.#state.plan, ticket).exclusive);
    if (elsewhere !== undefined) return void this.report({ type: "exclusive-awaited", ticket, ...elsewhere });
    const attempt = ticketById(this.#state, ticket).history.length + 1;
    const fence = (this.#state.lastFence + 1) as Fence;
    this.report({ type: "attempt-claimed", ticket, fence, attempt, slot, reservedUsd });
  }

  #startProof(repo: RepoId): void {
    const commits = unprovenCommits(this.#state, repo);
    const tickets = [...new Set(commits.map(({ ticket }) => ticket))];
    this.report({ type: "proof-started", repo, sha: commits.at(-1)?.sha ?? "", tickets });
  }

  #startHeal({ n, reason, reservedUsd, repo }: Extract<Action, { do: "heal" }>): void {
    const token = (this.#state.lastFence + 1) as Fence;
    this.report({ type: "heal-started", n, token, reason, reservedUsd, repo });
  }

  /** Turns a decision into the fact that announces it; the effect is launched by the fact. */
  #perform(action: Action): void {
    switch (action.do) {
      case "abort":
        this.#effects?.abort(action);
        return;
      case "start":
        return this.#start(action);
      case "write-gate":
        return void this.report({ type: "gate-writing", ticket: action.ticket });
      case "leave-to-person":
        return void this.report({ type: "gate-requested", ticket: action.ticket, step: action.step, by: "zone" });
      case "backoff":
        return void this.report({ type: "backoff-started", until: action.until, reason: action.reason });
      case "stall":
        return void this.report({ type: "ticket-stalled", ticket: action.ticket, reason: action.reason, by: "attempts" });
      case "live-check":
        return void this.report({ type: "live-check-started", ticket: action.ticket, why: "due" });
      case "base-check":
        return void this.report({ type: "base-check-started", repo: action.repo });
      case "measure-base":
        return void this.report({ type: "base-measure-started", repo: action.repo });
      case "prove":
        return this.#startProof(action.repo);
      case "revert":
        return void this.report({ type: "revert-started", ticket: action.ticket });
      case "reverify":
        return void this.report({ type: "reverify-started" });
      case "tripwire":
        return void this.report({ type: "tripwire-started" });
      case "heal":
        return this.#startHeal(action);
      case "keep-heal":
        return void this.report({ type: "heal-keeping", n: action.n, keep: action.keep });
      case "drop-heal":
        return void this.report({ type: "heal-dropped", why: action.why });
      case "judge":
        return void this.report({ type: "oracle-asked", final: action.final });
      case "end": {
        if (this.#effects?.isRecording?.() === true) return;
        const { kind, verdict, exitCode, reason } = action;
        this.report({ type: "run-ended", kind, verdict, exitCode, reason });
      }
    }
  }
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
