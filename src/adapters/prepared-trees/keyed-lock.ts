import { setTimeout as delay } from "node:timers/promises";
import { orAborted } from "../../domain/values/or-aborted.ts";
import type { Lock, Locks } from "../../ports/locks.ts";
import type { PreparedTrees } from "../../ports/prepared-trees.ts";

/** How often a lock that another engine holds is tried. The kernel tells nobody when it becomes free. Milliseconds. */
const TRY_LOCK_MS = 200;

export type LockOptions = Parameters<PreparedTrees["withLock"]>[1];

/** Runs one task at a time for each resource: in this process by a queue, on the machine by a lock that the kernel keeps. */
export class KeyedLock {
  readonly #locks: Locks;
  readonly #run: string;
  readonly #atWork = new Map<string, { readonly by: string; readonly over: Promise<void> }>();

  /** `run` is the name of the run, for others that wait for it. */
  constructor(locks: Locks, run: string) {
    this.#locks = locks;
    this.#run = run;
  }

  /** Runs `task` while no other task with this resource runs on the machine. */
  async run<T>(resource: string, { by, onWait, signal }: LockOptions, task: () => Promise<T>): Promise<T> {
    let told = false;
    const wait = (who: string): void => {
      if (!told) onWait(who);
      told = true;
    };
    for (let other = this.#atWork.get(resource); other !== undefined; other = this.#atWork.get(resource)) {
      wait(other.by);
      await orAborted(other.over, signal);
    }
    signal.throwIfAborted();
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    this.#atWork.set(resource, { by, over });
    let lock: Lock | undefined;
    try {
      lock = await this.#lock(resource, wait, signal);
      return await task();
    } finally {
      lock?.[Symbol.dispose]();
      this.#atWork.delete(resource);
      end();
    }
  }

  async #lock(resource: string, onWait: (who: string) => void, signal: AbortSignal): Promise<Lock | undefined> {
    for (;;) {
      const taken = this.#locks.take([resource], { pid: process.pid, run: this.#run, since: Date.now() });
      if (taken.ok) return taken.locks[0];
      onWait(taken.holder === undefined ? "another run" : `run ${taken.holder.run}`);
      await delay(TRY_LOCK_MS, undefined, { signal });
    }
  }
}
