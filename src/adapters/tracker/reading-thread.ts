import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { TicketId } from "../../domain/values/ids.ts";
import type { TrackerReading, TrackerTicket } from "../../ports/tracker.ts";
import { type DeltaReader, deltaReader, type LocalPlace, type ReadingDelta } from "./reading.ts";

/** A file of this program, and the arguments that make it a thread that reads a tracker (see serve-reading.ts). */
export interface ThreadProgram {
  readonly program: string;
  readonly args: readonly string[];
}

/** Time limit of one reading, in milliseconds, and memory limit of the thread, in MiB. */
const READING_MS = 60_000;
const THREAD_MIB = 512;

/** An answer of the thread. */
export type ThreadReading = { readonly delta: ReadingDelta | undefined } | { readonly problem: string };

/**
 * The present reading of a local tracker. With `thread`, the files are read in a thread that stays and remembers them: the event
 * loop gets only what has changed.
 */
export class CurrentReading {
  readonly #place: LocalPlace;
  readonly #thread: ThreadProgram | undefined;
  #source: (DeltaReader & Disposable) | undefined;
  #tickets = new Map<TicketId, TrackerTicket>();
  #unreadable: ReadonlyMap<string, string> = new Map();

  constructor(place: LocalPlace, thread: ThreadProgram | undefined) {
    this.#place = place;
    this.#thread = thread;
  }

  /** Reads. Throws if the tracker as a whole cannot be read. One at a time. */
  async read(): Promise<TrackerReading> {
    if (this.#source === undefined) {
      this.#tickets = new Map();
      this.#source = this.#thread === undefined ? inProcess(this.#place) : new ThreadReader(this.#place, this.#thread);
    }
    const delta = await this.#source.read().catch((error: unknown) => {
      // The thread may be gone, and with it what it has told.
      if (error instanceof ThreadGone) this.close();
      throw error;
    });
    for (const ticket of delta?.changed ?? []) this.#tickets.set(ticket.id, ticket);
    for (const id of delta?.removed ?? []) this.#tickets.delete(id);
    if (delta !== undefined) this.#unreadable = new Map(delta.unreadable);
    return { tickets: this.#tickets, unreadable: this.#unreadable };
  }

  /** Ends the thread. The next reading starts another. */
  close(): void {
    this.#source?.[Symbol.dispose]();
    this.#source = undefined;
  }
}

function inProcess(place: LocalPlace): DeltaReader & Disposable {
  const reader = deltaReader(place);
  return { read: () => reader.read(), [Symbol.dispose]: () => undefined };
}

class ThreadGone extends Error {
  override readonly name = "ThreadGone";
}

class ThreadReader implements DeltaReader, Disposable {
  readonly #worker: Worker;

  constructor(place: LocalPlace, { program, args }: ThreadProgram) {
    const limits = { maxOldGenerationSizeMb: THREAD_MIB };
    this.#worker = new Worker(program, { argv: [...args], env: {}, execArgv: [], workerData: place, resourceLimits: limits });
    // Whoever waits for a reading hears of it; between readings nobody does.
    this.#worker.on("error", () => undefined);
    this.#worker.unref();
  }

  async read(): Promise<ReadingDelta | undefined> {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(READING_MS)]);
    try {
      const answer = once(this.#worker, "message", { signal }) as Promise<[ThreadReading]>;
      const gone = once(this.#worker, "exit", { signal }).then(() => Promise.reject(new Error("it ended")));
      this.#worker.postMessage("read");
      const [reading] = await Promise.race([answer, gone]).catch((cause: unknown) => {
        throw new ThreadGone("the thread that reads the tracker gave no answer", { cause });
      });
      if ("problem" in reading) throw new Error(reading.problem);
      return reading.delta;
    } finally {
      over.abort();
    }
  }

  [Symbol.dispose](): void {
    void this.#worker.terminate();
  }
}
