import type { Batch } from "../../../src/domain/batch/schema.ts";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { Orchestrator } from "../../../src/loop/run/orchestrator.ts";
import { Performer } from "../../../src/loop/run/perform.ts";
import { recover } from "../../../src/loop/run/recover.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Journal } from "../../../src/ports/run-store.ts";
import { FakeClock } from "../fake-clock.ts";
import { contextOf, mortalClock, type Ran, RUN, type Turns } from "./engine.ts";
import { FakeRepo } from "./fake-repo.ts";
import { FakeTracker } from "./fake-tracker.ts";

export interface WorldOptions {
  readonly batch: Batch;
  /** What agents and live checks do in turn: true is success. Those after the last succeed. */
  readonly agents: readonly boolean[];
  readonly verifies: readonly boolean[];
  /** The files that agents leave, in turn; those after the last leave `good`. Without it, each change is a file of its own. */
  readonly work?: readonly string[];
  /** The exit of a command by its words and the files of its checkout, in place of `verifies`. */
  readonly command?: (ran: Ran) => boolean;
  /** The report of a check on a commit with these files; undefined if it leaves none. */
  readonly tests?: Turns["tests"];
}

/** Events of a run that makes no progress any more. */
const MOST_EVENTS = 20_000;

interface Engine {
  isAlive: boolean;
  readonly orchestrator: Orchestrator;
  readonly performer: Performer;
}

/** A run of the real loop, whose ports lead into memory: nothing but its clock makes time pass. */
export class World {
  readonly clock = new FakeClock();
  readonly repo: FakeRepo;
  readonly tracker: FakeTracker;
  readonly events: RunEvent[] = [];
  readonly #batch: Batch;
  readonly #turns: Turns;
  readonly #listeners: ((event: RunEvent) => void)[] = [];
  #engine: Engine;
  #killAt: number | undefined;
  #failure: unknown;

  constructor({ batch, agents, verifies, work, command, tests }: WorldOptions) {
    this.repo = new FakeRepo(() => this.clock.now());
    this.tracker = new FakeTracker(batch.tickets);
    this.#batch = batch;
    this.#turns = {
      agents: [...agents],
      verifies: [...verifies],
      ...(work && { work: [...work] }),
      ...(command && { command }),
      ...(tests && { tests }),
    };
    const first: RunEvent = { ...started(batch), seq: 1, at: this.clock.now() };
    this.events.push(first);
    this.#engine = this.#newEngine(reduce(undefined, first));
  }

  /** An engine that goes on from this state. */
  #newEngine(state: RunState): Engine {
    const engine = { isAlive: true };
    const isAlive = () => engine.isAlive;
    const clock = mortalClock(this.clock, isAlive);
    const publish = (event: RunEvent): void => {
      this.events.push(event);
      if (this.events.length > MOST_EVENTS) throw new Error(`the run does not end: ${MOST_EVENTS} events`);
      for (const to of this.#listeners) to(event);
      if (this.#killAt !== undefined && this.events.length >= this.#killAt) this.kill();
    };
    const journal = journalOf(this.clock, state.seq);
    const orchestrator = new Orchestrator({ state, journal, clock, publish });
    orchestrator.ended.catch((error: unknown) => {
      if (engine.isAlive) this.#failure = error;
    });
    const context = contextOf(
      { clock, repo: this.repo, tracker: this.tracker },
      { orchestrator, isAlive },
      this.#batch,
      this.#turns,
    );
    const performer = new Performer(context, (error) => orchestrator.fail(error));
    return Object.assign(engine, { orchestrator, performer });
  }

  get state(): RunState {
    return this.#engine.orchestrator.state;
  }

  get isKilled(): boolean {
    return !this.#engine.isAlive;
  }

  /** Ends the engine as `kill -9` does: what it had begun goes no further, and nothing is cleaned up. */
  kill(): void {
    this.#killAt = undefined;
    this.#engine.isAlive = false;
    this.#engine.orchestrator.fail(new Error("the engine was killed"));
  }

  /** Kills the engine once this many further events are in the journal, before anything follows from the last of them. */
  killAfter(events: number): void {
    this.#killAt = this.events.length + events;
  }

  /** Another engine takes over from the journal. Does nothing to a run that is over, or that an engine works. */
  async resume(): Promise<void> {
    if (!this.isKilled || this.state.stage === "ended") return;
    const state = this.events.reduce<RunState | undefined>(reduce, undefined);
    if (state === undefined) throw new Error("the journal is empty");
    this.#engine = this.#newEngine(state);
    await this.#launch({ isResumed: true });
  }

  async #launch({ isResumed }: { readonly isResumed: boolean }): Promise<void> {
    const { performer, orchestrator } = this.#engine;
    const begin = async (): Promise<void> => {
      if (isResumed) await recover(performer.context, () => performer.pollTracker());
      performer.watchTracker();
      orchestrator.start(performer);
    };
    // Nobody waits for an engine that is killed before it began.
    begin().catch((error: unknown) => orchestrator.fail(error));
    await this.settle();
  }

  /** Calls `to` with every event from now on, after it is in the state. */
  listen(to: (event: RunEvent) => void): void {
    this.#listeners.push(to);
  }

  /** Starts the run. */
  async start(): Promise<void> {
    await this.#launch({ isResumed: false });
  }

  /** Waits until nothing but time makes anything happen. Throws what ended the engine. */
  async settle(): Promise<void> {
    for (let seen = -1; seen !== this.events.length; ) {
      seen = this.events.length;
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Lets time pass, timer by timer. Ends early with the run. */
  async pass(ms: number): Promise<void> {
    const until = this.clock.now() + ms;
    while (this.state.stage !== "ended") {
      const next = this.clock.next;
      if (next === undefined || next > until) break;
      this.clock.advance(next - this.clock.now());
      await this.settle();
    }
    this.clock.advance(Math.max(0, until - this.clock.now()));
  }
}

function journalOf(clock: Clock, last: number): Journal {
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
  return {
    type: "run-started",
    run: RUN,
    batch,
    batchPath: "/batch.json",
    oracleSha: "o",
    batchSha: "b",
    sandboxed: true,
    settled: [],
    durations: {},
    spentTodayUsd: 0,
    version: "test",
  } as const;
}
