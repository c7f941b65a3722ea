/** What is under way through a gateway, so that all of it can be ended at once. */
export class OpenLines {
  readonly #ends = new Set<() => void>();

  /** Notes how to end something. Call the result once it has ended. */
  add(end: () => void): () => void {
    this.#ends.add(end);
    return () => this.#ends.delete(end);
  }

  endAll(): void {
    for (const end of [...this.#ends]) end();
    this.#ends.clear();
  }
}
