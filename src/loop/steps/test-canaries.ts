import { createHash, randomBytes } from "node:crypto";

/** Of checks that take long, one in so many is tried by canaries. */
export const ONE_IN = 5;

/** What a run knows of its test canaries. */
export class TestCanaries {
  /** Whoever is judged may know the commit, and must not know whether it is sampled. */
  readonly #secret = randomBytes(16);
  readonly #excused = new Map<string, Set<string>>();

  /** Whether a long check is tried on this commit: always the same for one commit, as long as this engine lives. */
  isSampled(commit: string): boolean {
    return createHash("sha256").update(this.#secret).update(commit).digest().readUInt32BE() % ONE_IN === 0;
  }

  /** Places at which canaries of this check told nothing on the base either. */
  excused(check: string): ReadonlySet<string> {
    return this.#excused.get(check) ?? new Set();
  }

  /** Remembers such places. */
  excuse(check: string, places: readonly string[]): void {
    this.#excused.set(check, new Set([...this.excused(check), ...places]));
  }
}
