import { systemClock } from "../../adapters/clock/system-clock.ts";
import { canPass } from "../../adapters/disk-error.ts";
import { probeJournal } from "../../adapters/journal/probe-journal.ts";
import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import type { Outage } from "../../domain/run/outage-fact.ts";
import { heldByJournal } from "../../domain/run/reduce-outage.ts";
import type { RunState } from "../../domain/run/state.ts";
import { outageMinutes } from "../../domain/schedule/model-outage.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { pause } from "../../loop/concurrency/wait.ts";
import { type EngineFault, faultOf, journalFailed, journalStopped, releaseInherited } from "./engine-end.ts";
import { JournalBackoff } from "./journal-backoff.ts";
import { type Engine, type EngineOptions, startEngine } from "./start-engine.ts";

/** The options of an engine, and a listener for outages of its journal. */
export interface SupervisorOptions extends EngineOptions {
  /** Called before each wait for a journal that cannot be written. Nothing of it is journalled. */
  readonly onOutage: (outage: Outage) => void;
}

/** A run in this process, on which one engine works, or several in turn. */
export interface SupervisedEngine
  extends Pick<Engine, "run" | "folder" | "written" | "state" | "subscribe" | "command" | "go" | "stop"> {
  /** The last state. Rejects with a UserError if the journal stays unwritable, or if somebody stops the run while it is. */
  readonly ended: Promise<RunState>;
}

/**
 * Starts an engine, and another one that resumes its run if the journal could not be written. Before that, it tries the journal
 * with growing waits, for `limits.outageMinutes` in total. Throws as `startEngine` does.
 */
export async function startSupervisedEngine(options: SupervisorOptions): Promise<SupervisedEngine> {
  const supervisor = new EngineSupervisor(options, await startEngine(options));
  return {
    ...supervisor.first,
    state: () => supervisor.engine.state(),
    subscribe: (to) => supervisor.subscribe(to),
    command: (command) => supervisor.engine.command(command),
    stop: (by) => supervisor.stop(by),
    ended: supervisor.ended,
  };
}

/** Follows the engines of one run in this process. */
class EngineSupervisor {
  readonly first: Pick<Engine, "run" | "folder" | "written" | "go">;
  readonly ended: Promise<RunState>;
  engine: Engine;
  readonly #options: SupervisorOptions;
  readonly #subscribers: ((event: RunEvent, state: RunState) => void)[] = [];
  readonly #stop = new AbortController();
  #stoppedBy = "";

  constructor(options: SupervisorOptions, first: Engine) {
    this.#options = options;
    this.first = first;
    this.engine = first;
    this.ended = this.#supervise();
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

  async #supervise(): Promise<RunState> {
    const backoff = new JournalBackoff(outageMinutes(this.engine.state()) * 60_000);
    for (;;) {
      const end = await this.engine.ended;
      if (end.kind === "over") return end.state;
      const { state, inherited } = end;
      try {
        if (this.#stop.signal.aborted || state.stage === "stopping") throw journalFailed(inherited.run, end.cause);
        const next = await this.#untilWritable(end, backoff);
        if (next === undefined) {
          await releaseInherited(inherited);
          return state;
        }
        this.#adopt(next);
      } catch (error) {
        await releaseInherited(inherited);
        throw error;
      }
    }
  }

  /** Waits until the journal can be written. Gives the next engine, or undefined if only the end of the run had to be recorded. */
  async #untilWritable(fault: EngineFault, backoff: JournalBackoff): Promise<Engine | undefined> {
    const { inherited } = fault;
    let { cause } = fault;
    backoff.begin(systemClock.now());
    for (;;) {
      const now = systemClock.now();
      const wait = backoff.next(now);
      if (wait === undefined) throw journalFailed(inherited.run, cause);
      this.#announce(fault, {
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
        backoff.end(systemClock.now());
        return next;
      } catch (error) {
        if (!canPass(error)) throw error;
        cause = error;
      }
    }
  }

  /** Resumes the run, or records its end if it has ended. */
  async #continue({ state: { end }, inherited }: EngineFault): Promise<Engine | undefined> {
    if (end !== undefined) return void recordEnd(inherited, end);
    const { batch, cwd, env, allowApiKey } = this.#options;
    return startEngine({ batch, cwd, env, allowApiKey, fresh: false }, inherited);
  }

  /** Subscribers first get the events of the resumption, then those that follow. */
  #adopt(next: Engine): void {
    this.engine = next;
    for (const to of this.#subscribers) {
      for (const event of next.written) to(event, next.state());
      next.subscribe(to);
    }
    next.go();
    if (this.#stop.signal.aborted) next.stop(this.#stoppedBy);
  }

  /** Shows the outage to those who watch. Of their commands, only a stop is carried out: no other could be journalled. */
  #announce({ state, recent, inherited }: EngineFault, journal: Outage): void {
    this.#options.onOutage(journal);
    inherited.channel.serve({
      snapshot: () => ({ kind: "snapshot", state: heldByJournal(state, journal), recent }),
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
