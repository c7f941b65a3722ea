/**
 * Lets the making of worktrees go before the collecting of what agents left: a slot that stands empty costs more than a
 * change that waits a moment.
 */
export class WorktreeGate {
  readonly #underWay = new Set<Promise<unknown>>();

  /** Runs the start of an attempt. */
  run<T>(start: () => Promise<T>): Promise<T> {
    const promise = start();
    const settled: Promise<unknown> = promise.then(
      () => this.#underWay.delete(settled),
      () => this.#underWay.delete(settled),
    );
    this.#underWay.add(settled);
    return promise;
  }

  /** Settles when those starts are over that are under way now, however they ended. */
  async over(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
