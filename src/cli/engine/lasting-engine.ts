import { systemClock } from "../../adapters/clock/system-clock.ts";
import { canPass } from "../../adapters/disk-error.ts";
import { probeJournal } from "../../adapters/journal/probe-journal.ts";
import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import type { Outage } from "../../domain/run/outage-fact.ts";
import type { RunState } from "../../domain/run/state.ts";
import { outageMinutes } from "../../domain/schedule/model-outage.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { pause } from "../../loop/concurrency/wait.ts";
import { type EngineFault, faultOf, journalFailed, journalStopped, release } from "./engine-end.ts";
import { JournalPatience } from "./journal-patience.ts";
import { type Engine, type EngineOptions, startEngine } from "./start-engine.ts";

export interface LastingOptions extends EngineOptions {
  /** Called before each wait for a journal that cannot be written. Nothing of it is journalled. */
  readonly onOutage: (outage: Outage) => void;
}

/** A run that works in this process, by one engine or by several that follow each other. */
export interface LastingEngine extends Pick<Engine, "run" | "folder" | "written" | "state" | "subscribe" | "go" | "stop"> {
  /** The last state. Rejects with a UserError if the journal stays unwritable, or a person stops the run meanwhile. */
  readonly ended: Promise<RunState>;
}

/**
 * Starts an engine, and resumes its run by itself if a fault of the disk ends it that passes: the journal is tried with growing
 * waits, for `limits.outageMinutes` in total. Throws as `startEngine` does.
 */
export async function startLastingEngine(options: LastingOptions): Promise<LastingEngine> {
  const lasting = new Succession(options, await startEngine(options));
  return {
    ...lasting.first,
    state: () => lasting.engine.state(),
    subscribe: (to) => lasting.subscribe(to),
    stop: (by) => lasting.stop(by),
    ended: lasting.ended,
  };
}

/** The engines of one run in this process. */
class Succession {
  readonly first: Pick<Engine, "run" | "folder" | "written" | "go">;
  readonly ended: Promise<RunState>;
  engine: Engine;
  readonly #options: LastingOptions;
  readonly #subscribers: ((event: RunEvent, state: RunState) => void)[] = [];
  readonly #stop = new AbortController();
  #stoppedBy = "";

  constructor(options: LastingOptions, first: Engine) {
    this.#options = options;
    this.first = first;
    this.engine = first;
    this.ended = this.#outlast();
    // The caller may ask later.
    this.ended.catch(() => undefined);
  }

  subscribe(to: (event: RunEvent, state: RunState) => void): void {
    this.#subscribers.push(to);
    this.engine.subscribe(to);
  }

  stop(by: string): void {
    this.#stoppedBy ||= by;
    this.#stop.abort();
    this.engine.stop(by);
  }

  async #outlast(): Promise<RunState> {
    const patience = new JournalPatience(outageMinutes(this.engine.state()) * 60_000);
    for (;;) {
      const end = await this.engine.ended;
      if (end.kind === "over") return end.state;
      const { state, inherited } = end;
      try {
        if (this.#stop.signal.aborted || state.stage === "stopping") throw journalFailed(inherited.run, end.cause);
        const next = await this.#persist(end, patience);
        if (next === undefined) {
          await release(inherited);
          return state;
        }
        this.#follow(next);
      } catch (error) {
        await release(inherited);
        throw error;
      }
    }
  }

  /** Tries until the journal can be written. Gives the next engine, or undefined if only the end had to be recorded. */
  async #persist(fault: EngineFault, patience: JournalPatience): Promise<Engine | undefined> {
    const { inherited } = fault;
    let { cause } = fault;
    patience.begin(systemClock.now());
    for (;;) {
      const now = systemClock.now();
      const wait = patience.next(now);
      if (wait === undefined) throw journalFailed(inherited.run, cause);
      this.#tell(fault, {
        since: wait.since,
        why: plainText(faultOf(cause), 300),
        nextAt: now + wait.ms,
        until: wait.until,
      });
      await pause(systemClock, wait.ms, this.#stop.signal);
      if (this.#stop.signal.aborted) throw journalStopped(inherited.run, { by: this.#stoppedBy, cause });
      try {
        probeJournal(inherited.db, inherited.run);
        const next = await this.#continue(fault);
        patience.end(systemClock.now());
        return next;
      } catch (error) {
        if (!canPass(error)) throw error;
        cause = error;
      }
    }
  }

  /** A run that has ended is not resumed. */
  async #continue({ state: { end }, inherited }: EngineFault): Promise<Engine | undefined> {
    if (end !== undefined) return void recordEnd(inherited, end);
    const { batch, cwd, env, allowApiKey } = this.#options;
    return startEngine({ batch, cwd, env, allowApiKey, fresh: false }, inherited);
  }

  /** Subscribers get what is published from now on, and first what came with the resumption. */
  #follow(next: Engine): void {
    this.engine = next;
    for (const to of this.#subscribers) {
      for (const event of next.written) to(event, next.state());
      next.subscribe(to);
    }
    next.go();
    if (this.#stop.signal.aborted) next.stop(this.#stoppedBy);
  }

  /** Shows the outage to those who watch. Of their commands, a stop is carried out; the others would change what is not on record. */
  #tell({ state, recent, inherited }: EngineFault, journal: Outage): void {
    this.#options.onOutage(journal);
    inherited.channel.serve({
      snapshot: () => ({ kind: "snapshot", state: { ...state, outages: { journal } }, recent }),
      command: ({ type }) => {
        if (type === "stop") this.stop("a person");
      },
    });
  }
}

function recordEnd({ db, run }: { readonly db: string; readonly run: RunId }, end: NonNullable<RunState["end"]>): void {
  const store = openRunStore(db);
  try {
    store.end(run, end);
  } finally {
    store.close();
  }
}
