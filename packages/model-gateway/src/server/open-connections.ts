/** Open connections and requests of a gateway, so that all of them can be ended at once. */
export class OpenConnections {
  readonly #ends = new Set<() => void>();

  /** Registers how to end something. Call the result when it has ended. */
  add(end: () => void): () => void {
    this.#ends.add(end);
    return () => this.#ends.delete(end);
  }

  endAll(): void {
    for (const end of [...this.#ends]) end();
    this.#ends.clear();
  }
}
