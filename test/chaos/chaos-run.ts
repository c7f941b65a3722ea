import { createServiceTracker } from "../../src/adapters/tracker/service/service-tracker.ts";
import type { TicketService } from "../../src/adapters/tracker/service/ticket-service.ts";
import type { Batch } from "../../src/domain/batch/schema.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { reduce } from "../../src/domain/run/reduce.ts";
import { type RunState, ticketById } from "../../src/domain/run/state.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { Orchestrator } from "../../src/loop/run/orchestrator.ts";
import { Performer } from "../../src/loop/run/perform.ts";
import { recover } from "../../src/loop/run/recover.ts";
import type { Journal } from "../../src/ports/run-store.ts";
import type { Tracker } from "../../src/ports/tracker.ts";
import { contextOf, mortalClock, RUN } from "../loop/world/engine.ts";
import { FakeRepo } from "../loop/world/fake-repo.ts";
import type { Network } from "./network.ts";
import type { RunClock } from "./run-clock.ts";

/** Events of a run that makes no progress any more. */
const MOST_EVENTS = 30_000;

/** What a run is made of. */
export interface ChaosRunOptions {
  readonly batch: Batch;
  readonly clock: RunClock;
  readonly network: Network;
  /** A new adapter, for each engine. */
  readonly open: () => TicketService;
  /** What differs from a run in memory: agents, their outbox, and the oracle. */
  readonly context: (plain: LoopContext, service: TicketService) => Partial<LoopContext>;
  readonly onEvent: (event: RunEvent) => void;
  /** What a new engine finds of the journal; default: all of it. */
  readonly kept?: (events: readonly RunEvent[]) => readonly RunEvent[];
}

interface Engine {
  isAlive: boolean;
  readonly orchestrator: Orchestrator;
  readonly performer: Performer;
}

/** A run of the real loop on the tracker of a service; the repository and the journal are in memory. */
export class ChaosRun {
  readonly events: RunEvent[] = [];
  readonly repo: FakeRepo;
  readonly #options: ChaosRunOptions;
  #engine: Engine;
  readonly #killed: Engine[] = [];
  #killAt = Number.POSITIVE_INFINITY;
  #onKill: () => void = () => undefined;
  #failure: unknown;

  constructor(options: ChaosRunOptions) {
    this.#options = options;
    this.repo = new FakeRepo(() => options.clock.now());
    const first = { ...started(options.batch), seq: 1, at: options.clock.now() };
    this.events.push(first);
    this.#engine = this.#newEngine(reduce(undefined, first));
  }

  get state(): RunState {
    return this.#engine.orchestrator.state;
  }

  get isKilled(): boolean {
    return !this.#engine.isAlive;
  }

  /** Kills the engine once so many further events are in the journal, before anything follows from the last of them. */
  killAfter(events: number, then: () => void): void {
    this.#killAt = this.events.length + events;
    this.#onKill = then;
  }

  /** Kills the engine now, as `kill -9` does: what is at the server takes place, and its answer reaches nobody. */
  kill(): void {
    if (!this.isKilled && this.state.stage !== "ended") this.#kill();
  }

  /** A person's command in the dashboard. */
  command(command: Parameters<Orchestrator["command"]>[0]): void {
    if (!this.isKilled) this.#engine.orchestrator.command(command);
  }

  async start(): Promise<void> {
    this.#launch(false);
    await this.settle();
  }

  /** Another engine takes over from the journal. */
  resume(): void {
    const kept = this.#options.kept?.(this.events) ?? this.events;
    this.events.splice(0, this.events.length, ...kept);
    const state = kept.reduce<RunState | undefined>(reduce, undefined);
    if (state === undefined) throw new Error("the journal is empty");
    this.#engine = this.#newEngine(state);
    this.#launch(true);
  }

  /** Lets time pass up to the next timer, and waits until nothing else happens. False if no timer waits. */
  async step(): Promise<boolean> {
    const { clock } = this.#options;
    if (clock.next === undefined) return false;
    clock.step();
    await this.settle();
    return true;
  }

  /** Frees what killed engines wait for. A process that is killed does that; here, Node keeps signals that somebody listens to. */
  close(): void {
    for (const { performer } of this.#killed) performer.abortAll();
  }

  async settle(): Promise<void> {
    await this.#options.network.settle(() => this.events.length);
    if (this.#failure !== undefined) throw this.#failure;
  }

  #kill(): void {
    this.#killAt = Number.POSITIVE_INFINITY;
    this.#engine.isAlive = false;
    this.#killed.push(this.#engine);
    this.#options.network.cut();
    this.#engine.orchestrator.fail(new Error("the engine was killed"));
    this.#onKill();
  }

  #newEngine(state: RunState): Engine {
    const engine = { isAlive: true };
    const isAlive = () => engine.isAlive;
    const { batch, open, onEvent } = this.#options;
    const clock = mortalClock(this.#options.clock, isAlive);
    const publish = (event: RunEvent): void => {
      this.events.push(event);
      if (this.events.length > MOST_EVENTS) throw new Error(`the run does not end: ${MOST_EVENTS} events`);
      onEvent(event);
      if (this.events.length >= this.#killAt) this.#kill();
    };
    const orchestrator = new Orchestrator({ state, journal: journalOf(clock, state.seq), clock, publish });
    orchestrator.ended.catch((error: unknown) => {
      if (engine.isAlive) this.#failure = error;
    });
    const service = open();
    const tracker = trackerOf(service, state, () => clock.now());
    const plain = contextOf(
      { clock, repo: this.repo, tracker: { port: () => tracker } },
      { orchestrator, isAlive },
      batch,
      NOTHING,
    );
    const context = { ...plain, ...this.#options.context(plain, service) };
    const performer = new Performer(context, (error) => orchestrator.fail(error));
    return Object.assign(engine, { orchestrator, performer });
  }

  #launch(isResumed: boolean): void {
    const { performer, orchestrator } = this.#engine;
    const begin = async (): Promise<void> => {
      if (isResumed) await recover(performer.context, () => performer.pollTracker());
      performer.watchTracker();
      orchestrator.start(performer);
    };
    begin().catch((error: unknown) => orchestrator.fail(error));
  }
}

/** Agents and commands are the context's. */
const NOTHING = { agents: [], verifies: [] };

/** The tracker as an engine opens it: the batch's tickets, and those that were filed. */
function trackerOf(service: TicketService, state: RunState, now: () => number): Tracker {
  const ids = state.plan.tickets.map(({ id }) => id).filter((id) => ticketById(state, id).unfiled !== true);
  return createServiceTracker({ service, ids, now });
}

function journalOf(clock: { now(): number }, last: number): Journal {
  let seq = last;
  return {
    append: (fact) => {
      seq += 1;
      return { ...fact, seq, at: clock.now() };
    },
    flush: () => undefined,
    read: () => [],
    close: () => undefined,
  };
}

function started(batch: Batch) {
  const hashes = { oracleSha: "o", batchSha: "b" };
  const rest = { sandboxed: true, settled: [], durations: {}, spentTodayUsd: 0, version: "test" };
  return { type: "run-started", run: RUN, batch, batchPath: "/batch.json", ...hashes, ...rest } as const;
}
