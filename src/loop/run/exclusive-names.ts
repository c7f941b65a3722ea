import type { RunState } from "../../domain/run/state.ts";
import type { Lock, LockHolder, Locks } from "../../ports/locks.ts";

/** Least time between two looks at names that another run holds. Milliseconds. */
export const POLL_MS = 1_000;

/**
 * The exclusive names that this run holds on this machine. A ticket takes all of its names or none, and holds none while it waits:
 * so runs cannot wait for each other in a circle.
 */
export class ExclusiveNames implements Disposable {
  readonly #locks: Locks;
  readonly #holder: LockHolder;
  readonly #mine = new Map<string, Lock>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(locks: Locks, holder: LockHolder) {
    this.#locks = locks;
    this.#holder = holder;
  }

  /** Takes these names, or says which of them another run holds. */
  take(names: readonly string[]): { readonly name: string; readonly by?: string } | undefined {
    const missing = names.map(lockName).filter((resource) => !this.#mine.has(resource));
    if (missing.length === 0) return undefined;
    const taken = this.#locks.take(missing, this.#holder);
    if (!taken.ok) {
      const name = names.find((each) => lockName(each) === taken.resource) ?? taken.resource;
      return { name, by: taken.holder?.run };
    }
    for (const lock of taken.locks) this.#mine.set(lock.resource, lock);
    return undefined;
  }

  /** Lets go of all names but those that the run's tickets hold. */
  keep(held: RunState["held"]): void {
    const kept = new Set(Object.keys(held).map(lockName));
    for (const [resource, lock] of this.#mine) {
      if (kept.has(resource)) continue;
      this.#mine.delete(resource);
      lock[Symbol.dispose]();
    }
  }

  [Symbol.dispose](): void {
    this.keep({});
  }

  /** The names that nobody holds any more, of those that another run held. Looks at most once in `POLL_MS`. */
  freed({ heldElsewhere }: Pick<RunState, "heldElsewhere">, now: number): readonly string[] {
    const names = Object.keys(heldElsewhere);
    if (names.length === 0 || Math.abs(now - this.#lookedAt) < POLL_MS) return [];
    this.#lookedAt = now;
    return names.filter((name) => !this.#locks.isHeld(lockName(name)));
  }
}

function lockName(name: string): string {
  return `exclusive ${name}`;
}
