/** Gives making worktrees priority over capturing agents' work: an empty slot costs more than a change that waits a moment. */
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

  /** Settles when the starts that are under way now have ended, in any way. */
  async over(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
