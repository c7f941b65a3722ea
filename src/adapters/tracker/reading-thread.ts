import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { TicketId } from "../../domain/values/ids.ts";
import { serialQueue } from "../../domain/values/serial-queue.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { TrackerReading } from "../../ports/tracker.ts";
import { type DeltaReader, deltaReader, type FoundTicket, type LocalTracker, type ReadingDelta } from "./reading.ts";

/** A file of this program, and the arguments that make it a thread that reads a tracker (see serve-reading.ts). */
export interface ThreadProgram {
  readonly program: string;
  readonly args: readonly string[];
}

/** Time limit of one reading, in milliseconds, and memory limit of the thread, in MiB. */
const READING_MS = 60_000;
const THREAD_MIB = 512;

/** An answer of the thread. A problem that a person can fix keeps its parts. */
export type ThreadReading =
  | { readonly delta: ReadingDelta | undefined }
  | { readonly problem: string | Pick<UserError, "what" | "why" | "todo"> };

/** A reading whose tickets have their file's names. */
export interface FoundReading extends TrackerReading {
  readonly tickets: ReadonlyMap<TicketId, FoundTicket>;
}

/**
 * The present reading of a local tracker. With `thread`, the files are read in a thread that stays and remembers them: the event
 * loop gets only what has changed.
 */
export class CurrentReading {
  readonly #place: LocalTracker;
  readonly #thread: ThreadProgram | undefined;
  #source: (DeltaReader & Disposable) | undefined;
  #tickets = new Map<TicketId, FoundTicket>();
  #unreadable: ReadonlyMap<string, string> = new Map();
  readonly #inTurn = serialQueue();

  constructor(place: LocalTracker, thread: ThreadProgram | undefined) {
    this.#place = place;
    this.#thread = thread;
  }

  /** Reads. Throws if the tracker as a whole cannot be read. Readings that are asked for together take turns. */
  read(): Promise<FoundReading> {
    return this.#inTurn(() => this.#read());
  }

  async #read(): Promise<FoundReading> {
    if (this.#source === undefined) {
      this.#tickets = new Map();
      this.#source = this.#thread === undefined ? inProcess(this.#place) : new ThreadReader(this.#place, this.#thread);
    }
    const delta = await this.#source.read().catch((error: unknown) => {
      // A new thread remembers nothing, so its first reading is a whole one.
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

function inProcess(place: LocalTracker): DeltaReader & Disposable {
  const reader = deltaReader(place);
  return { read: () => reader.read(), [Symbol.dispose]: () => undefined };
}

function toError(problem: Extract<ThreadReading, { problem: unknown }>["problem"]): Error {
  return typeof problem === "string" ? new Error(problem) : new UserError({ ...problem, exitCode: EXIT.usage });
}

class ThreadGone extends Error {
  override readonly name = "ThreadGone";
}

class ThreadReader implements DeltaReader, Disposable {
  readonly #worker: Worker;

  constructor(place: LocalTracker, { program, args }: ThreadProgram) {
    const limits = { maxOldGenerationSizeMb: THREAD_MIB };
    this.#worker = new Worker(program, { argv: [...args], env: {}, execArgv: [], workerData: place, resourceLimits: limits });
    // `read` reports an error of the thread; between readings there is nobody to report it to.
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
      if ("problem" in reading) throw toError(reading.problem);
      return reading.delta;
    } finally {
      over.abort();
    }
  }

  [Symbol.dispose](): void {
    void this.#worker.terminate();
  }
}
