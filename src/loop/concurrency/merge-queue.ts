import { orAborted } from "./wait.ts";

/**
 * The landings of each repository: one at a time, in order of arrival. A waiting entry can see the commit that the previous entry
 * is about to land, and so check its own change on that already. p-limit and p-queue show a waiting task nothing of the previous
 * one.
 */
export class MergeQueue {
  readonly #lanes = new Map<string, QueueEntry[]>();

  /** Takes the next place of a repository. The caller must leave it. */
  enter(key: string): QueueEntry {
    const lane = this.#lanes.get(key) ?? [];
    this.#lanes.set(key, lane);
    return new QueueEntry(lane, () => {
      if (lane.length === 0) this.#lanes.delete(key);
    });
  }

  /**
   * Waits for all earlier entries, then runs `task`. A task that throws does not block the next. Throws the signal's reason if it
   * is aborted before its turn; then the task does not run.
   */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const place = this.enter(key);
    try {
      await place.turn(signal);
      return await task();
    } finally {
      place.leave();
    }
  }
}

/** The queue of a broken base's repairs: a landing is a compare-and-swap, so a second queue is safe, and they pass those that wait. */
export function repairLane(repo: string): string {
  return `${repo} repair`;
}

/** An entry in the queue of a repository's landings. */
export class QueueEntry {
  readonly #lane: QueueEntry[];
  readonly #left: () => void;
  #plan: string | undefined;
  #changed = Promise.withResolvers<void>();

  /** Made by `MergeQueue.enter`. */
  constructor(lane: QueueEntry[], left: () => void) {
    this.#lane = lane;
    this.#left = left;
    lane.push(this);
  }

  get isFirst(): boolean {
    return this.#lane[0] === this;
  }

  /** The commit that the previous entry is about to land; undefined if there is no previous entry, or its commit is not known. */
  get ahead(): string | undefined {
    const before = this.#lane[this.#lane.indexOf(this) - 1];
    return before === undefined ? undefined : before.#plan;
  }

  /** Settles with the next change of `ahead`. Read it before `ahead` to miss no change. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Sets the commit that this entry is about to land; undefined: it is not known. */
  plans(commit: string | undefined): void {
    if (commit === this.#plan) return;
    this.#plan = commit;
    QueueEntry.#tell(this.#lane[this.#lane.indexOf(this) + 1]);
  }

  /** Waits until this entry is first. Throws the signal's reason if it is aborted. */
  async turn(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    while (!this.isFirst) await orAborted(this.changed, signal);
  }

  /** Lets the next entry proceed. Safe to repeat. */
  leave(): void {
    const at = this.#lane.indexOf(this);
    if (at < 0) return;
    this.#lane.splice(at, 1);
    QueueEntry.#tell(this.#lane[at]);
    this.#left();
  }

  static #tell(place: QueueEntry | undefined): void {
    if (place === undefined) return;
    const told = place.#changed;
    place.#changed = Promise.withResolvers();
    told.resolve();
  }
}
