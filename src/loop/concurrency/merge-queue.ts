import { orAborted } from "./wait.ts";

/**
 * The landings of each repository: one at a time, in the order in which they came. Who waits can see what the one before it is
 * about to land, and so check its own change on that already: p-limit and p-queue show a waiting task nothing of the one before.
 */
export class MergeQueue {
  readonly #lanes = new Map<string, QueueEntry[]>();

  /** Takes the next place of a repository. Whoever takes one must leave it. */
  enter(key: string): QueueEntry {
    const lane = this.#lanes.get(key) ?? [];
    this.#lanes.set(key, lane);
    return new QueueEntry(lane, () => {
      if (lane.length === 0) this.#lanes.delete(key);
    });
  }

  /**
   * Waits for all who came earlier, then runs `task`. A task that throws does not hold up the next. Throws the signal's reason
   * where it is aborted before its turn has come: then the task does not run.
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

/** A place in the order of a repository's landings. */
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

  /** The commit that the one before is about to land; undefined where nobody is before, or it is not known. */
  get ahead(): string | undefined {
    const before = this.#lane[this.#lane.indexOf(this) - 1];
    return before === undefined ? undefined : before.#plan;
  }

  /** Settles with the next change of what is ahead. Asked for before `ahead` is read, it misses none. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Says which commit this place is about to land; undefined: it is not known. */
  plans(commit: string | undefined): void {
    if (commit === this.#plan) return;
    this.#plan = commit;
    QueueEntry.#tell(this.#lane[this.#lane.indexOf(this) + 1]);
  }

  /** Waits until nobody is before. Throws the signal's reason where it is aborted. */
  async turn(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    while (!this.isFirst) await orAborted(this.changed, signal);
  }

  /** Lets the next one go on. Safe to repeat. */
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
